package explore

import (
	"context"
	"fmt"
	"sync"
)

// A Choice is one outcome that the environment had.
type Choice struct {
	Point  string `json:"point"`  // who was asked, e.g. "grader"
	Option string `json:"option"` // what it answered, e.g. "malformed"

	pick, of int
}

// String is the choice as reports show it: "grader: malformed".
func (c Choice) String() string { return c.Point + ": " + c.Option }

// oracle answers the first questions by a plan and all others with the first option. It is safe for concurrent use, but
// the order of questions that are asked at once is not the same every time: a stand-in for parallel work must ask one by
// one.
type oracle struct {
	plan []int

	mu    sync.Mutex
	asked []Choice
	fault error
}

type oracleKey struct{}

// Choose returns the outcome that the environment has at a point of a run: one of the options, of which there is at least
// one. Outside an exploration it is the first one. The same run must ask the same questions in the same order.
func Choose(ctx context.Context, point string, options ...string) string {
	if len(options) == 0 {
		panic("explore: Choose needs an option")
	}
	o, ok := ctx.Value(oracleKey{}).(*oracle)
	if !ok {
		return options[0]
	}
	return o.choose(point, options)
}

func (o *oracle) choose(point string, options []string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	pick := 0
	if i := len(o.asked); i < len(o.plan) {
		pick = o.plan[i]
	}
	if pick >= len(options) {
		o.fault = fmt.Errorf("explore: %s was asked for option %d of %d: the run does not repeat itself", point, pick+1, len(options))
		pick = 0
	}
	o.asked = append(o.asked, Choice{Point: point, Option: options[pick], pick: pick, of: len(options)})
	return options[pick]
}

// picks are the numbers of the options that were chosen.
func picks(choices []Choice) []int {
	list := make([]int, len(choices))
	for i, c := range choices {
		list[i] = c.pick
	}
	return list
}

// branches are the plans that differ from what was asked in one choice behind the plan, each once over a whole search.
func branches(plan []int, asked []Choice) [][]int {
	var plans [][]int
	for i := len(plan); i < len(asked); i++ {
		for pick := 1; pick < asked[i].of; pick++ {
			plans = append(plans, append(picks(asked[:i]), pick))
		}
	}
	return plans
}

// Under is a context in which the environment does what it did on a path, for instance to write the path down as a
// scenario. Behind the path it takes its first options.
func Under(ctx context.Context, path []Step) context.Context {
	o := &oracle{}
	for _, s := range path {
		o.plan = append(o.plan, picks(s.Choices)...)
	}
	return context.WithValue(ctx, oracleKey{}, o)
}
