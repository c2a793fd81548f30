package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Rule 3.
func TestTwoTasksOfOneStepThatSetTheSamePlainValueAreAnError(t *testing.T) {
	set := func(name string, u step) func(*graph.Graph[trail, step]) graph.Node {
		return func(g *graph.Graph[trail, step]) graph.Node {
			return g.Node(name, func(context.Context, trail) (step, error) { return u, nil })
		}
	}
	run := func(nodes ...func(*graph.Graph[trail, step]) graph.Node) error {
		_, err := compile(t, func(g *graph.Graph[trail, step]) {
			for _, add := range nodes {
				n := add(g)
				g.Start(n)
				g.Edge(n, graph.End)
			}
		}).Invoke(t.Context(), step{})
		return err
	}
	one := 1
	value, other, none := step{Value: graph.To("")}, step{Other: &one}, step{Path: []string{"x"}}

	err := run(set("a", value), set("b", none), set("c", value))
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	var c *graph.ConcurrentUpdateError
	require.ErrorAs(t, err, &c)
	assert.Equal(t, graph.ConcurrentUpdateError{Field: "Value", First: "a", Second: "c", Step: 1}, *c)
	assert.ErrorContains(t, err, "a and c both set Value")

	err = run(set("a", other), set("b", other))
	require.ErrorAs(t, err, &c)
	assert.Equal(t, "Other", c.Field, "a pointer is a plain value too")

	assert.NoError(t, run(set("a", value), set("b", other), set("c", none), set("d", none)))
}

type nested struct {
	Part struct {
		Deep graph.Set[int]
	}
}

type nestedState struct{ N int }

func (s nestedState) Apply(u nested) (nestedState, error) {
	s.N = u.Part.Deep.Or(s.N)
	return s, nil
}

// Rule 3.
func TestAConflictInANestedFieldNamesItsPath(t *testing.T) {
	app := compile(t, func(g *graph.Graph[nestedState, nested]) {
		for _, name := range []string{"a", "b"} {
			n := g.Node(name, func(context.Context, nestedState) (u nested, err error) {
				u.Part.Deep = graph.To(0)
				return u, nil
			})
			g.Start(n)
			g.Edge(n, graph.End)
		}
	})
	_, err := app.Invoke(t.Context(), nested{})
	var c *graph.ConcurrentUpdateError
	require.ErrorAs(t, err, &c)
	assert.Equal(t, "Part.Deep", c.Field)
}

// Rule 3.
func TestAnyTwoUpdatesOfASimpleStateConflict(t *testing.T) {
	build := func(nodes int) *graph.App[graph.Simple[string], string] {
		return compile(t, func(g *graph.Graph[graph.Simple[string], string]) {
			for i := range nodes {
				n := g.Node(fmt.Sprint(i), func(_ context.Context, s graph.Simple[string]) (string, error) { return s.Value + "!", nil })
				g.Start(n)
				g.Edge(n, graph.End)
			}
		})
	}
	res, err := build(1).Thread("t").Invoke(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, "hello!", res.State.Value)
	_, err = build(2).Invoke(t.Context(), "hello")
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	assert.ErrorContains(t, err, "the whole state")
}
