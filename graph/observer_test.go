package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// spans is an observer that notes what it is told, indented by what the context says about the spans around.
type spans struct {
	mu    sync.Mutex
	lines []string
	open  int
}

type depthKey struct{}

func (o *spans) Start(ctx context.Context, s graph.Span) context.Context {
	depth, _ := ctx.Value(depthKey{}).(int)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open++
	o.lines = append(o.lines, strings.Repeat("  ", depth)+tellSpan(s))
	return context.WithValue(ctx, depthKey{}, depth+1)
}

func (o *spans) End(ctx context.Context, s graph.Span, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open--
	depth := ctx.Value(depthKey{}).(int)
	line := strings.Repeat("  ", depth-1) + "/" + tellSpan(s)
	if s.Kind == graph.RunSpan {
		line += fmt.Sprintf(" %d steps", s.Steps)
	}
	if s.Retried {
		line += " retried"
	}
	if len(s.Interrupts) > 0 {
		line += " waits for " + s.Interrupts[0].Text()
	}
	if err != nil {
		line += ": " + err.Error()
	}
	o.lines = append(o.lines, line)
}

func tellSpan(s graph.Span) string {
	line := fmt.Sprintf("%s %s %d", s.Kind, s.Graph, s.Step)
	if s.Kind == graph.TaskSpan {
		line += fmt.Sprintf(" %s/%d", s.Task, s.Attempt)
	}
	if s.Resumed {
		line += " resumed"
	}
	return line
}

// Rule 31: spans of run, step and attempt; a retry is a span of its own.
func TestAnObserverSeesRunsStepsAndAttempts(t *testing.T) {
	o := &spans{}
	_, err := talker(t).Thread("t").Invoke(t.Context(), step{}, graph.Observe(o))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"run bench 0",
		"  step bench 1",
		"    task bench 1 a/1",
		"    /task bench 1 a/1 retried: node a (step 1, attempt 1): boom",
		"    task bench 1 a/2",
		"    /task bench 1 a/2",
		"  /step bench 1",
		"  step bench 2",
		"    task bench 2 b/1",
		"    /task bench 2 b/1",
		"  /step bench 2",
		"/run bench 0 2 steps",
	}, o.lines)
}

// Rules 7 and 31: the spans of a sub-graph lie in that of its task.
func TestAnObserverOfARunSeesItsSubGraphs(t *testing.T) {
	o := &spans{}
	_, err := around(t, adder(t, one)).Thread("t").Invoke(t.Context(), step{}, graph.Observe(o))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"  step bench 2",
		"    task bench 2 child/1",
		"      run bench 0",
		"        step bench 1",
		"          task bench 1 double/1",
		"          /task bench 1 double/1",
		"        /step bench 1",
		"        step bench 2",
		"          task bench 2 second/1",
		"          /task bench 2 second/1",
		"        /step bench 2",
		"      /run bench 0 2 steps",
		"    /task bench 2 child/1",
		"  /step bench 2",
	}, o.lines[5:19])
}

// Rules 18 and 31: who waits has not failed.
func TestAnInterruptIsNoErrorToAnObserver(t *testing.T) {
	o := &spans{}
	app := single(t, func(ctx context.Context, _ trail) (step, error) {
		answer, err := graph.Ask[string](ctx, "name", "who?")
		return step{Path: []string{answer}}, err
	})
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{}, graph.Observe(o))
	require.NoError(t, err)
	_, err = thread.Resume(t.Context(), graph.Reply("me"), graph.Observe(o))
	require.NoError(t, err)
	name := strings.Fields(o.lines[2])[3]
	assert.Equal(t, []string{
		"run bench 0", "  step bench 1", "    task bench 1 " + name,
		"    /task bench 1 " + name + " waits for who?", "  /step bench 1 waits for who?", "/run bench 0 0 steps waits for who?",
		"run bench 0 resumed", "  step bench 1 resumed", "    task bench 1 " + name + " resumed",
		"    /task bench 1 " + name + " resumed", "  /step bench 1 resumed", "/run bench 0 resumed 1 steps",
	}, o.lines)
}

// Rule 31: whatever a node does, each span that begins ends, once.
func TestEverySpanEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, node := range map[string]nodeFunc{
		"fails":    func(context.Context, trail) (step, error) { return step{}, errBoom },
		"panics":   func(context.Context, trail) (step, error) { panic("boom") },
		"poisons":  func(context.Context, trail) (step, error) { return step{Path: []string{"poison"}}, nil },
		"goexits":  func(context.Context, trail) (step, error) { runtime.Goexit(); return step{}, nil },
		"cancels":  func(ctx context.Context, _ trail) (step, error) { cancel(); <-ctx.Done(); return step{}, ctx.Err() },
		"succeeds": say("x"),
	} {
		o := &spans{}
		app := twins(t, node, say("b"), graph.Observe(o), graph.MaxConcurrency(2))
		for range app.Thread("t").Stream(ctx, step{}, 0) {
		}
		assert.Zero(t, o.open, name)
		if name != "cancels" || len(o.lines) > 0 {
			assert.Equal(t, 1, strings.Count(strings.Join(o.lines, "\n"), "/run bench"), name)
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
	}
	o := &spans{}
	assert.Panics(t, func() {
		for e := range chain(t, nil, "a", "b").Stream(t.Context(), step{}, graph.Values, graph.Observe(o)) {
			if e.Kind == graph.ValuesKind {
				panic("consumer")
			}
		}
	})
	assert.Zero(t, o.open)
	assert.Contains(t, o.lines[len(o.lines)-1], "panicked")
}

// Rule 31.
func TestANodeGetsTheContextOfItsSpan(t *testing.T) {
	o := &spans{}
	var depth any
	node := func(ctx context.Context, _ trail) (step, error) {
		depth = ctx.Value(depthKey{})
		info, ok := graph.InfoFrom(ctx)
		assert.True(t, ok)
		assert.Equal(t, 1, info.Step)
		return step{}, graph.Charge(ctx, "tokens", 2)
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", node)
		g.Start(a)
		g.Edge(a, graph.End)
	}, graph.StepTimeout(time.Hour), graph.Observe(o))
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, 3, depth)
	assert.Equal(t, map[string]int64{"tokens": 2}, res.Charged)
	_, err = app.Invoke(t.Context(), step{}, graph.Observe())
	require.NoError(t, err)
	assert.Nil(t, depth, "an empty Observe turns what was compiled off")
}

// Rule 31.
func TestSeveralObserversNestEachWithItsOwnContext(t *testing.T) {
	first, second := &spans{}, &spans{}
	_, err := chain(t, nil, "a").Invoke(t.Context(), step{}, graph.Observe(first, second))
	require.NoError(t, err)
	assert.Equal(t, "run bench 0", first.lines[0])
	assert.Equal(t, "  run bench 0", second.lines[0], "within the first one's context")
	assert.Equal(t, "/run bench 0 1 steps", first.lines[5])
	assert.Equal(t, "  /run bench 0 1 steps", second.lines[5])
	_, err = chain(t, nil, "a").Invoke(t.Context(), step{}, graph.Observe(first, nil))
	require.ErrorIs(t, err, graph.ErrNilFunc)
}

// broken is an observer that panics at its n-th call.
type broken struct {
	mu    sync.Mutex
	calls int
	n     int
}

func (o *broken) call() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.calls++; o.calls == o.n {
		panic("observer")
	}
}

func (o *broken) Start(context.Context, graph.Span) context.Context { o.call(); return nil }
func (o *broken) End(context.Context, graph.Span, error)            { o.call() }

// Rule 31: a panic in an observer disturbs no run, and is told.
func TestAnObserverThatPanicsDisturbsNoRunAndIsReported(t *testing.T) {
	for n := 1; n <= 10; n++ { // of a run with two steps
		app := chain(t, nil, "a", "b")
		o := &broken{n: n}
		res, err := app.Thread("t").Invoke(t.Context(), step{}, graph.Observe(o))
		var panicked *graph.ObserverError
		require.ErrorAs(t, err, &panicked)
		require.ErrorIs(t, err, graph.ErrPanic)
		assert.Contains(t, string(panicked.Stack), "observer_test.go")
		assert.Equal(t, []string{"a", "b"}, res.State.Path)
		assert.Equal(t, n, o.calls, "it is not called again")
		head, err := app.Thread("t").Head(t.Context())
		require.NoError(t, err)
		assert.True(t, head.Done)
	}
	_, err := around(t, adder(t, one)).Invoke(t.Context(), step{}, graph.Observe(&broken{n: 9}))
	var panicked *graph.ObserverError
	require.ErrorAs(t, err, &panicked)
	var node *graph.NodeError
	require.False(t, errors.As(err, &node), "within a sub-graph it fails no node")

	fails := true
	_, err = twins(t, failing("a", &fails), say("b")).Invoke(t.Context(), step{}, graph.Observe(&broken{n: 1}))
	require.ErrorIs(t, err, errBoom)
	require.ErrorAs(t, err, &panicked)
}

// Rule 31: parallel tasks, under the race detector.
func TestAnObserverIsToldOfParallelTasks(t *testing.T) {
	o := &spans{}
	app := twins(t, say("a"), say("b"), graph.MaxConcurrency(2), graph.Observe(o))
	for e, err := range app.Stream(t.Context(), step{}, graph.Debug) {
		require.NoError(t, err)
		_ = e
	}
	assert.Zero(t, o.open)
	assert.Len(t, o.lines, 2*(1+2+3))
}

// Rule 31: logs have constant messages and snake_case keys.
func TestLogWritesRunsStepsAndAttempts(t *testing.T) {
	logged := func(level slog.Level, app *graph.App[trail, step]) string {
		var b bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{
			Level: level,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				switch a.Key {
				case slog.TimeKey:
					return slog.Attr{}
				case "duration":
					return slog.String("duration", "D")
				}
				return a
			},
		}))
		_, err := app.Thread("t").Invoke(t.Context(), step{}, graph.Observe(graph.Log(logger)))
		if err != nil {
			require.ErrorIs(t, err, errBoom)
		}
		return b.String()
	}
	assert.Equal(t, strings.TrimLeft(`
level=INFO msg="run started" graph=bench thread=t run=1 step=0
level=DEBUG msg="step started" graph=bench thread=t run=1 step=1 tasks=1
level=DEBUG msg="task started" graph=bench thread=t run=1 step=1 node=a task=a attempt=1
level=WARN msg="task failed" graph=bench thread=t run=1 step=1 node=a task=a attempt=1 duration=D retried=true error="node a (step 1, attempt 1): boom"
level=DEBUG msg="task started" graph=bench thread=t run=1 step=1 node=a task=a attempt=2
level=DEBUG msg="task ended" graph=bench thread=t run=1 step=1 node=a task=a attempt=2 duration=D
level=DEBUG msg="step ended" graph=bench thread=t run=1 step=1 tasks=1 duration=D
level=DEBUG msg="step started" graph=bench thread=t run=1 step=2 tasks=1
level=DEBUG msg="task started" graph=bench thread=t run=1 step=2 node=b task=b attempt=1
level=DEBUG msg="task ended" graph=bench thread=t run=1 step=2 node=b task=b attempt=1 duration=D
level=DEBUG msg="step ended" graph=bench thread=t run=1 step=2 tasks=1 duration=D
level=INFO msg="run ended" graph=bench thread=t run=1 step=0 duration=D steps=2
`, "\n"), logged(slog.LevelDebug, talker(t)))

	asks := single(t, func(ctx context.Context, _ trail) (step, error) {
		_, err := graph.Ask[string](ctx, "name", "a secret prompt")
		return step{}, err
	})
	assert.Equal(t, strings.TrimLeft(`
level=INFO msg="run started" graph=bench thread=t run=1 step=0
level=INFO msg="run waits" graph=bench thread=t run=1 step=0 duration=D steps=0 questions=1
`, "\n"), logged(slog.LevelInfo, asks))

	fails := true
	assert.Contains(t, logged(slog.LevelError, twins(t, failing("a", &fails), say("b"))),
		`level=ERROR msg="run failed" graph=bench thread=t run=1 step=0 duration=D steps=0 error="node a (step 1, attempt 1): boom"`)
}

// quiet is an observer that does nothing.
type quiet struct{}

func (quiet) Start(ctx context.Context, _ graph.Span) context.Context { return ctx }
func (quiet) End(context.Context, graph.Span, error)                  {}

// BenchmarkObserve shows what an observer costs; BenchmarkLoop/graph is the run without one.
func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct {
		name string
		opts []graph.Option
	}{
		{"off", nil},
		{"quiet", []graph.Option{graph.Observe(quiet{})}},
		{"log", []graph.Option{graph.Observe(graph.Log(slog.New(slog.DiscardHandler)))}},
	} {
		b.Run(c.name, func(b *testing.B) {
			app := smallLoop(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := app.Invoke(context.Background(), tick{}, c.opts...); err != nil {
					b.Fatal(err)
				}
			}
			perStep(b, loopSteps)
		})
	}
}
