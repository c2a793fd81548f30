package graph

import (
	"errors"
	"fmt"
)

// Errors of detached runs.
var (
	// ErrNotLive reports a [Thread.Follow] of a thread without a detached run whose events this App keeps. Its state is in
	// the store: see [Thread.Head]. After the process has ended, an unfinished run goes on with [Thread.Resume].
	ErrNotLive = errors.New("no detached run of the thread in this process")
	// ErrMissed reports a [Thread.Follow] from before the oldest event that [KeepEvents] has kept.
	ErrMissed = errors.New("events are not kept any more")
	// ErrStopped is the error of a detached run that [Thread.Stop] has cancelled.
	ErrStopped = errors.New("run was stopped")
	// ErrClosed is the error of a detached run that [App.Close] has cancelled or refused.
	ErrClosed = errors.New("app is closed")
	// ErrDetached reports a [Detached] that was not given to a stream of a thread.
	ErrDetached = errors.New("only a stream of a thread can be detached")
)

// Detached lets the run of a [Thread.Stream] or [Thread.ResumeStream] go on when its consumer leaves the loop or the context
// of the call ends: only the view ends then. The run keeps the values of the context, and of what would end it only [WallTime],
// [Thread.Stop], [App.Close] and its own failure. It does not wait for its consumers: its events are kept, and
// [Thread.Follow] shows them again from any point. They are kept, all of them unless [KeepEvents] bounds them, until the next
// run on the thread in this App begins, until [KeepRuns] other detached runs have ended later, or until App.Close.
//
// The first event says that the run has begun and its input is saved (under [Exit] it is not); who wants no more may leave then.
// A context that ends before the run does ends the view with an error and an Event of Kind 0.
// Detached is for one call; anywhere else it is an [ErrDetached].
func Detached() Option {
	return func(s *settings) error {
		s.detached = true
		return nil
	}
}

// KeepEvents bounds the events that are kept of one [Detached] run to the newest n (≥ 1). Whoever is further behind, the
// consumer of the stream that started the run included, gets [ErrMissed], never a gap. Default: all.
func KeepEvents(n int) Option {
	return func(s *settings) error {
		s.keepEvents = n
		return positive("KeepEvents", n)
	}
}

// KeepRuns says of how many [Detached] runs that have ended, on all threads of the App, events are kept for followers that
// come late (n ≥ 0); those of the run that ended first go first. It counts when a run ends. Default: 100.
func KeepRuns(n int) Option {
	return func(s *settings) error {
		s.keepRuns = n
		if n < 0 {
			return fmt.Errorf("%w: KeepRuns(%d)", ErrLimit, n)
		}
		return nil
	}
}

const defaultKeepRuns = 100
