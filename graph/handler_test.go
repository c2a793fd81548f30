package graph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// rescue is a handler that leaves what it was told.
func rescue(_ context.Context, _ trail, f graph.Failure) (step, error) {
	return step{Path: []string{fmt.Sprintf("rescue %s attempt %d: %s", f.Task, f.Attempt, f.Error)}}, nil
}

// Rule 12: error handler node after the last attempt.
func TestAnErrorHandlerRunsAfterTheLastAttempt(t *testing.T) {
	calls := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) { calls++; return step{Path: []string{"never"}}, errBoom }, graph.Retry(3, nil))
		b := g.Node("b", say("b"))
		h := graph.Work(g, "rescue", rescue)
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
		g.OnError(a, h)
		g.Edge(h.Node, graph.End)
	})
	ctx := graph.WithClock(t.Context(), instant{})
	for name, invoke := range map[string]func() (graph.Result[trail], error){
		"in memory":   func() (graph.Result[trail], error) { return app.Invoke(ctx, step{}) },
		"on a thread": func() (graph.Result[trail], error) { return app.Thread("t").Invoke(ctx, step{}) },
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			res, err := invoke()
			require.NoError(t, err)
			assert.Equal(t, 3, calls)
			assert.Equal(t, []string{"rescue a attempt 3: boom"}, res.State.Path)
			assert.Equal(t, []string{"a", "rescue"}, res.Path)
		})
	}
}

// Rules 7, 12: a join does not wait for a source whose failure was handled. (In LangGraph a node that fails ends the run.)
func TestAJoinGoesOnOnceTheHandlerOfASourceHasRun(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		broken := true
		a, b := g.Node("a", failing("a", &broken)), g.Node("b", say("b"))
		sum := g.Node("sum", say("sum"))
		h := graph.Work(g, "rescue", rescue)
		g.Start(a, b)
		g.OnError(a, h)
		g.OnError(b, h)
		g.Join(sum, a, b)
		g.Edge(sum, graph.End)
	})
	var edges []string
	for _, ev := range streamOf(t, app, graph.Edges) {
		if ev.Kind == graph.EdgeTaken {
			edges = append(edges, ev.Edge.From+" "+ev.Edge.To+" "+ev.Edge.Label)
		}
	}
	assert.Equal(t, []string{"START a ", "START b ", "a rescue error", "b sum ", "sum END "}, edges)
	res, err := app.Thread("t").Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "rescue a attempt 1: boom", "sum"}, res.State.Path)
}

// Rules 13, 25: a handled failure is a result like any other: a resumed run does not run the task again.
func TestAHandledFailureIsKeptWhenASiblingStopsTheStep(t *testing.T) {
	broken := true
	j := new(graphtest.Journal)
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(ctx context.Context, _ trail) (step, error) { j.Note(ctx); return step{}, errBoom })
		b := g.Node("b", failing("b", &broken))
		h := graph.Work(g, "rescue", rescue)
		g.Start(a, b)
		g.OnError(a, h)
		g.Edge(a, graph.End)
		g.Edge(b, graph.End)
		g.Edge(h.Node, graph.End)
	})
	store := graph.NewMemoryStore()
	_, err := app.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	broken = false
	res, err := app.Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "rescue a attempt 1: boom"}, res.State.Path)
	assert.Equal(t, 1, j.Count("a"))
}

// Rule 12: the handler is told of panics and timeouts; a cancelled run is not handled.
func TestAHandlerIsToldOfPanicsButNotOfCancellation(t *testing.T) {
	var got graph.Failure
	ctx, cancel := context.WithCancel(t.Context())
	mode := "panic"
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(ctx context.Context, _ trail) (step, error) {
			if mode == "panic" {
				panic("oh")
			}
			cancel()
			return step{}, ctx.Err()
		})
		h := graph.Work(g, "rescue", func(_ context.Context, _ trail, f graph.Failure) (step, error) { got = f; return step{}, nil })
		g.Start(a)
		g.OnError(a, h)
		g.Edge(a, graph.End)
		g.Edge(h.Node, graph.End)
	})
	_, err := app.Invoke(ctx, step{})
	require.NoError(t, err)
	assert.Equal(t, graph.Failure{Node: "a", Task: "a", Step: 1, Attempt: 1, Error: "panic: oh", Panic: true}, got)
	mode = "cancel"
	_, err = app.Thread("t").Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	head, err := app.Thread("t").Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, head.Next, "it will run again")
}

// Rule 8: mistakes in handlers are found at Compile.
func TestCompileRefusesBadHandlers(t *testing.T) {
	g := graph.New[trail]("g")
	a := g.Node("a", say("a"))
	h := graph.Work(g, "rescue", rescue)
	g.Start(a)
	g.Edge(a, graph.End)
	g.OnError(a, h)
	g.OnError(a, h)
	g.OnError(h.Node, h)
	_, err := g.Compile()
	require.ErrorIs(t, err, graph.ErrHandler)
	assert.ErrorContains(t, err, "a has two")
	assert.ErrorContains(t, err, "rescue handles itself")
	require.ErrorIs(t, err, graph.ErrNoEnd, "nothing follows the handler")
}

// Rule 13: when one task of a parallel step fails, the policy says what the siblings do.
func TestThePolicySaysWhatTheSiblingsOfAFailedTaskDo(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		t.Run(fmt.Sprintf("cancel=%t", cancels), func(t *testing.T) {
			broken, seen := true, make(chan error, 1)
			begun, failed := make(chan struct{}), make(chan struct{})
			opts := []graph.Option{graph.MaxConcurrency(3)}
			if cancels {
				opts = append(opts, graph.CancelSiblings())
			}
			j := new(graphtest.Journal)
			app := compile(t, func(g *graph.Graph[trail, step]) {
				a := g.Node("a", func(ctx context.Context, s trail) (step, error) {
					defer func() {
						if broken {
							close(failed)
						}
					}()
					<-begun // a task that has not begun is not started any more
					return failing("a", &broken)(ctx, s)
				})
				b := g.Node("b", func(ctx context.Context, _ trail) (step, error) {
					if j.Note(ctx); j.Count("b") == 1 {
						close(begun)
					}
					<-failed
					if cancels && broken {
						<-ctx.Done()
						seen <- context.Cause(ctx)
						return step{}, ctx.Err()
					}
					return step{Path: []string{"b"}}, nil
				})
				for _, n := range []graph.Node{a, b} {
					g.Start(n)
					g.Edge(n, graph.End)
				}
			}, opts...)
			thread := app.Thread("t")
			_, err := thread.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, errBoom)
			var ne *graph.NodeError
			require.ErrorAs(t, err, &ne)
			assert.Equal(t, "a", ne.Node)
			assert.NotErrorIs(t, err, context.Canceled, "the sibling's own cancellation is no failure")
			if cancels {
				require.ErrorContains(t, <-seen, "another task")
			}
			broken = false
			res, err := thread.Resume(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{"a", "b"}, res.State.Path)
			assert.Equal(t, map[bool]int{false: 1, true: 2}[cancels], j.Count("b"), "resume runs only what did not finish")
		})
	}
}

// streamOf runs the graph and returns its events.
func streamOf(t *testing.T, app *graph.App[trail, step], modes graph.Mode) (events []graph.Event[trail, step]) {
	t.Helper()
	for ev, err := range app.Stream(t.Context(), step{}, modes) {
		if err != nil && !errors.Is(err, ev.Err) {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return events
}
