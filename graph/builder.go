package graph

import (
	"fmt"
	"slices"
)

// A Reducer is a state S that folds updates U: it returns the next state and leaves the receiver, and everything
// that it can reach, unchanged. It must be deterministic. An error fails the task whose update it was.
type Reducer[S, U any] interface{ Apply(U) (S, error) }

// Simple is a state without an update of its own: a node returns the whole new value.
//
//	g := graph.New[graph.Simple[Draft]]("draft")
//	write := g.Node("write", func(ctx context.Context, s graph.Simple[Draft]) (Draft, error) { … })
//
// Any two tasks of one step conflict ([ErrConcurrentUpdate]), since each would replace the other's value.
type Simple[T any] struct{ Value T }

// Apply replaces the value.
func (Simple[T]) Apply(v T) (Simple[T], error) { return Simple[T]{v}, nil }

func (Simple[T]) replacesWhole() {}

// A Graph collects nodes and edges until [Graph.Compile] turns them into an [App]. It is not safe for concurrent use.
// Its methods report no errors: Compile reports all mistakes together.
type Graph[S Reducer[S, U], U any] struct {
	name     string
	identity *int
	nodes    []body[S, U]
	starts   []Node
	edges    []link
	joins    []joinSpec
	routes   []routeSpec
	mistakes []error
}

type link struct{ from, to Node }

type joinSpec struct {
	to   Node
	from []Node
}

// New returns an empty graph. U is inferred from the Apply method of S: graph.New[State]("name").
// The name appears in drawings and in the fingerprint; it must not be empty.
func New[S Reducer[S, U], U any](name string) *Graph[S, U] {
	g := &Graph[S, U]{name: name, identity: new(int)}
	if name == "" {
		g.mistake(fmt.Errorf("%w: the graph's name is empty", ErrName))
	}
	return g
}

func (g *Graph[S, U]) mistake(err error) { g.mistakes = append(g.mistakes, err) }

// Start says where every run begins; several nodes form the first step. Calls add up.
func (g *Graph[S, U]) Start(nodes ...Node) {
	for _, n := range nodes {
		switch {
		case !g.target(n, startName):
		case n.ref == endRef:
			g.mistake(fmt.Errorf("%w: %s -> %s", ErrEdge, startName, endName))
		default:
			g.starts = append(g.starts, n)
		}
	}
}

// Edge says that to always follows from. Several edges from one node fan out; a node that several edges reach
// in one step runs once in the next.
func (g *Graph[S, U]) Edge(from, to Node) {
	if !g.source(from, to.Name()) || !g.target(to, from.Name()) {
		return
	}
	if slices.Contains(g.edges, link{from, to}) {
		g.mistake(fmt.Errorf("%w: %s -> %s is given twice", ErrEdge, from.Name(), to.Name()))
		return
	}
	g.edges = append(g.edges, link{from, to})
}

// Join says that to runs once all of from have run since it ran last, in whatever steps they do.
// When no other work is left and one of them has not come, the run fails with [ErrJoinUnreachable].
func (g *Graph[S, U]) Join(to Node, from ...Node) {
	if !g.target(to, "join") {
		return
	}
	if to.ref == endRef {
		g.mistake(fmt.Errorf("%w: into %s", ErrJoin, endName))
		return
	}
	if len(from) == 0 {
		g.mistake(fmt.Errorf("%w: %s has no sources", ErrJoin, to.Name()))
	}
	if slices.ContainsFunc(g.joins, func(j joinSpec) bool { return j.to == to }) {
		g.mistake(fmt.Errorf("%w: %s has two", ErrJoin, to.Name()))
	}
	for i, n := range from {
		if !g.source(n, to.Name()) {
			return
		}
		if slices.Contains(from[:i], n) {
			g.mistake(fmt.Errorf("%w: %s names the source %s twice", ErrJoin, to.Name(), n.Name()))
		}
	}
	g.joins = append(g.joins, joinSpec{to, from})
}

// Targets declares where a [Graph.Dynamic] node may go; include [End] when it may end its path. Calls add up.
func (g *Graph[S, U]) Targets(from Node, to ...Node) {
	if !g.source(from, "targets") {
		return
	}
	b := &g.nodes[from.ref.index]
	if b.dynamic == nil {
		g.mistake(fmt.Errorf("%w: %s is not Dynamic", ErrTargets, from.Name()))
		return
	}
	for _, n := range to {
		if !g.owns(n, from.Name()) {
			continue
		}
		if b.allows(n.ref.index) {
			g.mistake(fmt.Errorf("%w: %s -> %s is given twice", ErrTargets, from.Name(), n.Name()))
			continue
		}
		b.targets = append(b.targets, n.ref.index)
	}
}

func (g *Graph[S, U]) owns(n Node, where string) bool {
	if n.ref != nil && (n.ref == endRef || n.ref.owner == g.identity) {
		return true
	}
	g.mistake(fmt.Errorf("%w: %q (at %s)", ErrForeignNode, n.Name(), where))
	return false
}

func (g *Graph[S, U]) source(n Node, where string) bool {
	if !g.owns(n, where) {
		return false
	}
	if n.ref == endRef {
		g.mistake(fmt.Errorf("%w: %s -> %s: nothing follows %s", ErrEdge, endName, where, endName))
		return false
	}
	return true
}

func (g *Graph[S, U]) target(n Node, where string) bool {
	if !g.owns(n, where) {
		return false
	}
	if g.isWork(n) {
		g.mistake(fmt.Errorf("%w: %s -> %s: a Work node runs by Send only", ErrEdge, where, n.Name()))
		return false
	}
	return true
}

func (g *Graph[S, U]) isWork(n Node) bool { return n.ref != endRef && g.nodes[n.ref.index].arg != nil }
