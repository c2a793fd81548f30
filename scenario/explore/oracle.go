package explore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// A Choice is one outcome that the environment had.
type Choice struct {
	Point  string `json:"point"`  // who was asked, e.g. "grader"
	Option string `json:"option"` // what it answered, e.g. "malformed"

	pick, of int
}

// String is the choice as reports show it: "grader: malformed".
func (c Choice) String() string { return c.Point + ": " + c.Option }

// oracle answers questions: the first ones by a plan, or by a script, and all others with the first option. It is safe for
// concurrent use, but the order of questions that are asked at once is not the same every time: a stand-in for parallel
// work must ask one by one.
type oracle struct {
	mu     sync.Mutex
	plan   []int
	script map[string][]string // by point; nil = there is a plan
	asked  []Choice
	once   map[string]string // by step, task and point
	fault  error
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
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.choose(point, options)
}

// ChooseOnce is Choose for a point where all questions of one task have the same outcome, for instance several searches of
// one round of which no more is wanted than that they find something or not.
func ChooseOnce(ctx context.Context, point string, options ...string) string {
	o, ok := ctx.Value(oracleKey{}).(*oracle)
	if !ok {
		return Choose(ctx, point, options...)
	}
	info, _ := graph.InfoFrom(ctx)
	key := fmt.Sprintf("%d/%s/%d/%s", info.Step, info.Task, info.Attempt, point)
	o.mu.Lock()
	defer o.mu.Unlock()
	if option, known := o.once[key]; known {
		return option
	}
	if o.once == nil {
		o.once = map[string]string{}
	}
	o.once[key] = o.choose(point, options)
	return o.once[key]
}

func (o *oracle) choose(point string, options []string) string {
	pick := o.pick(point, options)
	if pick >= len(options) {
		o.fault = fmt.Errorf("explore: %s was asked for option %d of %d: the run does not repeat itself", point, pick+1, len(options))
		pick = 0
	}
	o.asked = append(o.asked, Choice{Point: point, Option: options[pick], pick: pick, of: len(options)})
	return options[pick]
}

func (o *oracle) pick(point string, options []string) int {
	if o.script == nil {
		if i := len(o.asked); i < len(o.plan) {
			return o.plan[i]
		}
		return 0
	}
	list := o.script[point]
	if len(list) == 0 {
		return 0
	}
	o.script[point] = list[1:]
	if i := slices.Index(options, list[0]); i >= 0 {
		return i
	}
	o.fault = fmt.Errorf("explore: %s has no option %q, it has %q", point, list[0], options)
	return 0
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

// Under is a context in which the environment does what it did on a path. Behind the path it takes its first options.
func Under(ctx context.Context, path []Step) context.Context {
	return context.WithValue(ctx, oracleKey{}, &oracle{plan: planOf(path)})
}

func planOf(path []Step) []int {
	var plan []int
	for _, s := range path {
		plan = append(plan, picks(s.Choices)...)
	}
	return plan
}

// A Script is outcomes of points, in their order. A point whose outcomes are used up has its first option. A graph that goes
// another way than the one that the outcomes are of, for instance since it was mended, meets the same environment.
type Script struct{ oracle *oracle }

// NewScript makes a script of outcomes by point; see [Violation.Outcomes].
func NewScript(outcomes map[string][]string) Script {
	o := &oracle{script: map[string][]string{}}
	for point, list := range outcomes {
		o.script[point] = slices.Clone(list)
	}
	return Script{o}
}

// Context is a context in which the environment follows the script, from where it is.
func (s Script) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oracleKey{}, s.oracle)
}

// Fault is an outcome of the script that its point did not have, or nil.
func (s Script) Fault() error {
	s.oracle.mu.Lock()
	defer s.oracle.mu.Unlock()
	return s.oracle.fault
}
