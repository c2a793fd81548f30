package graph_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

func TestACachedCommandKeepsItsGotoAndItsSendsWithTheirArguments(t *testing.T) {
	var splits, fetches atomic.Int32
	app := compile(t, func(g *graph.Graph[trail, step]) {
		fetch := graph.Work(g, "fetch", func(_ context.Context, _ trail, arg map[string]int) (step, error) {
			fetches.Add(1)
			return step{Path: []string{fmt.Sprint(arg)}}, nil
		})
		last := g.Node("last", say("last"))
		split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
			splits.Add(1)
			return graph.Command[step]{
				Update: step{Path: []string{"split"}}, Goto: []graph.Node{last},
				Sends: []graph.Send{fetch.Send(map[string]int{"a": 1}), fetch.Send(map[string]int{"b": 2})},
			}, nil
		}, graph.Cache(byValue, 0))
		g.Start(split)
		g.Targets(split, last, fetch.Node)
		g.Edge(last, graph.End)
		g.Edge(fetch.Node, graph.End)
	})
	want := []string{"split", "map[a:1]", "map[b:2]", "last"}
	for range 2 {
		assert.Equal(t, want, invokeWith(t.Context(), t, app, "x"), "in memory")
		res, err := app.Thread("t").Invoke(t.Context(), step{Value: graph.To("y")})
		require.NoError(t, err)
		assert.Equal(t, want, res.State.Path[len(res.State.Path)-4:], "on a thread")
	}
	assert.EqualValues(t, 2, splits.Load())
	assert.EqualValues(t, 8, fetches.Load(), "they have no cache")
}

func TestTheKeyOfAWorkNodeSeesTheArgument(t *testing.T) {
	var ran []int
	app := compile(t, func(g *graph.Graph[trail, step]) {
		square := graph.Work(g, "square", func(_ context.Context, _ trail, n int) (step, error) {
			ran = append(ran, n)
			return step{Path: []string{fmt.Sprint(n * n)}}, nil
		}, graph.CacheWork(func(_ trail, n int) string { return fmt.Sprint(n) }, 0))
		split := g.Dynamic("split", func(context.Context, trail) (c graph.Command[step], err error) {
			c.Sends = []graph.Send{square.Send(2), square.Send(3), square.Send(2)}
			return c, nil
		})
		g.Start(split)
		g.Targets(split, square.Node)
		g.Edge(square.Node, graph.End)
	}, graph.MaxConcurrency(1))
	assert.Equal(t, []string{"4", "9", "4"}, invokeWith(t.Context(), t, app, ""))
	assert.Equal(t, []int{2, 3}, ran)
}

func TestARouteIsAskedAnewOnAHit(t *testing.T) {
	calls := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(context.Context, trail) (step, error) { calls++; return step{}, nil }, graph.Cache(byValue, 0))
		last := g.Node("last", say("last"))
		g.Start(n)
		graph.Route(g, n, func(s trail) verdict {
			if s.Count < 4 {
				return again
			}
			return good
		}, graph.Case(again, n), graph.Case(good, last))
		g.Edge(last, graph.End)
	})
	assert.Equal(t, []string{"last"}, invokeWith(t.Context(), t, app, "x"))
	assert.Equal(t, 1, calls)
}

func TestTwoTasksWithTheSameNewKeyAtTheSameTimeBothRun(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	app := compile(t, func(g *graph.Graph[trail, step]) {
		w := graph.Work(g, "w", func(_ context.Context, _ trail, n int) (step, error) {
			both.Done()
			both.Wait() // for ever, if one of them waited for the other
			return step{Path: []string{fmt.Sprint(n)}}, nil
		}, graph.CacheWork(func(trail, int) string { return "same" }, 0))
		split := g.Dynamic("split", func(context.Context, trail) (c graph.Command[step], err error) {
			c.Sends = []graph.Send{w.Send(1), w.Send(2)}
			return c, nil
		})
		g.Start(split)
		g.Targets(split, w.Node)
		g.Edge(w.Node, graph.End)
	}, graph.MaxConcurrency(2))
	assert.Equal(t, []string{"1", "2"}, invokeWith(t.Context(), t, app, ""))
	hit := invokeWith(t.Context(), t, app, "")
	assert.Equal(t, hit[0], hit[1], "from then on there is one")
}

func TestAPanicInACacheKeyIsAFailureOfItsNode(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(func(trail) string { panic("no key") }, 0))
	_, err := app.Invoke(t.Context(), step{})
	var failed *graph.NodeError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, graph.ErrPanic)
	assert.Equal(t, "n", failed.Node)
	assert.Zero(t, calls)
}

func TestAResultThatCannotBeEncodedForTheCacheFailsItsTask(t *testing.T) {
	app := func() *graph.App[graph.Simple[float64], float64] {
		g := graph.New[graph.Simple[float64]]("g")
		n := g.Node("n", func(context.Context, graph.Simple[float64]) (float64, error) { return math.NaN(), nil },
			graph.Cache(func(graph.Simple[float64]) string { return "k" }, 0))
		g.Start(n)
		g.Edge(n, graph.End)
		app, err := g.Compile()
		require.NoError(t, err)
		return app
	}()
	_, err := app.Invoke(t.Context(), 1)
	assert.ErrorContains(t, err, "encode the result for the cache")
}

func TestCompileRefusesACacheThatDoesNotFitItsNode(t *testing.T) {
	plain := func(context.Context, trail) (step, error) { return step{}, nil }
	work := func(context.Context, trail, int) (step, error) { return step{}, nil }
	child := chain(t, nil, "a")
	byArg := func(trail, int) string { return "" }
	for name, declare := range map[string]func(g *graph.Graph[trail, step]) graph.Node{
		"another state type": func(g *graph.Graph[trail, step]) graph.Node {
			return g.Node("n", plain, graph.Cache(func(string) string { return "" }, 0))
		},
		"no key":                    func(g *graph.Graph[trail, step]) graph.Node { return g.Node("n", plain, graph.Cache[trail](nil, 0)) },
		"CacheWork of a plain node": func(g *graph.Graph[trail, step]) graph.Node { return g.Node("n", plain, graph.CacheWork(byArg, 0)) },
		"a sub-graph": func(g *graph.Graph[trail, step]) graph.Node {
			return graph.Inline(g, "n", child, graph.Cache(byValue, 0))
		},
		"Cache of a Work node": func(g *graph.Graph[trail, step]) graph.Node {
			return graph.Work(g, "n", work, graph.Cache(byValue, 0)).Node
		},
		"another argument": func(g *graph.Graph[trail, step]) graph.Node {
			return graph.Work(g, "n", work, graph.CacheWork(func(trail, string) string { return "" }, 0)).Node
		},
		"another state of a Work node": func(g *graph.Graph[trail, step]) graph.Node {
			return graph.Work(g, "n", work, graph.CacheWork(func(string, int) string { return "" }, 0)).Node
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New[trail]("g")
			declare(g)
			_, err := g.Compile()
			assert.ErrorIs(t, err, graph.ErrCache)
			assert.ErrorContains(t, err, `node "n"`)
		})
	}
	for name, opt := range map[string]graph.NodeOption{"ttl": graph.Cache(byValue, -1), "size": graph.CacheSize(0)} {
		t.Run(name, func(t *testing.T) {
			g := graph.New[trail]("g")
			g.Node("n", plain, opt)
			_, err := g.Compile()
			assert.ErrorIs(t, err, graph.ErrLimit)
		})
	}
}
