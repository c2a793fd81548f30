package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kbagent/kbagent/graph"
)

// Scope is the instrumentation scope of the spans.
const Scope = "github.com/kbagent/kbagent/graph/otel"

// New returns an observer that makes a span of everything that it is told. It is safe for concurrent use and may observe
// any number of graphs. A nil provider gives a nil observer, which graph.Observe refuses.
func New(provider trace.TracerProvider) graph.Observer {
	if provider == nil {
		return nil
	}
	return observer{provider.Tracer(Scope)}
}

type observer struct{ tracer trace.Tracer }

// Start starts a span.
func (o observer) Start(ctx context.Context, s graph.Span) context.Context {
	ctx, _ = o.tracer.Start(ctx, name(&s), trace.WithAttributes(attributes(&s)...))
	return ctx
}

// End ends the span that Start has put into ctx.
func (o observer) End(ctx context.Context, s graph.Span, err error) {
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		finish(span, &s, err)
	}
	span.End()
}

func name(s *graph.Span) string {
	switch s.Kind {
	case graph.RunSpan:
		return "run " + s.Graph
	case graph.TaskSpan:
		return "node " + s.Node
	default:
		return string(s.Kind)
	}
}

func attributes(s *graph.Span) []attribute.KeyValue {
	list := make([]attribute.KeyValue, 0, 8)
	list = append(list, attribute.String("graph.name", s.Graph))
	if s.Thread != "" {
		list = append(list, attribute.String("graph.thread", s.Thread))
	}
	list = append(list, attribute.Int64("graph.run", s.Run), attribute.Int("graph.step", s.Step))
	if s.Resumed {
		list = append(list, attribute.Bool("graph.resumed", true))
	}
	switch s.Kind {
	case graph.StepSpan:
		list = append(list, attribute.Int("graph.tasks", s.Tasks))
	case graph.TaskSpan:
		list = append(list, attribute.String("graph.node", s.Node), attribute.String("graph.task", s.Task), attribute.Int("graph.attempt", s.Attempt))
	}
	return list
}

// finish notes what has become known.
func finish(span trace.Span, s *graph.Span, err error) {
	if s.Kind == graph.RunSpan {
		span.SetAttributes(attribute.Int("graph.steps", s.Steps))
	}
	if s.Retried {
		span.SetAttributes(attribute.Bool("graph.retried", true))
	}
	if s.Cached {
		span.SetAttributes(attribute.Bool("graph.cached", true))
	}
	for _, i := range s.Interrupts {
		span.AddEvent("interrupt", trace.WithAttributes(
			attribute.String("graph.interrupt.id", i.ID), attribute.String("graph.interrupt.kind", string(i.Kind)),
			attribute.String("graph.interrupt.node", i.Node), attribute.String("graph.interrupt.key", i.Key),
		))
	}
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		record(span, s, err)
	}
}

// record records an error where it came up.
func record(span trace.Span, s *graph.Span, err error) {
	var node *graph.NodeError
	if !errors.As(err, &node) {
		span.RecordError(err)
		return
	}
	if s.Kind != graph.TaskSpan {
		return // the attempt has it
	}
	if len(node.Stack) > 0 {
		span.RecordError(err, trace.WithAttributes(attribute.String("exception.stacktrace", string(node.Stack))))
		return
	}
	span.RecordError(err)
}
