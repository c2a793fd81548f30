package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// Notifier tells people of a new entry. It is safe for concurrent use.
type Notifier interface {
	// Name is the channel in the outbox: 1 to 64 of a–z, 0–9 and -. It is stored; a rename loses what waits for it.
	Name() string
	// Notify sends a message and returns when the receiver has taken it. An error means that it is to be sent again; it
	// should not hold keys or passwords, since it is stored and shown. When it is a [*RetryError], it says when.
	Notify(ctx context.Context, m Message) error
}

// Message is what a notifier sends.
type Message struct {
	// Key is the same in each attempt: a receiver that has seen it knows a repetition.
	Key   string
	Entry Entry
	// URL is where to review, or the command for it.
	URL string
}

// RetryError is a failure for which the receiver has said when to try again.
type RetryError struct {
	After time.Duration
	Err   error
}

// Error is that of Err.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RetryError) Unwrap() error { return e.Err }

// Delivered is what a Deliver did.
type Delivered struct {
	Sent    int `json:"sent"`
	Dropped int `json:"dropped"` // not needed any more
	Waiting int `json:"waiting"` // to be sent later, those of channels that have no notifier now too
	// Failures are those of this time, one for each attempt.
	Failures []Notice `json:"failures"`
}

const (
	// firstRetry is what the first repetition waits; each further one waits twice as long, up to lastRetry.
	firstRetry = 30 * time.Second
	lastRetry  = 6 * time.Hour
	// maxRetryAfter is the most that a receiver's wish counts.
	maxRetryAfter = 24 * time.Hour
	// patience is how many failures in a row a channel may have in one delivery.
	patience = 3
	// maxError is how many bytes of an error are kept.
	maxError = 500
)

// Deliver sends the notices that are due, each channel by itself, and returns what it did; a notification that fails is
// no error, but waits for its next time: after 30 seconds, then twice as long each time, up to 6 hours, less up to a
// quarter by chance, or when the receiver has said. A channel with three failures in a row is left alone until the next
// Deliver. Entries that are decided are not announced any more. When ctx ends, what was being sent counts as failed.
//
// The error is that of the store. Any number of processes may deliver at once; each notice is sent by one of them.
func (q *Queue) Deliver(ctx context.Context) (Delivered, error) {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		sum  = Delivered{Failures: []Notice{}}
		errs []error
	)
	for _, name := range slices.Sorted(maps.Keys(q.notifiers)) {
		wg.Go(func() {
			d, err := q.deliver(ctx, q.notifiers[name])
			mu.Lock()
			defer mu.Unlock()
			sum.Sent, sum.Dropped, sum.Failures = sum.Sent+d.Sent, sum.Dropped+d.Dropped, append(sum.Failures, d.Failures...)
			errs = append(errs, err)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return sum, err
	}
	waiting, err := q.store.Notices(context.WithoutCancel(ctx), "")
	sum.Waiting = len(waiting)
	return sum, err
}

// Hasten makes everything that waits due now, for the next Deliver.
func (q *Queue) Hasten(ctx context.Context) error { return q.store.Hasten(ctx, q.Now()) }

// deliver sends what is due for one channel.
func (q *Queue) deliver(ctx context.Context, to Notifier) (d Delivered, err error) {
	for failures := 0; failures < patience && ctx.Err() == nil; {
		now := q.Now()
		n, ok, err := q.store.Take(ctx, to.Name(), now, now.Add(2*q.opts.SendTimeout))
		if ctx.Err() != nil && err != nil {
			return d, nil //nolint:nilerr // the time for this delivery is over, which is no fault of the store
		}
		if err != nil || !ok {
			return d, err
		}
		n = q.attempt(ctx, to, n)
		switch {
		case !n.SentAt.IsZero():
			failures, d.Sent = 0, d.Sent+1
		case n.Dropped != "":
			d.Dropped++
		default:
			failures++
			d.Failures = append(d.Failures, n)
		}
		if err := q.store.Settle(context.WithoutCancel(ctx), n); err != nil { // what has happened has happened
			return d, err
		}
	}
	return d, nil
}

// attempt sends n, and returns it with what came of it.
func (q *Queue) attempt(ctx context.Context, to Notifier, n Notice) Notice {
	e, err := q.store.Get(context.WithoutCancel(ctx), n.Entry)
	if err == nil && e.Status.Final() {
		n.Dropped = fmt.Sprintf("%s by %s before it was sent", e.Status, e.Reviewer)
		return n
	}
	if err == nil {
		err = q.notify(ctx, to, Message{Key: n.Key(), Entry: e, URL: q.URL(e.ID)})
	}
	if err == nil {
		n.SentAt, n.LastError = q.Now(), ""
		return n
	}
	n.LastError = clip(err.Error(), maxError)
	wait := q.backoff(n.Attempts)
	if retry := new(RetryError); errors.As(err, &retry) {
		wait = max(wait, min(retry.After, maxRetryAfter))
	}
	n.Due = q.Now().Add(wait)
	return n
}

// notify calls a notifier with its own end of time; a panic of it is an error.
func (q *Queue) notify(ctx context.Context, to Notifier, m Message) (err error) {
	ctx, cancel := context.WithTimeout(ctx, q.opts.SendTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("notifier %s panicked: %v", to.Name(), p)
		}
	}()
	return to.Notify(ctx, m)
}

// backoff is what follows the n-th attempt that failed.
func (q *Queue) backoff(n int) time.Duration {
	wait := min(float64(firstRetry)*math.Pow(2, float64(n-1)), float64(lastRetry))
	return time.Duration(wait * (1 - q.opts.Jitter()/4))
}

// clip cuts s to n bytes, between runes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
