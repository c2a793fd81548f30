package review

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrNotFound reports an id that names no entry.
	ErrNotFound = errors.New("there is no such review")
	// ErrClaimed reports an entry that somebody else holds; it comes as a [*ClaimedError].
	ErrClaimed = errors.New("somebody else reviews it")
	// ErrDecided reports an entry that is decided already; it comes as a [*DecidedError].
	ErrDecided = errors.New("it is decided already")
	// ErrInvalid reports a value that a queue does not take.
	ErrInvalid = errors.New("invalid review")
	// ErrDamaged reports a row that cannot be read; it comes as a [*RowError].
	ErrDamaged = errors.New("the stored review is damaged")
)

// ClaimedError says who holds an entry. It wraps ErrClaimed.
type ClaimedError struct {
	ID       string
	Reviewer string
	Since    time.Time
}

// Error names the reviewer.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("review %s: %s has it since %s", e.ID, e.Reviewer, e.Since.Format(time.RFC3339))
}

// Unwrap returns ErrClaimed.
func (e *ClaimedError) Unwrap() error { return ErrClaimed }

// DecidedError says what was decided. It wraps ErrDecided.
type DecidedError struct {
	ID       string
	Status   Status
	Reviewer string
	At       time.Time
}

// Error names the decision and who made it.
func (e *DecidedError) Error() string {
	return fmt.Sprintf("review %s: %s by %s at %s already", e.ID, e.Status, e.Reviewer, e.At.Format(time.RFC3339))
}

// Unwrap returns ErrDecided.
func (e *DecidedError) Unwrap() error { return ErrDecided }

// RowError names the row of a store that cannot be read. It wraps ErrDamaged.
type RowError struct {
	ID  string
	Err error // what is wrong with it
}

// Error names the row.
func (e *RowError) Error() string { return fmt.Sprintf("review %s: %v: %v", e.ID, ErrDamaged, e.Err) }

// Unwrap returns ErrDamaged and the reason.
func (e *RowError) Unwrap() []error { return []error{ErrDamaged, e.Err} }

// NotFound is ErrNotFound with the id.
func NotFound(id string) error { return fmt.Errorf("%w: %q", ErrNotFound, id) }

// IDTaken is ErrInvalid for an id that another run has.
func IDTaken(id string) error { return invalid("the id %q belongs to another run", id) }

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
