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

// twins runs a and b in one step, then c.
func twins(t testing.TB, a, b nodeFunc, opts ...graph.CompileOption) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		na, nb, c := g.Node("a", a), g.Node("b", b), g.Node("c", say("c"))
		g.Start(na, nb)
		g.Join(c, na, nb)
		g.Edge(c, graph.End)
	}, opts...)
}

// Rule 11.
func TestCancellingStopsTheNodesWaitsForThemKeepsWhatFinishedAndReturnsTheCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	errWhy := errors.New("the user pressed a key")
	finished := make(chan struct{})
	returned := false
	once := true
	app := twins(t,
		func(context.Context, trail) (step, error) {
			defer close(finished)
			return step{Path: []string{"a"}}, nil
		},
		func(ctx context.Context, _ trail) (step, error) {
			if !once {
				return step{Path: []string{"b"}}, nil
			}
			once = false
			<-finished
			cancel(errWhy)
			<-ctx.Done()
			returned = true
			return step{}, ctx.Err()
		}, graph.MaxConcurrency(2))
	thread := app.Thread("t")
	_, err := thread.Invoke(ctx, step{})
	require.Equal(t, errWhy, err)
	assert.True(t, returned)

	res, err := thread.Resume(t.Context())
	require.NoError(t, err, "a second run of a would close its channel twice")
	graphtest.Path(t, res.State.Path, "a", "b", "c")
}

// Rule 11.
func TestAFailureThatHasNothingToDoWithTheCancellationIsReportedBesideIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	app := twins(t,
		func(context.Context, trail) (step, error) { cancel(); return step{}, errBoom },
		func(ctx context.Context, _ trail) (step, error) { <-ctx.Done(); return step{}, ctx.Err() },
		graph.MaxConcurrency(2))
	_, err := app.Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, errBoom)
}

// Rule 11.
func TestADeadlineHoldsInAGraphThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		steps := 0
		app := endless(t, func(context.Context, trail) (step, error) {
			steps++
			time.Sleep(time.Second) // of the bubble's clock
			return step{}, nil
		}, graph.MaxSteps(1_000_000))
		_, err := app.Invoke(ctx, step{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.InDelta(t, 60, steps, 1)
	})
}

// Rule 11.
func TestARunWithACancelledContextChangesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	app := chain(t, nil, "a")
	_, err := app.Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	thread := app.Thread("t")
	_, err = thread.Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = thread.Resume(ctx)
	require.ErrorIs(t, err, context.Canceled)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.False(t, head.Exists)
}

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

// Rule 13.
func TestWhenOneTaskFailsItsSiblingsFinishAndAResumeRunsOnlyTheFailedOne(t *testing.T) {
	var j graphtest.Journal
	type reply = graphtest.Reply[step]
	app := twins(t,
		graphtest.Script[trail](&j, reply{Update: step{Path: []string{"a"}, Value: graph.To("kept")}}),
		graphtest.Script[trail](&j, reply{Err: errBoom}, reply{Panic: "worse"}, reply{Update: step{Path: []string{"b"}}}))
	thread := app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.ErrorIs(t, err, errBoom)
	graphtest.Path(t, res.State.Path, "in")
	assert.Empty(t, res.Path)
	_, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrPanic)
	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "in", "a", "b", "c")
	assert.Equal(t, "kept", res.State.Value)
	assert.Equal(t, 1, j.Count("a"))
	keys := map[string]bool{}
	for _, run := range j.Runs() {
		if run.Node == "b" {
			keys[run.Key] = true
		}
	}
	assert.Len(t, keys, 1, "the idempotency key is stable over resumes")
}

// Rule 13.
func TestAllFailuresOfAStepAreReportedInTaskOrder(t *testing.T) {
	other := errors.New("other")
	_, err := twins(t,
		func(context.Context, trail) (step, error) { return step{}, errBoom },
		func(context.Context, trail) (step, error) { return step{}, other }).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	require.ErrorIs(t, err, other)
	assert.Regexp(t, `(?s)node a .*boom.*node b .*other`, err.Error())
}

// Rule 13.
func TestANewInputGivesUpTheUnfinishedStepAndSaysSo(t *testing.T) {
	broken := true
	app := twins(t, say("a"), failing("b", &broken))
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"first"}})
	require.ErrorIs(t, err, errBoom)
	broken = false
	res, err := thread.Invoke(t.Context(), step{Path: []string{"second"}})
	require.NoError(t, err)
	assert.True(t, res.Discarded)
	graphtest.Path(t, res.State.Path, "first", "second", "a", "b", "c")

	broken = true
	_, err = thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	broken = false
	var kinds []graph.Kind
	for e, err := range thread.Stream(t.Context(), step{}, 0) {
		require.NoError(t, err)
		assert.True(t, e.Discarded)
		kinds = append(kinds, e.Kind)
	}
	assert.Equal(t, []graph.Kind{graph.RunStart, graph.RunEnd}, kinds)
	res, err = thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.False(t, res.Discarded, "the run before had ended")
}

// Rules 3 and 13.
func TestAThreadWithAConflictStaysReadableAndItsTasksRunAgain(t *testing.T) {
	both := true
	runs := map[string]int{}
	set := func(name string, always bool) nodeFunc {
		return func(context.Context, trail) (step, error) {
			runs[name]++
			u := step{Path: []string{name}}
			if always || both {
				u.Value = graph.To(name)
			}
			return u, nil
		}
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b, c := g.Node("a", set("a", true)), g.Node("b", set("b", false)), g.Node("c", say("c"))
		d := g.Node("d", func(context.Context, trail) (step, error) { runs["d"]++; return step{Path: []string{"d"}}, nil })
		g.Start(a, b, d)
		g.Join(c, a, b, d)
		g.Edge(c, graph.End)
	}, graph.MaxConcurrency(1))
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "d"}, head.Next)
	both = false
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b", "d", "c")
	assert.Equal(t, "a", res.State.Value)
	assert.Equal(t, map[string]int{"a": 2, "b": 2, "d": 1}, runs)
}

// Rules 12 and 13.
func TestAnUpdateThatDoesNotApplyFailsItsTaskAndRunsAgain(t *testing.T) {
	for name, build := range map[string]func(nodeFunc) *graph.App[trail, step]{
		"alone":    func(fn nodeFunc) *graph.App[trail, step] { return single(t, fn) },
		"parallel": func(fn nodeFunc) *graph.App[trail, step] { return twins(t, say("a"), fn) },
	} {
		t.Run(name, func(t *testing.T) {
			path := "poison"
			thread := build(func(context.Context, trail) (step, error) { return step{Path: []string{path}}, nil }).Thread("t")
			_, err := thread.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, errPoison)
			var ne *graph.NodeError
			require.ErrorAs(t, err, &ne)
			assert.Contains(t, []string{"n", "b"}, ne.Node)
			path = "fine"
			res, err := thread.Resume(t.Context())
			require.NoError(t, err)
			assert.Contains(t, res.State.Path, "fine")
		})
	}
}
