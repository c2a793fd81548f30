package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A Position is where a run stands between two steps. It is plain data: JSON carries it from one process to another.
type Position struct {
	Next     []Task     `json:"next,omitempty"`     // the tasks of the next step, in task order
	Deferred []Task     `json:"deferred,omitempty"` // wait until no other work is left
	Joins    []JoinWait `json:"joins,omitempty"`    // joins that some, but not all sources have reached

	lent bool // Next is memory of the planner, which nobody may write
}

// Done says that a run has come to its end.
func (p *Position) Done() bool { return len(p.Next) == 0 && len(p.Joins) == 0 }

// A Task is one run of a node in one step.
type Task struct {
	Node string          `json:"node"`
	Send int             `json:"send,omitzero"`  // 0: reached by an edge; n ≥ 1: the n-th Send to the node in the step
	Arg  json.RawMessage `json:"arg,omitempty"`  // of a Send, encoded; nil while it only lives in memory
	For  string          `json:"for,omitzero"`   // node whose failure this task handles
	Past []string        `json:"past,omitempty"` // nodes whose failures For was to handle when it failed itself, the latest first

	at  int // 1 + index of the node; 0 = unknown
	arg any // of a Send, decoded
}

// ID names the task within its step: the node, followed by #n for the n-th Send.
func (t *Task) ID() string {
	if t.Send == 0 {
		return t.Node
	}
	return t.Node + "#" + strconv.Itoa(t.Send)
}

// failed lists the nodes whose failures the task handles, the latest first.
func (t *Task) failed() []string {
	if t.For == "" {
		return nil
	}
	return append([]string{t.For}, t.Past...)
}

// A JoinWait is a join that waits for the sources that are not in Arrived.
type JoinWait struct {
	Node    string   `json:"node"`    // the node that will run
	Arrived []string `json:"arrived"` // in the order in which the join declares its sources
}

// An Outcome is what a finished task says about what follows. It is all that a [Planner] hears of a task.
type Outcome struct {
	Route   string   `json:"route,omitzero"`    // outcome of the node's route; "" without one
	Goto    []string `json:"goto,omitempty"`    // replaces edges, route and joins of the node
	Sends   []Task   `json:"sends,omitempty"`   // Node and Arg; Send numbers are given when they are planned
	Failure *Failure `json:"failure,omitempty"` // the task failed, and its handler follows instead of all this
}

// reset makes the outcome say nothing. Like that of a result, it writes no more than it has to.
func (o *Outcome) reset() {
	if o.Goto == nil && o.Sends == nil && o.Failure == nil {
		o.Route = ""
		return
	}
	*o = Outcome{}
}

// A Planner knows the topology of a graph and nothing else. It is a pure function of positions and outcomes, without
// goroutines, clocks, map order, environment or the user's code: the executor in this package and any other engine
// plan with the same one. It never changes and is safe for concurrent use.
type Planner struct {
	nodes []planNode
	names []string // of the nodes
	index map[string]int
	joins []planJoin
	start Position
}

type planNode struct {
	name     string
	deferred bool
	work     bool // runs by Send only
	decides  bool // has static edges, a route or joins, or handles a node that has joins
	handler  int  // 1 + index of the node that handles its failures; 0 = none
	edges    []int
	joins    []int // index of a join that this node is a source of
	branches []planBranch
	targets  []int
	single   [][]Task // by branch, or [0] without a route: what follows when nothing else is going on; nil = plan in full
}

type planBranch struct {
	outcome string
	to      []int
}

type planJoin struct {
	to   int
	from []int
}

const endIndex = -1

// Start is the position of a fresh run.
func (p *Planner) Start() Position {
	return Position{Next: slices.Clone(p.start.Next), Deferred: slices.Clone(p.start.Deferred)}
}

// Next plans the step that follows one whose tasks, pos.Next, ended with outcomes (one for each, in that order).
// It also returns the edges that the step took, End included. It changes neither argument.
// Its errors are [ErrOutcomes], [ErrUnknownOutcome], [ErrUndeclaredTarget], [ErrNoTarget] and, for a position of another graph,
// [ErrGraphChanged].
func (p *Planner) Next(pos Position, outcomes []Outcome) (Position, []Edge, error) {
	var (
		next  Position
		edges []Edge
	)
	if err := p.Check(pos); err != nil {
		return next, nil, err
	}
	if len(outcomes) != len(pos.Next) {
		return next, nil, fmt.Errorf("%w: %d for %d tasks", ErrOutcomes, len(outcomes), len(pos.Next))
	}
	for i := range pos.Next {
		if err := p.valid(p.at(&pos.Next[i]), &outcomes[i]); err != nil {
			return next, nil, err
		}
	}
	p.next(&next, &pos, outcomes)
	if next.lent {
		next.Next, next.lent = slices.Clone(next.Next), false
	}
	for i := range pos.Next {
		edges = p.taken(edges, &pos.Next[i], &outcomes[i])
	}
	return next, edges, nil
}

// Check returns [ErrGraphChanged] when pos names a node, a join or a source of a join that the graph does not have,
// and [ErrJoinUnreachable] when no work is left and a join still waits.
func (p *Planner) Check(pos Position) error {
	for _, tasks := range [][]Task{pos.Next, pos.Deferred} {
		for i := range tasks {
			t := &tasks[i]
			if p.at(t) < 0 {
				return fmt.Errorf("%w: it has no node %q", ErrGraphChanged, t.Node)
			}
			for _, name := range t.failed() {
				if !p.has(name) {
					return fmt.Errorf("%w: it has no node %q, which %s stands in for", ErrGraphChanged, name, t.Node)
				}
			}
		}
	}
	for i := range pos.Joins {
		w := &pos.Joins[i]
		j := p.joinOf(w.Node)
		if j < 0 {
			return fmt.Errorf("%w: it has no join into %q", ErrGraphChanged, w.Node)
		}
		for _, name := range w.Arrived {
			if at, ok := p.index[name]; !ok || !slices.Contains(p.joins[j].from, at) {
				return fmt.Errorf("%w: its join into %s has no source %q, which has arrived", ErrGraphChanged, w.Node, name)
			}
		}
	}
	if len(pos.Next) == 0 && len(pos.Joins) > 0 {
		return p.stuck(&pos.Joins[0])
	}
	return nil
}

func (p *Planner) stuck(w *JoinWait) error {
	var missing []string
	for _, f := range p.joins[p.joinOf(w.Node)].from {
		if name := p.nodes[f].name; !slices.Contains(w.Arrived, name) {
			missing = append(missing, name)
		}
	}
	return fmt.Errorf("%w: %s waits for %q, and no other work is left", ErrJoinUnreachable, w.Node, missing)
}

// at is the index of a task's node, -1 when the graph has none of this name.
func (p *Planner) at(t *Task) int {
	if t.at != 0 {
		return t.at - 1
	}
	if i, ok := p.index[t.Node]; ok {
		return i
	}
	return -1
}

// resolve notes the index of every task's node in a position that has passed Check.
func (p *Planner) resolve(pos *Position) {
	for _, tasks := range [][]Task{pos.Next, pos.Deferred} {
		for i := range tasks {
			tasks[i].at = p.at(&tasks[i]) + 1
		}
	}
}

func (p *Planner) has(name string) bool {
	_, ok := p.index[name]
	return ok
}

func (p *Planner) joinOf(node string) int {
	return slices.IndexFunc(p.joins, func(j planJoin) bool { return p.nodes[j.to].name == node })
}

func (p *Planner) task(i int) Task { return Task{Node: p.nodes[i].name, at: i + 1} }

// branch is the index of an outcome, -1 when the route does not have it.
func (n *planNode) branch(outcome string) int {
	for i := range n.branches {
		if n.branches[i].outcome == outcome {
			return i
		}
	}
	return -1
}

// valid says whether a node may end with an outcome.
func (p *Planner) valid(at int, o *Outcome) error {
	n := &p.nodes[at]
	if o.Failure != nil {
		if n.handler == 0 {
			return fmt.Errorf("%w: %s has no error handler", ErrUndeclaredTarget, n.name)
		}
		return nil
	}
	if len(n.branches) > 0 && len(o.Goto) == 0 && n.branch(o.Route) < 0 {
		return fmt.Errorf("%w: %s -> %q", ErrUnknownOutcome, n.name, o.Route)
	}
	for _, name := range o.Goto {
		if !p.declared(n, name) {
			return fmt.Errorf("%w: %s -> %q", ErrUndeclaredTarget, n.name, name)
		}
	}
	for i := range o.Sends {
		if to := p.at(&o.Sends[i]); to < 0 || !p.nodes[to].work || !slices.Contains(n.targets, to) {
			return fmt.Errorf("%w: %s sends to %q", ErrUndeclaredTarget, n.name, o.Sends[i].Node)
		}
	}
	if !n.decides && len(o.Goto) == 0 && len(o.Sends) == 0 {
		return fmt.Errorf("%w: %s", ErrNoTarget, n.name)
	}
	return nil
}

// declared says whether n may go to name. A Work node is reached by a Send only.
func (p *Planner) declared(n *planNode, name string) bool {
	if name == endName {
		return slices.Contains(n.targets, endIndex)
	}
	i, ok := p.index[name]
	return ok && !p.nodes[i].work && slices.Contains(n.targets, i)
}
