package graph

import (
	"context"
	"log/slog"
	"time"
)

// Log returns an [Observer] that writes to logger: runs at level Info, steps and attempts at Debug, attempts that failed at
// Warn, runs that failed at Error. The messages are constant: "run started", "run ended", "run waits", "run failed", and the
// same with step and task. The keys are graph, thread, run, step, node, task, attempt, tasks, steps, resumed, retried,
// cached, questions, duration and error; what does not apply is left out. States, updates and prompts are never logged;
// the text of an error is what the node made of it. The logger's handler gets the context of the span.
func Log(logger *slog.Logger) Observer { return logObserver{logger} }

type logObserver struct{ logger *slog.Logger }

type logKey struct{}

// Start notes the time in the context.
func (l logObserver) Start(ctx context.Context, s Span) context.Context {
	l.write(ctx, l.level(&s, nil), &s, " started")
	return context.WithValue(ctx, logKey{}, time.Now())
}

// End says how the span has ended.
func (l logObserver) End(ctx context.Context, s Span, err error) {
	var more []slog.Attr
	if begun, ok := ctx.Value(logKey{}).(time.Time); ok {
		more = append(more, slog.Duration("duration", time.Since(begun)))
	}
	if s.Kind == RunSpan {
		more = append(more, slog.Int("steps", s.Steps))
	}
	if s.Retried {
		more = append(more, slog.Bool("retried", true))
	}
	if s.Cached {
		more = append(more, slog.Bool("cached", true))
	}
	how := " ended"
	switch {
	case err != nil:
		how = " failed"
		more = append(more, slog.String("error", err.Error()))
	case len(s.Interrupts) > 0:
		how = " waits"
		more = append(more, slog.Int("questions", len(s.Interrupts)))
	}
	l.write(ctx, l.level(&s, err), &s, how, more...)
}

func (l logObserver) level(s *Span, err error) slog.Level {
	switch {
	case s.Kind == RunSpan && err != nil:
		return slog.LevelError
	case s.Kind == RunSpan:
		return slog.LevelInfo
	case s.Kind == TaskSpan && err != nil:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}

func (l logObserver) write(ctx context.Context, level slog.Level, s *Span, how string, more ...slog.Attr) {
	if !l.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 8+len(more))
	attrs = append(attrs, slog.String("graph", s.Graph))
	if s.Thread != "" {
		attrs = append(attrs, slog.String("thread", s.Thread))
	}
	attrs = append(attrs, slog.Int64("run", s.Run), slog.Int("step", s.Step))
	switch s.Kind {
	case TaskSpan:
		attrs = append(attrs, slog.String("node", s.Node), slog.String("task", s.Task), slog.Int("attempt", s.Attempt))
	case StepSpan:
		attrs = append(attrs, slog.Int("tasks", s.Tasks))
	}
	if s.Resumed {
		attrs = append(attrs, slog.Bool("resumed", true))
	}
	l.logger.LogAttrs(ctx, level, string(s.Kind)+how, append(attrs, more...)...)
}
