package explore

import (
	"errors"

	"github.com/kbagent/kbagent/graph"
)

// A Subject is what is explored. Its nodes must be pure but for [Choose]: no clock, no random ids, no memory of their own.
type Subject[S graph.Reducer[S, U], U any] struct {
	// Thread opens a thread of the graph in one store, always the same; ids are made up by the exploration.
	Thread func(id string) *graph.Thread[S, U]
	Input  U // what every run begins with

	// Canonical is what tells states apart, as a value for encoding/json: without counters of cost, durations and texts
	// that decide nothing. States with equal forms and equal next nodes are joined.
	Canonical func(S) any
	// Answers are what a person may answer to a question; each is tried. Nil for a graph that asks nothing.
	Answers func(graph.Interrupt) map[string]any

	Topology   graph.Topology            // whose edges count for the coverage
	Moves      []string                  // what else counts for it
	Moved      func(from, to S) []string // the moves of one step
	Invariants []Invariant[S]
}

// An Invariant holds in every explored run. Each of its functions may be nil; an error says what is wrong.
type Invariant[S any] struct {
	Name  string
	State func(S) error                         // after every step
	Step  func(from, to S, thread string) error // of each step, and the thread that took it
	End   func(S) error                         // of a run that has ended
}

// The invariants that hold for every subject.
const (
	NoError     = "every step succeeds"
	Ends        = "every path ends"
	ResumesSame = "a run without a stop ends in the same state"
)

// Options tune Run. The zero value works.
type Options struct {
	MaxStates     int // default 1,000,000; more is ErrTooMany
	MaxViolations int // default 10; the exploration stops there
	Parallel      int // states that are explored at once; default the number of processors
	// Progress is told after each depth; nil for nobody.
	Progress func(depth, states, open int)
}

// ErrTooMany reports that there are more states than Options.MaxStates.
var ErrTooMany = errors.New("explore: too many states")

// A Step is one step of a path.
type Step struct {
	Nodes   []string `json:"nodes"`
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
