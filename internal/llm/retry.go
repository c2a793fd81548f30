package llm

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	maxRetryWait  = 10 * time.Second // longest wait that we choose ourselves
	maxRetryAfter = 30 * time.Second // longest wait that a server may ask for
)

// retry runs op until it succeeds, fails for good, or the call's time is used up; op gets a context
// that a silent attempt cancels, and the watch that it touches at each sign of life.
// ctx is the caller's. When it is done the error is ctx.Err(), whatever else happened.
func retry[T any](ctx context.Context, e *endpoint, op func(context.Context, *watch) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	var last error
	var zero T
	result, err := backoff.Retry(limited, func() (T, error) {
		v, final, err := attempt(limited, e, op)
		if err == nil {
			return v, nil
		}
		if limited.Err() == nil {
			last = err
		}
		return v, verdict(err, final)
	}, e.retryOptions(ctx)...)
	switch {
	case ctx.Err() != nil:
		return zero, ctx.Err()
	case err == nil:
		return result, nil
	case limited.Err() != nil:
		return zero, timeoutError(e.cfg.BaseURL, e.cfg.Timeout, last)
	}
	return zero, last
}

func (e *endpoint) retryOptions(ctx context.Context) []backoff.RetryOption {
	return []backoff.RetryOption{
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval: e.cfg.RetryWait, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: maxRetryWait,
		}),
		backoff.WithMaxTries(uint(1 + max(e.cfg.MaxRetries, 0))),
		// A wait that would outlast the call is not begun: the caller gets the error at once.
		backoff.WithMaxElapsedTime(e.cfg.Timeout),
		backoff.WithNotify(func(err error, wait time.Duration) {
			e.cfg.Logger.InfoContext(ctx, "model_call_failed_trying_again",
				"endpoint", e.cfg.BaseURL, "error", err, "wait", wait)
		}),
	}
}

// verdict tells backoff whether and when to go on.
func verdict(err error, final bool) error {
	if final || !temporary(err) {
		return backoff.Permanent(err)
	}
	var status *StatusError
	if errors.As(err, &status) && status.RetryAfter > 0 {
		wait := &backoff.RetryAfterError{Duration: min(status.RetryAfter, maxRetryAfter)}
		return &deferred{error: err, wait: wait}
	}
	return err
}

// deferred reads as its error and unwraps to the wait as well.
type deferred struct {
	error
	wait *backoff.RetryAfterError
}

func (d *deferred) Unwrap() []error { return []error{d.error, d.wait} }

// attempt runs op once under the watch for silence. final says that its failure must stand.
func attempt[T any](ctx context.Context, e *endpoint, op func(context.Context, *watch) (T, error)) (v T, final bool, err error) {
	watched, cancel := context.WithCancelCause(ctx)
	w := e.newWatch(func() { cancel(errSilent) })
	defer cancel(nil)
	defer w.pause()
	v, err = op(watched, w)
	if errors.Is(err, errSilent) {
		err = silentError(e.cfg.BaseURL, w.after)
	}
	return v, w.shown, err
}

// watch cancels an attempt that shows no sign of life for a while. It belongs to one goroutine.
type watch struct {
	after time.Duration
	timer *time.Timer // nil when the call's own deadline comes no later
	shown bool        // a token reached the caller: the attempt cannot be repeated
}

func (e *endpoint) newWatch(silent func()) *watch {
	w := &watch{after: e.cfg.AttemptTimeout}
	if w.after > 0 && w.after < e.cfg.Timeout {
		w.timer = time.AfterFunc(w.after, silent)
	}
	return w
}

// touch starts the wait anew.
func (w *watch) touch() {
	if w.timer != nil {
		w.timer.Reset(w.after)
	}
}

// pause stops the wait until the next touch.
func (w *watch) pause() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
