package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 7.
func TestADeferredNodeRunsOnceWhenNoOtherWorkIsLeft(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		last := g.Node("last", say("last"), graph.Deferred())
		a, b, c := g.Node("a", say("a")), g.Node("b", say("b")), g.Node("c", say("c"))
		g.Start(a, b)
		for _, n := range []graph.Node{a, b} {
			g.Edge(n, last)
		}
		g.Edge(b, c)
		g.Edge(c, last)
		g.Edge(last, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a", "b", "c", "last")
}

// Rule 7.
func TestAJoinWaitsForAllItsSources(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		sum := g.Node("sum", say("sum"))
		a, b, b2 := g.Node("a", say("a")), g.Node("b", say("b")), g.Node("b2", say("b2"))
		g.Start(a, b)
		g.Edge(b, b2)
		g.Join(sum, a, b2)
		g.Edge(sum, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a", "b", "b2", "sum")
}

// Rule 7.
func TestAJoinWhoseSourceNeverComesEndsTheRunWithItsName(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		sum, a, b := g.Node("sum", say("sum")), g.Node("a", say("a")), g.Node("b", say("b"))
		g.Start(a)
		graph.Route(g, a, func(trail) verdict { return good }, graph.Case(good, graph.End), graph.Case(again, b))
		g.Join(sum, a, b)
		g.Edge(sum, graph.End)
	})
	thread := app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrJoinUnreachable)
	assert.ErrorContains(t, err, `sum waits for ["b"]`)
	graphtest.Path(t, res.State.Path, "a")
	_, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrJoinUnreachable, "a resume finds the same and runs nothing")
	res, err = thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrJoinUnreachable)
	assert.True(t, res.Discarded)
}

// Rule 7.
func TestAJoinThatHasRunWaitsForAllItsSourcesAgain(t *testing.T) {
	rounds := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		sum, a, b := g.Node("sum", say("sum")), g.Node("a", say("a")), g.Node("b", say("b"))
		g.Start(a, b)
		g.Join(sum, a, b)
		graph.Route(g, sum, func(trail) verdict {
			if rounds++; rounds < 3 {
				return again
			}
			return good
		}, graph.Case(again, a, b), graph.Case(good, graph.End))
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a", "b", "sum", "a", "b", "sum", "a", "b", "sum")
}
