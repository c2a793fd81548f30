package explore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/graph"
)

// A Flow is an edge of the explored graph: all transitions that took the same way.
type Flow struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Label       string `json:"label,omitzero"`
	Transitions int    `json:"transitions"`
}

func (f Flow) edge() graph.Edge { return graph.Edge{From: f.From, To: f.To, Label: f.Label} }

// Drawing is the explored graph, condensed: each node with the number of states before it, each edge with the number of
// transitions that took it. Edges that were taken are highlighted; those that no state takes have a 0.
func (r Report) Drawing() graph.Topology {
	t := graph.Topology{Name: r.topology.Name}
	called := func(node string) string {
		if !slices.Contains(r.topology.Nodes, node) {
			return node
		}
		return fmt.Sprintf("%s (%s)", node, count(r.places[node]))
	}
	for _, n := range r.topology.Nodes {
		t.Nodes = append(t.Nodes, called(n))
	}
	add := func(e graph.Edge, n int) graph.Edge {
		label := count(n)
		if e.Label != "" {
			label = e.Label + " " + label
		}
		drawn := graph.Edge{From: called(e.From), To: called(e.To), Label: label}
		t.Edges = append(t.Edges, drawn)
		return drawn
	}
	for _, f := range r.Flow {
		t.Taken = append(t.Taken, add(f.edge(), f.Transitions))
	}
	for _, e := range r.topology.Edges {
		if !slices.ContainsFunc(r.Flow, func(f Flow) bool { return f.edge() == e }) {
			add(e, 0)
		}
	}
	for _, n := range r.topology.Deferred {
		t.Deferred = append(t.Deferred, called(n))
	}
	for _, n := range r.topology.Joins {
		t.Joins = append(t.Joins, called(n))
	}
	slices.SortStableFunc(t.Edges, func(a, b graph.Edge) int { return cmp.Compare(order(t.Nodes, a.From), order(t.Nodes, b.From)) })
	return t
}

// order is the place of a node among all; the start is before them.
func order(nodes []string, name string) int { return slices.Index(nodes, name) }

// count is a number with commas between the thousands.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
