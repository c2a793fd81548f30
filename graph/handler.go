package graph

import (
	"errors"
	"fmt"
)

// A Failure is what a handler gets to know of the task that it stands in for. It is plain data.
type Failure struct {
	Node    string `json:"node"`    // that failed
	Task    string `json:"task"`    // its id within the step
	Step    int    `json:"step"`    // of the run, from 1
	Attempt int    `json:"attempt"` // the last one, from 1
	Error   string `json:"error"`   // what the last attempt returned
	Panic   bool   `json:"panic,omitzero"`
	Timeout bool   `json:"timeout,omitzero"` // it went over its Timeout
}

const errorLabel = "error"

// ErrHandler reports a node with two handlers, or one that handles its own failures.
var ErrHandler = errors.New("bad error handler")

// OnError lets handler run, in the next step, when a task of from has failed for good: after the last attempt of its [Retry],
// or at once. The run goes on; nothing that the task wrote stays, and its edges, route and Goto do not fire.
// What follows is said by the handler's edges; besides, once the handler has run, from counts as arrived at its joins. A handler
// may have a handler of its own, which then stands in for both.
// Several nodes may share a handler. A cancelled run, a [StepTimeout] and a failed save are not handled.
func (g *Graph[S, U]) OnError(from Node, handler WorkNode[Failure]) {
	if !g.source(from, errorLabel) || !g.owns(handler.Node, from.Name()) {
		return
	}
	b := &g.nodes[from.ref.index]
	switch {
	case b.handler > 0:
		g.mistake(fmt.Errorf("%w: %s has two", ErrHandler, from.Name()))
	case handler.Node == from:
		g.mistake(fmt.Errorf("%w: %s handles itself", ErrHandler, from.Name()))
	case g.nodes[handler.ref.index].arg == nil:
		g.mistake(fmt.Errorf("%w: %s of %s is no Work node", ErrHandler, handler.Name(), from.Name()))
	default:
		b.handler = handler.ref.index + 1
	}
}

// failure is what the handler of a failed task is told.
func failure(err error) *Failure {
	var n *NodeError
	if !errors.As(err, &n) {
		return &Failure{Error: err.Error()}
	}
	return &Failure{
		Node: n.Node, Task: n.Task, Step: n.Step, Attempt: n.Attempt, Error: n.Err.Error(),
		Panic: errors.Is(n.Err, ErrPanic), Timeout: errors.Is(n.Err, ErrTimeout),
	}
}
