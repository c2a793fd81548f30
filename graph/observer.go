package graph

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
)

// An Observer is told when runs, steps and attempts begin and end; see [Observe]. Package graph/otel has one that makes traces,
// [Log] is one that writes logs. It is called on the goroutines of the run, for parallel tasks on several at once, and what it
// takes the run waits for.
//
// Every Start is followed by one End. Start returns the context for what happens within: ctx or one derived from it, so that spans
// nest. A node gets the context of its attempt, and sub-graphs run below that. End gets what Start has returned,
// and the span with what has become known.
//
// A panic in an observer does not disturb the run, and is not hidden either: the observer is not called again in this call, which
// ends as it would without it and returns an [ObserverError], joined to its own error if it has one.
type Observer interface {
	Start(ctx context.Context, s Span) context.Context
	End(ctx context.Context, s Span, err error)
}

// A SpanKind says what a [Span] is of.
type SpanKind string

// The kinds of spans. One of a run holds those of its steps, one of a step those of its attempts.
const (
	RunSpan  SpanKind = "run"  // one call: err is its error
	StepSpan SpanKind = "step" // a step up to its commit
	TaskSpan SpanKind = "task" // one attempt of a task with its route: every retry is a span of its own; err is a NodeError
)

// A Span is a part of a run, as an [Observer] sees it. An interrupt is no error: Interrupts lists what is waited for.
type Span struct {
	Kind    SpanKind
	Graph   string // name of the graph
	Thread  string // "" without a thread
	Run     int64  // number of the run on its thread, from 1
	Step    int    // of the run, from 1; for a run, the steps that were committed before this call
	Tasks   int    // of a step
	Node    string // of a task, and so are the next two
	Task    string // id within the step
	Attempt int    // from 1
	Resumed bool   // the call goes on with a run that stopped before

	// Known at the end.
	Steps      int         // of a run: that this call has committed
	Retried    bool        // of a task: it failed, and another attempt follows
	Cached     bool        // of a task: its result comes from the cache of the node, which did not run
	Interrupts []Interrupt // what it waits for
}

// Observe tells observers of the run; they nest in the order given. Sub-graphs that were not compiled with an
// Observe of their own are observed too. It replaces an earlier Observe; without observers there is none. Default: none, at no cost.
func Observe(observers ...Observer) Option {
	return func(s *settings) error {
		if slices.Contains(observers, nil) {
			return fmt.Errorf("%w: Observe(nil)", ErrNilFunc)
		}
		s.watch = nil
		switch len(observers) {
		case 0:
			s.observer = nil
		case 1:
			s.observer = observers[0]
		default:
			s.observer = several(slices.Clone(observers))
		}
		return nil
	}
}

// An ObserverError reports a panic in an [Observer].
type ObserverError struct {
	Err   error  // an ErrPanic
	Stack []byte // of the goroutine that panicked
}

// Error leaves the stack out.
func (e *ObserverError) Error() string { return "observer: " + e.Err.Error() }

// Unwrap returns Err.
func (e *ObserverError) Unwrap() error { return e.Err }

// errUnwound is the error of spans whose goroutine has panicked, in a consumer for instance, or has ended.
var errUnwound = errors.New("the goroutine of the run has panicked or ended")

// several observers are one.
type several []Observer

type severalKey struct{}

// Start keeps the context that each of them has returned.
func (l several) Start(ctx context.Context, s Span) context.Context {
	own := make([]context.Context, len(l))
	for i, o := range l {
		ctx = orSame(o.Start(ctx, s), ctx)
		own[i] = ctx
	}
	return context.WithValue(ctx, severalKey{}, own)
}

// End calls them the other way round, each with its own context.
func (l several) End(ctx context.Context, s Span, err error) {
	own, _ := ctx.Value(severalKey{}).([]context.Context)
	for i := len(own) - 1; i >= 0; i-- {
		l[i].End(own[i], s, err)
	}
}

func orSame(ctx, same context.Context) context.Context {
	if ctx == nil {
		return same
	}
	return ctx
}

// A watch is the observer of a call and of the sub-graphs within.
type watch struct {
	observer Observer
	failure  atomic.Pointer[ObserverError]
}

func (w *watch) start(ctx context.Context, s *Span) (within context.Context) {
	if w.failure.Load() != nil {
		return ctx
	}
	defer w.recover(func() { within = ctx })
	return orSame(w.observer.Start(ctx, *s), ctx)
}

func (w *watch) end(ctx context.Context, s *Span, err error) {
	if w.failure.Load() != nil {
		return
	}
	defer w.recover(func() {})
	w.observer.End(ctx, *s, err)
}

// recover is deferred around the observer.
func (w *watch) recover(instead func()) {
	if p := recover(); p != nil {
		w.failure.CompareAndSwap(nil, &ObserverError{panicError(p), debug.Stack()})
		instead()
	}
}
