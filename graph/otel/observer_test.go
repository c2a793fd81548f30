package otel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/kbagent/kbagent/graph"
	graphotel "github.com/kbagent/kbagent/graph/otel"
)

type words struct {
	List []string `json:"list"`
}

func (w words) Apply(more []string) (words, error) {
	w.List = graph.Append(w.List, more...)
	return w, nil
}

var errBoom = errors.New("boom")

type nodeFunc = graph.NodeFunc[words, []string]

func word(w string) nodeFunc {
	return func(context.Context, words) ([]string, error) { return []string{w}, nil }
}

// line is a graph of one node.
func line(t testing.TB, name string, fn nodeFunc, opts ...graph.NodeOption) *graph.App[words, []string] {
	t.Helper()
	g := graph.New[words](name)
	n := g.Node("n", fn, opts...)
	g.Start(n)
	g.Edge(n, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	return app
}

// recorder is a provider that keeps its spans in memory.
func recorder() (*tracetest.SpanRecorder, graph.Option) {
	r := tracetest.NewSpanRecorder()
	return r, graph.Observe(graphotel.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(r))))
}

// tree writes the spans, children indented below their parent, in the order of their start.
func tree(r *tracetest.SpanRecorder) (lines []string) {
	spans := r.Ended()
	slices.SortStableFunc(spans, func(a, b sdk.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	var write func(parent trace.SpanID, indent string)
	write = func(parent trace.SpanID, indent string) {
		for _, s := range spans {
			if s.Parent().SpanID() == parent {
				lines = append(lines, indent+tell(s))
				write(s.SpanContext().SpanID(), indent+"  ")
			}
		}
	}
	write(trace.SpanID{}, "")
	return lines
}

func tell(s sdk.ReadOnlySpan) string {
	parts := []string{s.Name()}
	for _, a := range s.Attributes() {
		parts = append(parts, fmt.Sprintf("%s=%s", strings.TrimPrefix(string(a.Key), "graph."), a.Value.String()))
	}
	for _, e := range s.Events() {
		parts = append(parts, "!"+e.Name)
	}
	if s.Status().Code != codes.Unset {
		parts = append(parts, fmt.Sprintf("%s: %s", s.Status().Code, s.Status().Description))
	}
	return strings.Join(parts, " ")
}

// Rule 31: one span each for run, step and attempt; retries are visible, and do not fail the run.
func TestARunIsATraceWithItsRetries(t *testing.T) {
	spans, observe := recorder()
	tries := 0
	app := line(t, "g", func(context.Context, words) ([]string, error) {
		if tries++; tries == 1 {
			return nil, errBoom
		}
		return []string{"w"}, nil
	}, graph.Retry(2, nil), graph.Backoff(1, 1))
	_, err := app.Thread("t").Invoke(t.Context(), nil, observe)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"run g name=g thread=t run=1 step=0 steps=1",
		"  step name=g thread=t run=1 step=1 tasks=1",
		"    node n name=g thread=t run=1 step=1 node=n task=n attempt=1 retried=true !exception Error: node n (step 1, attempt 1): boom",
		"    node n name=g thread=t run=1 step=1 node=n task=n attempt=2",
	}, tree(spans))
	assert.Equal(t, graphotel.Scope, spans.Ended()[0].InstrumentationScope().Name)
}

// Rules 18 and 31: a question is an event of its spans, not an error, and its prompt is nobody's business.
func TestAnInterruptIsAnEventAndNotAnError(t *testing.T) {
	spans, observe := recorder()
	app := line(t, "g", func(ctx context.Context, _ words) ([]string, error) {
		answer, err := graph.Ask[string](ctx, "k", "a private prompt")
		return []string{answer}, err
	})
	res, err := app.Thread("t").Invoke(t.Context(), nil, observe)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"run g name=g thread=t run=1 step=0 steps=0 !interrupt",
		"  step name=g thread=t run=1 step=1 tasks=1 !interrupt",
		"    node n name=g thread=t run=1 step=1 node=n task=n attempt=1 !interrupt",
	}, tree(spans))
	event := spans.Ended()[0].Events()[0]
	assert.Equal(t, []attribute.KeyValue{
		attribute.String("graph.interrupt.id", res.Interrupts[0].ID), attribute.String("graph.interrupt.kind", "question"),
		attribute.String("graph.interrupt.node", "n"), attribute.String("graph.interrupt.key", "k"),
	}, event.Attributes)

	resumed, observe := recorder()
	_, err = app.Thread("t").Resume(t.Context(), graph.Reply("yes"), observe)
	require.NoError(t, err)
	assert.Equal(t, "run g name=g thread=t run=1 step=0 resumed=true steps=1", tree(resumed)[0])
}

// Rule 31: an error is recorded once, where it came up, and every span around it has failed.
func TestAnErrorIsRecordedWhereItCameUp(t *testing.T) {
	spans, observe := recorder()
	_, err := line(t, "g", func(context.Context, words) ([]string, error) { panic("oh") }).Invoke(t.Context(), nil, observe)
	require.ErrorIs(t, err, graph.ErrPanic)
	assert.Equal(t, []string{
		"run g name=g run=1 step=0 steps=0 Error: node n (step 1, attempt 1): panic: oh",
		"  step name=g run=1 step=1 tasks=1 Error: node n (step 1, attempt 1): panic: oh",
		"    node n name=g run=1 step=1 node=n task=n attempt=1 !exception Error: node n (step 1, attempt 1): panic: oh",
	}, tree(spans))
	var stack string
	for _, a := range spans.Ended()[0].Events()[0].Attributes {
		if a.Key == "exception.stacktrace" {
			stack = a.Value.AsString()
		}
	}
	assert.Contains(t, stack, "observer_test.go")

	spans, observe = recorder()
	ctx, cancel := context.WithCancel(t.Context())
	g := graph.New[words]("g")
	a, b := g.Node("a", func(context.Context, words) ([]string, error) { cancel(); return []string{"a"}, nil }), g.Node("b", word("b"))
	g.Start(a)
	g.Edge(a, b)
	g.Edge(b, graph.End)
	app, err := g.Compile(observe)
	require.NoError(t, err)
	_, err = app.Invoke(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "run g name=g run=1 step=0 steps=1 !exception Error: context canceled", tree(spans)[0], "no node has failed")
}

// Rules 7 and 31.
func TestTheRunOfASubGraphLiesWithinItsTask(t *testing.T) {
	spans, observe := recorder()
	g := graph.New[words]("outer")
	n := graph.Inline(g, "sub", line(t, "inner", word("w")))
	g.Start(n)
	g.Edge(n, graph.End)
	app, err := g.Compile(observe)
	require.NoError(t, err)
	_, err = app.Invoke(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"run outer name=outer run=1 step=0 steps=1",
		"  step name=outer run=1 step=1 tasks=1",
		"    node sub name=outer run=1 step=1 node=sub task=sub attempt=1",
		"      run inner name=inner run=1 step=0 steps=1",
		"        step name=inner run=1 step=1 tasks=1",
		"          node n name=inner run=1 step=1 node=n task=n attempt=1",
	}, tree(spans))
}

// Rule 31: what a node starts with its context, a call of a model for instance, lies within its attempt.
func TestSpansOfANodeLieWithinItsAttempt(t *testing.T) {
	r := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(r))
	app := line(t, "g", func(ctx context.Context, _ words) ([]string, error) {
		_, span := provider.Tracer("test").Start(ctx, "call")
		span.End()
		return nil, nil
	}, graph.Timeout(1<<40))
	_, err := app.Invoke(t.Context(), nil, graph.Observe(graphotel.New(provider)))
	require.NoError(t, err)
	assert.Equal(t, "      call", tree(r)[3])
}

func TestWithoutAProviderThereIsNoObserver(t *testing.T) {
	_, err := line(t, "g", word("w")).Invoke(t.Context(), nil, graph.Observe(graphotel.New(nil)))
	require.ErrorIs(t, err, graph.ErrNilFunc)
}

// BenchmarkObserve shows what tracing costs a step: without a recording provider, and with one.
func BenchmarkObserve(b *testing.B) {
	const steps = 100
	g := graph.New[words]("g")
	n := g.Node("n", func(context.Context, words) ([]string, error) { return nil, nil })
	g.Start(n)
	count := 0
	graph.Route(g, n, func(words) string {
		count++
		return fmt.Sprint(count%steps != 0)
	}, graph.Case("true", n), graph.Case("false", graph.End))
	app, err := g.Compile(graph.MaxSteps(steps))
	require.NoError(b, err)
	for _, c := range []struct {
		name string
		opts []graph.Option
	}{
		{"off", nil},
		{"noop", []graph.Option{graph.Observe(graphotel.New(noop.NewTracerProvider()))}},
		{"sdk", []graph.Option{graph.Observe(graphotel.New(sdk.NewTracerProvider(sdk.WithSampler(sdk.AlwaysSample()))))}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := app.Invoke(context.Background(), nil, c.opts...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
		})
	}
}
