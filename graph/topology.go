package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// An Edge is one way from a node to the next, by names: "START" and "END" are the ends.
// Label is the outcome of a route, "goto" or "send" for the targets of a [Graph.Dynamic] node,
// "error" for the handler of its failures, otherwise empty.
type Edge struct{ From, To, Label string }

const (
	gotoLabel = "goto"
	sendLabel = "send"
)

// A Topology is what a graph looks like. It is plain data; change a copy as you like.
type Topology struct {
	Name     string
	Nodes    []string // in the order of their declaration, without START and END
	Edges    []Edge   // START's first, then by node; each once
	Deferred []string // nodes that wait until no other work is left
	Joins    []string // nodes that wait for all the sources of their join
	Taken    []Edge   // edges that a drawing highlights; see Highlight
}

// Highlight returns a copy whose drawings show the edges of a run, as the [EdgeTaken] events of its stream name them,
// and the nodes between them.
func (t Topology) Highlight(taken ...Edge) Topology {
	t.Taken = slices.Clone(taken)
	return t
}

func (t Topology) took(e Edge) bool { return slices.Contains(t.Taken, e) }

// visited says whether a highlighted edge touches the node.
func (t Topology) visited(node string) bool {
	return slices.ContainsFunc(t.Taken, func(e Edge) bool { return e.From == node || e.To == node })
}

func (g *Graph[S, U]) topology() Topology {
	t := Topology{Name: g.name}
	edges := make([][]Edge, len(g.nodes))
	add := func(from Node, to, label string) {
		edges[from.ref.index] = append(edges[from.ref.index], Edge{from.Name(), to, label})
	}
	for _, n := range g.starts {
		t.Edges = append(t.Edges, Edge{startName, n.Name(), ""})
	}
	for _, e := range g.edges {
		add(e.from, e.to.Name(), "")
	}
	for _, r := range g.routes {
		for _, b := range r.branches {
			for _, to := range b.to {
				add(r.from, to.Name(), b.outcome)
			}
		}
	}
	for _, j := range g.joins {
		t.Joins = append(t.Joins, j.to.Name())
		for _, from := range j.from {
			add(from, j.to.Name(), "")
		}
	}
	for i := range g.nodes {
		b := &g.nodes[i]
		t.Nodes = append(t.Nodes, b.ref.name)
		if b.deferred {
			t.Deferred = append(t.Deferred, b.ref.name)
		}
		for _, to := range b.targets {
			add(Node{b.ref}, g.nameOf(to), g.targetLabel(to))
		}
		if b.handler > 0 {
			add(Node{b.ref}, g.nameOf(b.handler-1), errorLabel)
		}
		for _, e := range edges[i] {
			if !slices.Contains(t.Edges, e) {
				t.Edges = append(t.Edges, e)
			}
		}
	}
	return t
}

func (g *Graph[S, U]) nameOf(i int) string {
	if i == endIndex {
		return endName
	}
	return g.nodes[i].ref.name
}

func (g *Graph[S, U]) targetLabel(i int) string {
	if i != endIndex && g.nodes[i].arg != nil {
		return sendLabel
	}
	return gotoLabel
}

// fingerprint tells topologies apart: names, their order, edges with labels, joins, deferred and work nodes.
func (g *Graph[S, U]) fingerprint(t Topology) string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q\n", t.Name)
	for i := range g.nodes {
		n := &g.nodes[i]
		fmt.Fprintf(&b, "node %q deferred=%t work=%t dynamic=%t\n", n.ref.name, n.deferred, n.arg != nil, n.dynamic != nil)
	}
	for _, e := range t.Edges {
		fmt.Fprintf(&b, "edge %q %q %q\n", e.From, e.To, e.Label)
	}
	for _, j := range g.joins {
		fmt.Fprintf(&b, "join %q", j.to.Name())
		for _, from := range j.from {
			fmt.Fprintf(&b, " %q", from.Name())
		}
		b.WriteByte('\n')
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}
