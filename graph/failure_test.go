package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// single is one node with options.
func single(t testing.TB, fn nodeFunc, opts ...graph.NodeOption) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", fn, opts...)
		g.Start(n)
		g.Edge(n, graph.End)
	})
}

// Rule 12.
func TestARetryRunsTheNodeAgainAndTheWritesOfFailedAttemptsVanish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts []int
		var keys []string
		start := time.Now()
		app := single(t, func(ctx context.Context, _ trail) (step, error) {
			info, ok := graph.InfoFrom(ctx)
			require.True(t, ok)
			attempts, keys = append(attempts, info.Attempt), append(keys, info.Key)
			u := step{Path: []string{fmt.Sprint("attempt ", info.Attempt)}}
			if info.Attempt < 3 {
				return u, errBoom
			}
			return u, nil
		}, graph.Retry(4, func(err error) bool { return errors.Is(err, errBoom) }), graph.Backoff(time.Second, 3*time.Second))
		res, err := app.Thread("t").Invoke(t.Context(), step{})
		require.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3}, attempts)
		assert.Equal(t, []string{"t/1/1/n", "t/1/1/n", "t/1/1/n"}, keys, "the key is stable over attempts")
		graphtest.Path(t, res.State.Path, "attempt 3")
		waited := time.Since(start)
		assert.True(t, waited >= 1500*time.Millisecond && waited <= 3*time.Second, "waited %v: half to all of 1 s, then of 2 s", waited)
	})
}

// Rule 12.
func TestTheLastAttemptsErrorNamesNodeTaskStepAndAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		app := single(t, func(context.Context, trail) (step, error) { calls++; return step{}, errBoom }, graph.Retry(3, nil))
		_, err := app.Invoke(t.Context(), step{})
		var ne *graph.NodeError
		require.ErrorAs(t, err, &ne)
		assert.Equal(t, graph.NodeError{Node: "n", Task: "n", Step: 1, Attempt: 3, Err: errBoom}, *ne)
		assert.Equal(t, 3, calls)
	})
}

// Rule 12.
func TestAnErrorThatThePredicateRefusesIsNotRetried(t *testing.T) {
	calls := 0
	app := single(t, func(context.Context, trail) (step, error) { calls++; return step{}, errBoom },
		graph.Retry(5, func(err error) bool { return !errors.Is(err, errBoom) }))
	_, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, 1, calls)
}

// Rule 12.
func TestCancellingEndsTheWaitBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		app := single(t, func(context.Context, trail) (step, error) { return step{}, errBoom },
			graph.Retry(5, nil), graph.Backoff(time.Hour, time.Hour))
		_, err := app.Invoke(ctx, step{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, errBoom)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

// Rule 12.
func TestANodesTimeoutCancelsTheAttemptAndNotTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		app := single(t, func(ctx context.Context, _ trail) (step, error) {
			if calls++; calls > 1 {
				return step{Path: []string{"n"}}, nil
			}
			<-ctx.Done()
			return step{}, ctx.Err()
		}, graph.Timeout(time.Second), graph.Retry(2, func(err error) bool { return errors.Is(err, graph.ErrTimeout) }))
		res, err := app.Invoke(t.Context(), step{})
		require.NoError(t, err)
		graphtest.Path(t, res.State.Path, "n")
	})
}

// Rule 12.
func TestATimeoutIsAnErrorOnlyWhenTheNodeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(err error) nodeFunc {
			return func(context.Context, trail) (step, error) { time.Sleep(time.Minute); return step{}, err }
		}
		_, err := single(t, slow(nil), graph.Timeout(time.Second)).Invoke(t.Context(), step{})
		require.NoError(t, err, "the work is done, if late")
		_, err = single(t, slow(errBoom), graph.Timeout(time.Second)).Invoke(t.Context(), step{})
		require.ErrorIs(t, err, graph.ErrTimeout)
		require.ErrorIs(t, err, errBoom)
	})
}

// Rule 12.
func TestAStepTimeoutCancelsAllTasksOfTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context, _ trail) (step, error) { <-ctx.Done(); return step{}, ctx.Err() }
		_, err := twins(t, wait, wait, graph.StepTimeout(time.Second), graph.MaxConcurrency(2)).Invoke(t.Context(), step{})
		require.ErrorIs(t, err, graph.ErrStepTimeout)
		assert.ErrorContains(t, err, "node a")
		assert.ErrorContains(t, err, "node b")
	})
}

// Rule 12.
func TestAPanicBecomesANodeErrorWithItsStack(t *testing.T) {
	explode := func(context.Context, trail) (step, error) { panic(errBoom) }
	for name, app := range map[string]*graph.App[trail, step]{
		"in a node":            single(t, explode),
		"in a parallel node":   twins(t, explode, say("b")),
		"never retried by nil": single(t, explode, graph.Retry(3, nil)),
		"in a route": compile(t, func(g *graph.Graph[trail, step]) {
			n := g.Node("a", say("a"))
			g.Start(n)
			graph.Route(g, n, func(trail) verdict { panic(errBoom) }, graph.Case(good, graph.End))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := app.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, graph.ErrPanic)
			require.ErrorIs(t, err, errBoom)
			var ne *graph.NodeError
			require.ErrorAs(t, err, &ne)
			assert.Contains(t, string(ne.Stack), "failure_test.go")
			assert.Equal(t, 1, ne.Attempt)
			assert.NotContains(t, err.Error(), "goroutine", "the text stays one sentence")
		})
	}
}

// Rule 12.
func TestAnOutcomeWithoutACaseFailsTheTask(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("a", say("a"))
		g.Start(n)
		graph.Route(g, n, func(trail) verdict { return "surprise" }, graph.Case(good, graph.End))
	})
	_, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrUnknownOutcome)
	assert.ErrorContains(t, err, `a -> "surprise"`)
}

// Rule 12.
func TestANodeThatEndsItsGoroutineFailsItsTaskAndNoOther(t *testing.T) {
	exit := func(context.Context, trail) (step, error) { runtime.Goexit(); return step{}, nil }
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b, c := g.Node("a", exit), g.Node("b", exit), g.Node("c", say("c"))
		g.Start(a, b, c)
		for _, n := range []graph.Node{a, b, c} {
			g.Edge(n, graph.End)
		}
	}, graph.MaxConcurrency(1))
	var ended []string
	var last error
	for e, err := range app.Stream(t.Context(), step{}, graph.Tasks) {
		if e.Kind == graph.TaskEnd {
			ended = append(ended, fmt.Sprint(e.Node, " ", e.Err == nil))
		}
		last = err
	}
	require.ErrorIs(t, last, graph.ErrGoexit)
	assert.Equal(t, []string{"a false", "b false", "c true"}, ended)
}
