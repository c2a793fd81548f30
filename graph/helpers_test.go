package graph_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/graph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trail is the state of most tests: what ran, in the order of folding, and one plain value.
type trail struct {
	Path  []string `json:"path"`
	Value string   `json:"value"`
	Count int      `json:"count"`
}

type step struct {
	Path  []string          `json:"path,omitempty"`
	Value graph.Set[string] `json:"value,omitzero"`
	Other *int              `json:"other,omitempty"`
}

func (s trail) Apply(u step) (trail, error) {
	for _, p := range u.Path {
		if p == "poison" {
			return s, errPoison
		}
	}
	s.Path = graph.Append(s.Path, u.Path...)
	s.Value = u.Value.Or(s.Value)
	s.Count++
	return s, nil
}

var (
	errPoison = errors.New("poison")
	errBoom   = errors.New("boom")
)

// noon is when the clocks of tests begin.
var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

type nodeFunc = graph.NodeFunc[trail, step]

// say is a node that leaves its name.
func say(name string) nodeFunc {
	return func(context.Context, trail) (step, error) { return step{Path: []string{name}}, nil }
}

// failing is a node that fails while *broken.
func failing(name string, broken *bool) nodeFunc {
	return func(context.Context, trail) (step, error) {
		if *broken {
			return step{Path: []string{"never"}}, errBoom
		}
		return step{Path: []string{name}}, nil
	}
}

// chain is a graph of nodes one after another.
func chain(t testing.TB, opts []graph.Option, names ...string) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		var last graph.Node
		for i, name := range names {
			n := g.Node(name, say(name))
			if i == 0 {
				g.Start(n)
			} else {
				g.Edge(last, n)
			}
			last = n
		}
		g.Edge(last, graph.End)
	}, opts...)
}

// endless is one node that routes to itself for ever.
func endless(t testing.TB, fn nodeFunc, opts ...graph.Option) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("loop", fn)
		g.Start(n)
		graph.Route(g, n, func(trail) verdict { return again }, graph.Case(again, n), graph.Case(good, graph.End))
	}, opts...)
}
