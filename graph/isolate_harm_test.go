package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// A sloppy state appends as one would in any other program.
type sloppy struct {
	Log []string `json:"log"`
}

func (s sloppy) Apply(words []string) (sloppy, error) {
	s.Log = append(s.Log, words...)
	return s, nil
}

// twoViews runs two nodes in one step, with a route each that says what its node's own view of the state was.
func twoViews(t testing.TB, views map[string][]string, opts ...graph.Option) *graph.App[sloppy, []string] {
	return compile(t, func(g *graph.Graph[sloppy, []string]) {
		begin := g.Node("begin", func(context.Context, sloppy) ([]string, error) { return []string{"3"}, nil })
		g.Start(begin)
		for _, name := range []string{"a", "b"} {
			n := g.Node(name, func(context.Context, sloppy) ([]string, error) { return []string{name}, nil })
			g.Edge(begin, n)
			graph.Route(g, n, func(s sloppy) verdict { views[name] = s.Log; return good }, graph.Case(good, graph.End))
		}
	}, append(opts, graph.MaxConcurrency(1))...)
}

// Why Apply must not append into spare capacity: each task's router sees the state with its own update applied, and both
// views lie in the same memory. Three elements lie in a slice that has room for a fourth.
func TestAPlainAppendInApplyCorruptsWhatASiblingHasSeenAndIsolateFindsIt(t *testing.T) {
	in := make([]string, 2, 8)
	copy(in, []string{"1", "2"})
	views := map[string][]string{}
	_, err := twoViews(t, views).Invoke(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3", "a"}, views["a"])
	require.Equal(t, []string{"1", "2", "3", "a"}, views["b"], "the corruption that Isolate is for has gone: the test is blind")

	_, err = twoViews(t, views, graph.Isolate()).Invoke(t.Context(), in)
	require.ErrorIs(t, err, graph.ErrImpureApply)
	assert.ErrorContains(t, err, "Log behind its last element")
}
