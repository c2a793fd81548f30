package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// byValue is the key of most tests.
func byValue(s trail) string { return s.Value }

// cachedNode is a graph of one node with a cache; calls counts how often it ran.
func cachedNode(t testing.TB, calls *int, opts ...graph.NodeOption) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(_ context.Context, s trail) (step, error) {
			*calls++
			return step{Path: []string{fmt.Sprint(s.Value, *calls)}}, nil
		}, opts...)
		g.Start(n)
		g.Edge(n, graph.End)
	})
}

func invokeWith(ctx context.Context, t testing.TB, app *graph.App[trail, step], value string) []string {
	res, err := app.Invoke(ctx, step{Value: graph.To(value)})
	require.NoError(t, err)
	return res.State.Path
}

// Rule 16.
func TestANodeWithACacheRunsOncePerKeyInAllRunsAndThreadsOfItsApp(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(byValue, 0))
	assert.Equal(t, []string{"x1"}, invokeWith(t.Context(), t, app, "x"))
	assert.Equal(t, []string{"x1"}, invokeWith(t.Context(), t, app, "x"))
	assert.Equal(t, []string{"y2"}, invokeWith(t.Context(), t, app, "y"))
	res, err := app.Thread("t").Invoke(t.Context(), step{Value: graph.To("x")})
	require.NoError(t, err)
	assert.Equal(t, []string{"x1"}, res.State.Path)
	assert.Equal(t, 2, calls)

	other := cachedNode(t, &calls, graph.Cache(byValue, 0))
	assert.Equal(t, []string{"x3"}, invokeWith(t.Context(), t, other, "x"), "another App has a cache of its own")
}

func TestAnEmptyKeyIsNeitherLookedUpNorKept(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(byValue, 0))
	invokeWith(t.Context(), t, app, "")
	invokeWith(t.Context(), t, app, "")
	assert.Equal(t, 2, calls)
}

func TestACachedResultExpiresByTheClockOfTheRun(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(byValue, time.Minute))
	clock := graphtest.NewClock(noon)
	ctx := graph.WithClock(t.Context(), clock)
	invokeWith(ctx, t, app, "x")
	clock.Advance(time.Minute - 1)
	invokeWith(ctx, t, app, "x")
	assert.Equal(t, 1, calls, "a hit does not end the time")
	clock.Advance(1)
	invokeWith(ctx, t, app, "x")
	assert.Equal(t, 2, calls, "nor does it make it longer")
	invokeWith(ctx, t, app, "x")
	assert.Equal(t, 2, calls)
}

func TestTheLeastRecentlyUsedResultGoesWhenACacheIsFull(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(byValue, 0), graph.CacheSize(2))
	for _, key := range []string{"a", "b", "a", "c"} { // c drives b out
		invokeWith(t.Context(), t, app, key)
	}
	require.Equal(t, 3, calls)
	invokeWith(t.Context(), t, app, "a")
	invokeWith(t.Context(), t, app, "c")
	assert.Equal(t, 3, calls)
	invokeWith(t.Context(), t, app, "b")
	assert.Equal(t, 4, calls)
}

func TestACacheKeepsAThousandResultsByDefault(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(byValue, 0))
	for i := range 1001 {
		invokeWith(t.Context(), t, app, fmt.Sprint("k", i))
	}
	invokeWith(t.Context(), t, app, "k1")
	assert.Equal(t, 1001, calls)
	invokeWith(t.Context(), t, app, "k0")
	assert.Equal(t, 1002, calls)
}

// Rule 16: a failure that was cached would outlive its cause.
func TestFailuresAreNeverCached(t *testing.T) {
	calls := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(context.Context, trail) (step, error) {
			switch calls++; calls {
			case 1:
				return step{Path: []string{"never"}}, errBoom
			case 2:
				panic("never")
			case 3:
				return step{Path: []string{"poison"}}, nil // Apply refuses it
			}
			return step{Path: []string{"good"}}, nil
		}, graph.Cache(byValue, 0))
		g.Start(n)
		g.Edge(n, graph.End)
	})
	for _, want := range []error{errBoom, graph.ErrPanic, errPoison} {
		_, err := app.Invoke(t.Context(), step{Value: graph.To("x")})
		require.ErrorIs(t, err, want)
	}
	invokeWith(t.Context(), t, app, "x")
	invokeWith(t.Context(), t, app, "x")
	assert.Equal(t, 4, calls)
}

func TestATaskThatUsesOnceOrAskIsNeverCached(t *testing.T) {
	calls := 0
	body := func(ctx context.Context, s trail) (step, error) {
		calls++
		if s.Value == "once" {
			v, err := graph.Once(ctx, "k", func(context.Context) (string, error) { return "done", nil })
			return step{Path: []string{v}}, err
		}
		v, err := graph.Ask[string](ctx, "k", "?")
		return step{Path: []string{v}}, err
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", body, graph.Cache(byValue, 0))
		g.Start(n)
		g.Edge(n, graph.End)
	})
	invokeWith(t.Context(), t, app, "once")
	invokeWith(t.Context(), t, app, "once")
	assert.Equal(t, 2, calls)

	for i, answer := range []string{"yes", "no"} {
		thread := app.Thread(fmt.Sprint("t", i))
		res, err := thread.Invoke(t.Context(), step{Value: graph.To("ask")})
		require.NoError(t, err)
		require.Len(t, res.Interrupts, 1, "each task asks for itself")
		res, err = thread.Resume(t.Context(), graph.Reply(answer))
		require.NoError(t, err)
		assert.Equal(t, []string{answer}, res.State.Path)
	}
}

// Rule 16: a hit is marked in the stream.
func TestAHitIsMarkedInTheStreamAndCountsAsTheFirstAttempt(t *testing.T) {
	calls := 0
	app := cachedNode(t, &calls, graph.Cache(byValue, 0), graph.Retry(3, nil))
	for n, want := range []bool{false, true, true} {
		var ends []graph.Event[trail, step]
		for e, err := range app.Stream(t.Context(), step{Value: graph.To("x")}, graph.Tasks) {
			require.NoError(t, err)
			if e.Kind == graph.TaskEnd {
				ends = append(ends, e)
			}
		}
		require.Len(t, ends, 1)
		assert.Equal(t, want, ends[0].Cached, "run %d", n+1)
		assert.Equal(t, 1, ends[0].Attempt)
		assert.Equal(t, []string{"x1"}, ends[0].Update.Path)
		data, err := ends[0].MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, want, strings.Contains(string(data), `"cached":true`))
	}
}

// A value that two tasks share would be an alias over which one run disturbs another; LangGraph's InMemoryCache has to
// serialise for the same reason.
func TestNoTwoTasksShareTheMemoryOfACachedResult(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(context.Context, trail) (step, error) { return step{Other: new(1)}, nil }, graph.Cache(byValue, 0))
		g.Start(n)
		g.Edge(n, graph.End)
	})
	for range 3 {
		for e, err := range app.Stream(t.Context(), step{Value: graph.To("x")}, graph.Updates) {
			require.NoError(t, err)
			if e.Kind == graph.UpdateKind {
				assert.Equal(t, 1, *e.Update.Other)
				*e.Update.Other = 99
			}
		}
	}
}
