package graph

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"runtime/debug"
)

// A FollowOption tunes [Thread.Follow].
type FollowOption func(*followOptions)

type followOptions struct{ call int64 }

// OfCall follows only the run whose events have this [Event.Call]; any other one is an [ErrNotLive]. A client that
// reconnects gives it beside the number of its last event, since every call counts its events from 1.
func OfCall(call int64) FollowOption { return func(o *followOptions) { o.call = call } }

// Follow yields the events of the thread's [Detached] run in this App, the running one or the last one while it is kept,
// whose Seq is greater than after: all of them, in order, once. Any number may follow at once, none slows the run down, and
// leaving the loop ends only the view. The last event is [RunEnd], which comes with the error of the run. Any other
// error comes with an Event of Kind 0 and ends the view: [ErrNotLive], [ErrMissed], and the cause of ctx when that ends.
// Threads are the same when id and store are. The sequence can be ranged over several times.
func (t *Thread[S, U]) Follow(ctx context.Context, after int64, opts ...FollowOption) iter.Seq2[Event[S, U], error] {
	var o followOptions
	for _, opt := range opts {
		opt(&o)
	}
	return func(yield func(Event[S, U], error) bool) {
		f := t.app.live.find(t.key())
		if f != nil && o.call != 0 {
			call, err := f.call(ctx)
			if err != nil {
				yield(Event[S, U]{Thread: t.id}, err)
				return
			}
			if call != o.call {
				f = nil
			}
		}
		if f == nil {
			yield(Event[S, U]{Thread: t.id}, fmt.Errorf("%w: %q", ErrNotLive, t.id))
			return
		}
		f.follow(ctx, after, yield)
	}
}

// Stop cancels the [Detached] runs of the thread in this App, whose error is then [ErrStopped], and returns when they have
// ended, or with the cause of ctx. Their nodes have returned then, and what was committed stays. Without one it does nothing.
func (t *Thread[S, U]) Stop(ctx context.Context) error {
	key := t.key()
	for _, f := range t.app.live.list() {
		if f.key == key {
			f.cancel(ErrStopped)
			if err := f.wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Wait returns when no [Detached] run of the App is left, or with the cause of ctx.
func (a *App[S, U]) Wait(ctx context.Context) error {
	for {
		runs := a.live.list()
		if len(runs) == 0 {
			return nil
		}
		for _, f := range runs {
			if err := f.wait(ctx); err != nil {
				return err
			}
		}
	}
}

// Close cancels all [Detached] runs of the App with [ErrClosed], refuses new ones, forgets the events of those that have ended,
// and waits as [App.Wait] does. Unfinished runs can be resumed by another App. Other calls are not affected.
func (a *App[S, U]) Close(ctx context.Context) error {
	a.live.close()
	return a.Wait(ctx)
}

func (t *Thread[S, U]) key() liveKey {
	if !reflect.ValueOf(t.store).Comparable() {
		return liveKey{thread: t.id}
	}
	return liveKey{t.store, t.id}
}

// stream turns a run of the thread into a sequence of its events.
func (t *Thread[S, U]) stream(ctx context.Context, modes Mode, opts []Option, do doFunc[S, U]) iter.Seq2[Event[S, U], error] {
	attached := stream(ctx, t.id, modes, do)
	return func(yield func(Event[S, U], error) bool) {
		s, err := t.app.settings.with(opts)
		if err != nil || !s.detached {
			attached(yield) // which reports the error
			return
		}
		f, err := t.detach(ctx, modes, &s, do)
		if err != nil {
			yield(Event[S, U]{Kind: RunEnd, Seq: 1, Thread: t.id, Err: err}, err)
			return
		}
		f.follow(ctx, 0, yield)
	}
}

// detach starts a detached run.
func (t *Thread[S, U]) detach(ctx context.Context, modes Mode, s *settings, do doFunc[S, U]) (*feed[S, U], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f := newFeed[S, U](t.key(), s.keepEvents)
	ctx, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := t.app.live.begin(f); err != nil {
		f.cancel(err)
		return nil, err
	}
	go func() {
		defer t.app.live.end(f, s.keepRuns)
		f.run(ctx, modes, do)
	}()
	return f, nil
}

// forgetEvents drops what is kept of a detached run of the thread, now that another run has taken it.
func (t *Thread[S, U]) forgetEvents(out *sink[S, U]) {
	if t.app.live.used.Load() && (out == nil || !out.detached) { // a detached one has done so already
		t.app.live.forget(t.key())
	}
}

// run does the run and keeps its events. A panic becomes the error of the run: nobody could recover it here.
func (f *feed[S, U]) run(ctx context.Context, modes Mode, do doFunc[S, U]) {
	defer f.cancel(nil)
	out := &sink[S, U]{yield: f.add, mode: modes, thread: f.key.thread, detached: true, cancel: func() {}}
	returned := false
	defer func() {
		if p := recover(); p != nil {
			out.finish(&Result[S]{}, fmt.Errorf("%w\n%s", panicError(p), debug.Stack()))
		} else if !returned {
			out.finish(&Result[S]{}, ErrGoexit)
		}
	}()
	res, err := do(ctx, out)
	out.finish(&res, err)
	returned = true
}
