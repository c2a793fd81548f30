package review

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"
)

// Store keeps entries and the outbox of their notices. It is safe for concurrent use by any number of goroutines and, where
// its technology allows, processes. Times are passed in; it has no clock. [reviewtest.Store] is the contract as a test.
//
// A row that cannot be read is a [*RowError] that names it; it does not keep others from being read.
//
// [reviewtest.Store]: https://pkg.go.dev/github.com/kbagent/kbagent/review/reviewtest#Store
type Store interface {
	// Submit stores e and, in the same transaction, a notice for each of channels, due at e.CreatedAt. When its thread and
	// run have an entry, it changes nothing and returns that one, with false. It returns ErrInvalid for an entry that is
	// not [Entry.Validate], and for an id that another run has.
	Submit(ctx context.Context, e Entry, channels []string) (stored Entry, created bool, err error)

	// Get returns the entry with that id, or ErrNotFound.
	Get(ctx context.Context, id string) (Entry, error)

	// List ranges over the entries that f lets through, by [Compare]. It may be ranged over more than once. It yields a
	// *RowError with its id for a row that cannot be read, and goes on; after any other error it ends.
	List(ctx context.Context, f Filter) iter.Seq2[Entry, error]

	// Change reads an entry, calls change with it, and stores what it has become, while nobody else changes it. When change
	// returns an error, nothing is stored and Change returns that error. change may be called several times, and must
	// not change what identifies the entry: ID, Thread, Run. It returns ErrNotFound for an id that names nothing.
	Change(ctx context.Context, id string, change func(*Entry) error) (Entry, error)

	Outbox
}

// Filter chooses entries. The zero value chooses all.
type Filter struct {
	// Statuses are those to choose; none means all.
	Statuses []Status
	// Priority is the one to choose; "" means all.
	Priority Priority
	// OverdueAt chooses entries that are open although their deadline lies before it.
	OverdueAt time.Time
	// Unsettled chooses decided entries for which not everything that follows was done.
	Unsettled bool
	// Prefix is what the id begins with.
	Prefix string
	// Limit is the most entries; 0 means all.
	Limit int
}

// Match says whether f chooses e, apart from Limit.
func (f Filter) Match(e Entry) bool {
	return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, e.Status)) &&
		(f.Priority == "" || f.Priority == e.Priority) &&
		(f.OverdueAt.IsZero() || e.Overdue(moment(f.OverdueAt))) &&
		(!f.Unsettled || e.Status.Final() && e.SettledAt.IsZero()) &&
		strings.HasPrefix(e.ID, f.Prefix)
}

// Compare orders entries as lists do: by priority, then by deadline, then by id.
func Compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Priority.Rank(), b.Priority.Rank()), a.Deadline.Compare(b.Deadline), cmp.Compare(a.ID, b.ID))
}
