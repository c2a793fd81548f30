package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Rules 7, 12: the join does not wait for a source whose failure was handled in the end.
func TestAHandlerOfAHandlerStandsInForBoth(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		broken := true
		a, b := g.Node("a", failing("a", &broken)), g.Node("b", say("b"))
		sum := g.Node("sum", say("sum"))
		h1 := graph.Work(g, "h1", func(context.Context, trail, graph.Failure) (step, error) { return step{}, errBoom })
		h2 := graph.Work(g, "h2", func(context.Context, trail, graph.Failure) (step, error) { return step{Path: []string{"h2"}}, nil })
		g.Start(a, b)
		g.OnError(a, h1)
		g.OnError(h1.Node, h2)
		g.Join(sum, a, b)
		g.Edge(h2.Node, graph.End)
		g.Edge(sum, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "h2", "sum"}, res.State.Path)
}

// Rules 7, 28: arrivals of other nodes do not complete a join.
func TestAJoinThatWasReachedByWhatIsNoSourceAnyMoreIsAChangedGraph(t *testing.T) {
	build := func(names ...string) *graph.App[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			start := g.Node("start", say("start"))
			a := g.Node("a", say("a"))
			b1 := g.Node("b1", say("b1"))
			b := g.Node("b", say("b"))
			c1 := g.Node("c1", say("c1"))
			c2 := g.Node("c2", say("c2"))
			c := g.Node("c", say("c"))
			sum := g.Node("sum", say("sum"))
			g.Start(start)
			g.Edge(start, a)
			g.Edge(start, b1)
			g.Edge(b1, b)
			g.Edge(start, c1)
			g.Edge(c1, c2)
			g.Edge(c2, c)
			by := map[string]graph.Node{"a": a, "b": b, "c": c}
			var from []graph.Node
			for _, n := range names {
				from = append(from, by[n])
			}
			g.Join(sum, from...)
			for n, node := range by {
				if !strings.Contains(strings.Join(names, ""), n) {
					g.Edge(node, graph.End)
				}
			}
			g.Edge(sum, graph.End)
		})
	}
	store := graph.NewMemoryStore()
	_, err := build("a", "b", "c").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{}, graph.MaxSteps(2))
	require.ErrorIs(t, err, graph.ErrStepLimit)
	_, err = build("b", "c").Thread("t", graph.WithStore(store), graph.AllowGraphChange()).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	require.ErrorContains(t, err, `no source "a"`)
}

// Rules 6, 7, 12: a join waits for the handlers of some Sends although another Send of the same node has reached it. (It used to
// run at once, and to wait for its other sources again when the handlers had run.)
func TestAJoinWaitsForTheHandlersOfSendsThatFailed(t *testing.T) {
	for name, opts := range map[string][]graph.NodeOption{"at once": nil, "deferred": {graph.Deferred()}} {
		t.Run(name, func(t *testing.T) {
			app := compile(t, func(g *graph.Graph[trail, step]) {
				var w graph.WorkNode[int]
				split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
					return graph.Command[step]{Sends: []graph.Send{w.Send(1), w.Send(2), w.Send(3)}}, nil
				})
				w = graph.Work(g, "w", func(_ context.Context, _ trail, n int) (step, error) {
					if n != 2 {
						return step{}, errBoom
					}
					return step{Path: []string{"w"}}, nil
				})
				h := graph.Work(g, "h", rescue, opts...)
				b, sum := g.Node("b", say("b")), g.Node("sum", say("sum"))
				last := g.Node("last", say("last"), graph.Deferred())
				g.Targets(split, w.Node)
				g.Start(split, b)
				g.OnError(w.Node, h)
				g.Join(sum, w.Node, b)
				g.Edge(sum, last)
				g.Edge(last, graph.End)
			})
			res, err := app.Invoke(t.Context(), step{})
			require.NoError(t, err)
			assert.Equal(t, []string{"split", "b", "w", "w", "w", "h", "h", "sum", "last"}, res.Path)
		})
	}
}
