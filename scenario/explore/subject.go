package explore

import (
	"errors"

	"github.com/kbagent/kbagent/graph"
)

// A Subject is what is explored. Its nodes must be pure but for [Choose]: no clock, no random ids, no memory of their own.
// They run at once for many states.
type Subject[S graph.Reducer[S, U], U any] struct {
	App    *graph.App[S, U] // required; what [graph.Point] says of its limits holds
	Inputs map[string]U     // what runs begin with, by names, at least one; each is tried

	// Canonical is what tells states apart: a string, or a value for encoding/json; required. Leave out what decides
	// nothing: costs, durations, ids, texts, what only the past has read. States with equal forms that stand before the
	// same tasks and questions are joined. It must be safe for concurrent use.
	Canonical func(S) any
	// Answers are what a person may answer to a question, by names; each is tried. Nil for a graph that asks nothing.
	Answers func(graph.Interrupt) map[string]any

	Moves      []string                  // what counts for the coverage besides the edges; may be empty
	Moved      func(from, to S) []string // the moves of one step; nil for none
	Invariants []Invariant[S]
}

// An Invariant holds in every explored run. Each of its functions may be nil; an error says what is wrong. They are called
// at once for many states, and more than once for the same.
type Invariant[S any] struct {
	Name  string
	State func(S) error             // after every step
	Step  func(Transition[S]) error // of every step
	End   func(S) error             // of a run that has ended
}

// A Transition is a step with what it began and ended with.
type Transition[S any] struct {
	From, To S // From is the zero state for the step that takes the input
	Thread   string
	Step     Step
	Edges    []graph.Edge
	Next     []string // nodes that run next; none at the end
}

// The invariants that hold for every subject.
const (
	NoError     = "every step succeeds"
	Ends        = "every path ends"
	ResumesSame = "a run without a stop ends in the same state"
	Survives    = "a state is the same after it was stored"
	JoinedAlike = "joined states go on alike"
)

// Options tune Run. The zero value works.
type Options struct {
	MaxStates     int    // default 1,000,000; more is ErrTooMany
	MaxViolations int    // default 10; the exploration stops there
	Until         string // an invariant whose violation is looked for: when it was found, the exploration stops
	Parallel      int    // states that are explored at once; default the number of processors
	Twins         int    // pairs of joined states that are compared; default 500, negative = none
	Replays       int    // paths that are played once more on a thread; default 50, negative = none
	// Progress is told now and then, from one goroutine; nil for nobody.
	Progress func(depth, states, open int)
}

// ErrTooMany reports that there are more states than Options.MaxStates.
var ErrTooMany = errors.New("explore: too many states")

// A Step is one step of a path.
type Step struct {
	Nodes   []string `json:"nodes"`
	Input   string   `json:"input,omitzero"` // name of the input that the run began with; of the first step
	Choices []Choice `json:"choices"`
	Answer  string   `json:"answer,omitzero"` // name of the answer that a person gave before the step
}

// A Violation is an invariant that does not hold, with the shortest path to where it does not.
type Violation struct {
	Invariant string `json:"invariant"`
	Reason    string `json:"reason"`
	Path      []Step `json:"path"`
}

// Choices are all choices of a path, in order.
func (v Violation) Choices() []Choice {
	var list []Choice
	for _, s := range v.Path {
		list = append(list, s.Choices...)
	}
	return list
}

// Outcomes are the choices of a path by point, in order, and the answers of people under [Person]: what [NewScript] takes.
func (v Violation) Outcomes() map[string][]string {
	all := map[string][]string{}
	for _, s := range v.Path {
		if s.Answer != "" {
			all[Person] = append(all[Person], s.Answer)
		}
		for _, c := range s.Choices {
			all[c.Point] = append(all[c.Point], c.Option)
		}
	}
	return all
}

// Person is the point of the answers of people.
const Person = "person"
