package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// Names that drawings, edges and positions use for the two ends of a graph. No node may have them.
const (
	startName = "START"
	endName   = "END"
)

// A Node is a handle on a node of one graph. Handles are comparable; the zero Node belongs to no graph.
type Node struct{ ref *nodeRef }

type nodeRef struct {
	owner *int // identity of the graph; nil for End
	name  string
	index int // order of declaration
}

// End is where a path of a run ends. It may be a target, never a source, and belongs to every graph.
var End = Node{ref: endRef}

var endRef = &nodeRef{name: endName, index: endIndex}

// Name is the name that the node was declared with, "END" for [End], "" for the zero Node.
func (n Node) Name() string {
	if n.ref == nil {
		return ""
	}
	return n.ref.name
}

// A NodeFunc is the body of a node: it reads a state and returns an update. It must not change memory that the state
// can reach, must return when ctx is done, and may run again after a failure or a crash.
type NodeFunc[S, U any] func(context.Context, S) (U, error)

// A Command is what a [Graph.Dynamic] node returns: an update and where to go. All three fields may be empty.
type Command[U any] struct {
	Update U
	Goto   []Node // replaces the static edges, route and joins of the node; every one must be a declared target
	Sends  []Send // one task each in the next step, besides Goto or the static edges
}

// A Send is one task for a [Work] node, with its own argument. [WorkNode.Send] makes one.
type Send struct {
	ref *nodeRef
	arg any
}

// A WorkNode is a node that runs once for every [Send], each with its private argument.
// Its embedded Node is the handle for edges and targets.
type WorkNode[Arg any] struct{ Node }

// Send asks for one task with the argument arg. With a store, arg must survive JSON like the state does.
func (w WorkNode[Arg]) Send(arg Arg) Send { return Send{ref: w.ref, arg: arg} }

// body is what a node runs; exactly one of plain, dynamic, inline and work is set.
type body[S, U any] struct {
	ref     *nodeRef
	plain   NodeFunc[S, U]
	dynamic func(context.Context, S) (Command[U], error)
	inline  func(context.Context, S) ([]U, error) // a graph on the same state
	sub     bool                                  // it runs a graph, whose threads belong to it
	version int                                   // of the state of an inline graph
	work    func(context.Context, S, any) (U, error)
	pick    func(*S) string // of its route; nil without
	nodeOptions

	arg       reflect.Type // of a Work node
	decodeArg func(json.RawMessage) (any, error)
	handler   int           // 1 + index of the node that handles failures; 0 = none
	targets   []int         // of a Dynamic node; endIndex for End
	cache     *nodeCache[S] // of an App; nil without
}

func (b *body[S, U]) allows(index int) bool {
	for _, t := range b.targets {
		if t == index {
			return true
		}
	}
	return false
}

// Node declares a node. Mistakes (an empty, used or reserved name, a nil fn) are reported by [Graph.Compile].
// The order of declaration is the order in which parallel updates are folded.
func (g *Graph[S, U]) Node(name string, fn NodeFunc[S, U], opts ...NodeOption) Node {
	if fn == nil {
		g.mistake(fmt.Errorf("%w: node %q", ErrNilFunc, name))
	}
	return g.add(name, body[S, U]{plain: fn}, opts)
}

// Dynamic declares a node that also says what follows it. Where it may go is declared with [Graph.Targets];
// its static edges, route and joins fire when its command has no Goto.
func (g *Graph[S, U]) Dynamic(name string, fn func(context.Context, S) (Command[U], error), opts ...NodeOption) Node {
	if fn == nil {
		g.mistake(fmt.Errorf("%w: node %q", ErrNilFunc, name))
	}
	return g.add(name, body[S, U]{dynamic: fn}, opts)
}

// Work declares a node that runs once for every [Send] to it. No plain edge may lead into it.
// It is a function because Go has no generic methods.
func Work[S Reducer[S, U], U, Arg any](g *Graph[S, U], name string, fn func(context.Context, S, Arg) (U, error), opts ...NodeOption) WorkNode[Arg] {
	if fn == nil {
		g.mistake(fmt.Errorf("%w: node %q", ErrNilFunc, name))
	}
	b := body[S, U]{
		work: func(ctx context.Context, s S, arg any) (U, error) { return fn(ctx, s, typed[Arg](arg)) },
		arg:  reflect.TypeFor[Arg](),
		decodeArg: func(data json.RawMessage) (any, error) {
			var arg Arg
			err := json.Unmarshal(data, &arg)
			return arg, err
		},
	}
	return WorkNode[Arg]{g.add(name, b, opts)}
}

func (g *Graph[S, U]) add(name string, b body[S, U], opts []NodeOption) Node {
	if why := badName(name); why != "" {
		g.mistake(fmt.Errorf("%w: node %q: %s", ErrName, name, why))
	}
	for i := range g.nodes {
		if g.nodes[i].ref.name == name {
			g.mistake(fmt.Errorf("%w: node %q is declared twice", ErrName, name))
			break
		}
	}
	for _, opt := range opts {
		if err := opt(&b.nodeOptions); err != nil {
			g.mistake(fmt.Errorf("node %q: %w", name, err))
		}
	}
	b.ref = &nodeRef{owner: g.identity, name: name, index: len(g.nodes)}
	g.nodes = append(g.nodes, b)
	return Node{b.ref}
}

func badName(name string) string {
	switch name {
	case "":
		return "it is empty"
	case startName, endName:
		return "it is reserved"
	}
	for _, r := range name {
		if r == '#' || r == '/' || r == '"' || r == '\\' || r < ' ' {
			return "the character " + strconv.QuoteRune(r) + " is not allowed"
		}
	}
	return ""
}

// typed is arg as an Arg; a nil of an interface type comes back as nil.
func typed[Arg any](arg any) Arg {
	a, _ := arg.(Arg)
	return a
}
