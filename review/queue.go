package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	mathrand "math/rand/v2"
	"net/url"
	"strings"
	"time"
)

// DefaultSLA is how long a decision may take where nothing else is said.
const DefaultSLA = 2 * time.Hour

// Options tunes a Queue. The zero value works.
type Options struct {
	// SLA is how long a decision may take; 0 is DefaultSLA.
	SLA time.Duration
	// BaseURL is where people review, without the id; it is http or https. "" is the command line.
	BaseURL string
	// Severities is how bad a wrong answer is, by category; nil is DefaultSeverities.
	Severities Severities
	// Notifiers are told of new entries. Their names are unique.
	Notifiers []Notifier
	// SendTimeout bounds one notification; 0 is 10 seconds.
	SendTimeout time.Duration

	Now    func() time.Time // default time.Now
	NewID  func() string    // ids of entries; default 12 random characters
	Jitter func() float64   // from [0, 1), spreads repetitions; default random
}

// Queue is the entries of a store with a clock, deadlines and notifications. It is safe for concurrent use.
type Queue struct {
	store     Store
	opts      Options
	notifiers map[string]Notifier
}

// New returns a queue over store. It returns ErrInvalid for options that cannot be used.
func New(store Store, opts Options) (*Queue, error) {
	if opts.SLA < 0 || opts.SendTimeout < 0 {
		return nil, invalid("the SLA and the time for sending are not negative")
	}
	if opts.BaseURL != "" {
		u, err := url.Parse(opts.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
			return nil, invalid("the address of reviews is http://… or https://… without ? and #, not %q", opts.BaseURL)
		}
	}
	q := &Queue{store: store, opts: opts.withDefaults(), notifiers: map[string]Notifier{}}
	for _, n := range opts.Notifiers {
		if name := n.Name(); !validID.MatchString(name) || q.notifiers[name] != nil {
			return nil, invalid("the names of notifiers are unique, of a-z, 0-9 and -: %q", name)
		}
		q.notifiers[n.Name()] = n
	}
	return q, nil
}

func (o Options) withDefaults() Options {
	if o.SLA == 0 {
		o.SLA = DefaultSLA
	}
	if o.Severities == nil {
		o.Severities = DefaultSeverities()
	}
	if o.SendTimeout == 0 {
		o.SendTimeout = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return strings.ToLower(rand.Text()[:12]) }
	}
	if o.Jitter == nil {
		o.Jitter = mathrand.Float64
	}
	return o
}

// Submit puts an answer into the queue, together with its notifications, and returns the entry as it is stored. For a run
// that has an entry that one is returned as it is, with created false. ID, Status, CreatedAt and Deadline are filled
// in, and so is Priority when it is empty: by [Severities.PriorityOf], without knowing of corrections.
//
// It returns ErrInvalid for an entry that is not complete.
func (q *Queue) Submit(ctx context.Context, e Entry) (stored Entry, created bool, err error) {
	if e.Status != "" && e.Status != Pending || !e.DecidedAt.IsZero() || e.Reviewer != "" {
		return Entry{}, false, invalid("a new entry is pending")
	}
	e.ID, e.Status, e.CreatedAt = q.opts.NewID(), Pending, moment(q.opts.Now())
	e.Deadline = e.CreatedAt.Add(q.opts.SLA)
	if e.Priority == "" {
		e.Priority = q.opts.Severities.PriorityOf(e.Confidence, e.HasConfidence, e.Category, false)
	}
	var channels []string
	for _, n := range q.opts.Notifiers {
		channels = append(channels, n.Name())
	}
	return q.store.Submit(ctx, e, channels)
}

// Get returns the entry with that id, or ErrNotFound.
func (q *Queue) Get(ctx context.Context, id string) (Entry, error) { return q.store.Get(ctx, id) }

// List ranges over entries; see [Store.List].
func (q *Queue) List(ctx context.Context, f Filter) iter.Seq2[Entry, error] {
	return q.store.List(ctx, f)
}

// Overdue ranges over the entries that are open although their deadline has passed.
func (q *Queue) Overdue(ctx context.Context) iter.Seq2[Entry, error] {
	return q.store.List(ctx, Filter{OverdueAt: q.opts.Now()})
}

// Corrections ranges over the entries whose answer was corrected.
func (q *Queue) Corrections(ctx context.Context) iter.Seq2[Entry, error] {
	return q.store.List(ctx, Filter{Statuses: []Status{Corrected}})
}

// Claim makes reviewer the one who looks at an entry; its errors are ErrNotFound and those of [Entry.Claim].
func (q *Queue) Claim(ctx context.Context, id, reviewer string) (Entry, error) {
	now := q.opts.Now()
	return q.store.Change(ctx, id, func(e *Entry) error { return e.Claim(reviewer, now) })
}

// Release gives an entry back; its errors are ErrNotFound and those of [Entry.Release].
func (q *Queue) Release(ctx context.Context, id, reviewer string) (Entry, error) {
	return q.store.Change(ctx, id, func(e *Entry) error { return e.Release(reviewer) })
}

// Decide closes an entry; its errors are ErrNotFound and those of [Entry.Decide]. A zero At is now.
func (q *Queue) Decide(ctx context.Context, id string, d Decision) (Entry, error) {
	if d.At.IsZero() {
		d.At = q.opts.Now()
	}
	return q.store.Change(ctx, id, func(e *Entry) error { return e.Decide(d) })
}

// Settle calls do for every decided entry for which it was not done yet, the one just decided and those that a process
// left behind when it was killed, and notes each that do did without an error. do may be called again for an entry, also
// by another process at the same time. The error joins those of do, each with the id; they do not keep other entries from
// being settled.
func (q *Queue) Settle(ctx context.Context, do func(context.Context, Entry) error) error {
	var list []Entry
	var failed []error
	for e, err := range q.store.List(ctx, Filter{Unsettled: true}) {
		if err != nil {
			failed = append(failed, err)
			continue
		}
		list = append(list, e)
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(failed, err)...)
		}
		err := do(ctx, e)
		if err == nil {
			_, err = q.store.Change(ctx, e.ID, func(e *Entry) error { return e.Settle(q.opts.Now()) })
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("review %s: %w", e.ID, err))
		}
	}
	return errors.Join(failed...)
}

// Notices returns what was or is to be told of an entry, by channel; for "" what is to be told of all.
func (q *Queue) Notices(ctx context.Context, id string) ([]Notice, error) {
	return q.store.Notices(ctx, id)
}

// URL is where an entry is reviewed: BaseURL/id, or the command that shows it.
func (q *Queue) URL(id string) string {
	if q.opts.BaseURL == "" {
		return "kbagent review show " + id
	}
	return strings.TrimRight(q.opts.BaseURL, "/") + "/" + id
}

// Now is the queue's clock.
func (q *Queue) Now() time.Time { return moment(q.opts.Now()) }
