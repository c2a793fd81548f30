package graph

import (
	"context"
	"iter"
)

// Invoke runs the graph in memory, without a thread: it starts from the zero state with in applied.
// On an error the Result holds what was reached before it. The error is context.Cause(ctx) when ctx has ended, otherwise
// one of [NodeError] (several are joined), [ErrStepLimit], [ErrStepTimeout], [ErrWallTime], [BudgetError],
// [ErrConcurrentUpdate], [ErrJoinUnreachable], [ObserverError], or a mistake in an option.
// It returns when all nodes have returned. It is safe for concurrent use.
func (a *App[S, U]) Invoke(ctx context.Context, in U, opts ...Option) (Result[S], error) {
	r, err := a.newRun(ctx, nil, opts)
	if err != nil {
		return Result[S]{}, err
	}
	return r.start(ctx, in)
}

// Stream runs the graph like Invoke and yields its events. The first is [RunStart], the last one [RunEnd]; only the last
// comes with an error, that of the run. A run that cannot begin yields RunEnd alone. Leaving the loop cancels the run and returns when all nodes have returned.
// Every range over the sequence is a run of its own.
func (a *App[S, U]) Stream(ctx context.Context, in U, modes Mode, opts ...Option) iter.Seq2[Event[S, U], error] {
	return stream(ctx, "", modes, func(ctx context.Context, out *sink[S, U]) (Result[S], error) {
		r, err := a.newRun(ctx, out, opts)
		if err != nil {
			return Result[S]{}, err
		}
		return r.start(ctx, in)
	})
}

// start runs from the zero state.
func (r *run[S, U]) start(ctx context.Context, in U) (Result[S], error) {
	if ctx.Err() != nil {
		return Result[S]{}, context.Cause(ctx)
	}
	r.number = 1
	if err := r.input(in); err != nil {
		return Result[S]{}, err
	}
	return r.execute(ctx)
}

// doFunc is a run that reports to a sink.
type doFunc[S, U any] func(context.Context, *sink[S, U]) (Result[S], error)

// stream turns a run into a sequence of its events.
func stream[S, U any](ctx context.Context, thread string, modes Mode, do doFunc[S, U]) iter.Seq2[Event[S, U], error] {
	return func(yield func(Event[S, U], error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(errStreamStopped)
		out := &sink[S, U]{yield: yield, mode: modes, thread: thread, cancel: func() { cancel(errStreamStopped) }}
		res, err := do(ctx, out)
		out.finish(&res, err)
	}
}

// startEdges are the edges that a fresh run takes first.
func (a *App[S, U]) startEdges() []Edge {
	n := 0
	for n < len(a.topology.Edges) && a.topology.Edges[n].From == startName {
		n++
	}
	return a.topology.Edges[:n]
}
