package verify_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

func ExampleLexical() {
	items := []state.Evidence{{ID: "logs", Content: "The server rotates its logs every night. Old logs are kept for seven days."}}
	answer := "The server rotates its logs every night [1]. Old logs are kept for 30 days [1]."
	v, err := verify.Lexical(context.Background(), answer, items, nil, verify.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range v.Claims {
		fmt.Println(c.Verdict, c.Text, "|", c.Reasoning)
	}
	fmt.Printf("confidence %.1f, grounded %v\n", v.Confidence, v.Grounded)
	// Output:
	// SUPPORTED The server rotates its logs every night. | the evidence holds 100 % of its words, by weight
	// UNSUPPORTED Old logs are kept for 30 days. | the evidence gives another number
	// confidence 0.4, grounded false
}

func ExampleContradiction() {
	score, why := verify.Contradiction("The cache is enabled by default.", "By default the cache is disabled.")
	fmt.Printf("%.0f: %s\n", score, why)
	// Output: 1: the evidence says the opposite of a word of direction in it
}
