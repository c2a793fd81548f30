package reply_test

import (
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/nodes/reply"
)

func ExampleScores() {
	ratings, err := reply.Scores("<think>The second one fits.</think>\nHere you are:\n```json\n{\"scores\": [\"20%\", .9, null]}\n```", 3)
	fmt.Println(ratings.Values, ratings.Ungraded, err)

	_, err = reply.Scores("[2, 9, 5]", 3)
	if parse, ok := errors.AsType[*reply.ParseError](err); ok {
		fmt.Println(parse.Reason)
	}
	// Output:
	// [0.2 0.9 0.5] [2] <nil>
	// score 1 is 2, outside of the scale from 0 to 1
}

func ExampleInto() {
	var route struct {
		Route      string   `json:"route"`
		Confidence float64  `json:"confidence"`
		Keywords   []string `json:"keywords"`
	}
	err := reply.Into(`Sure: {'route': 'search', 'confidence': '0.8', 'keywords': 'install',}`, &route, "route", "confidence")
	fmt.Printf("%+v %v\n", route, err)
	// Output:
	// {Route:search Confidence:0.8 Keywords:[install]} <nil>
}
