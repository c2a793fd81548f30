package netguard

import (
	"errors"
	"fmt"
)

// The errors of a [Client], for errors.Is. Their text is one sentence for people.
var (
	// ErrRefused is a URL, port or address that is not fetched.
	ErrRefused = errors.New("refused")
	// ErrTooLarge is a body above Options.MaxBytes. Nothing of it is returned.
	ErrTooLarge = errors.New("too large")
	// ErrTimeout is a fetch that took longer than Options.Timeout. The caller's own deadline is the caller's ctx.Err().
	ErrTimeout = errors.New("timed out")
	// ErrType is a body of another media type than those that were asked for, or in an unknown encoding.
	ErrType = errors.New("not a wanted type")
	// ErrUnreachable is a host that does not resolve, refuses the connection, or breaks it off.
	ErrUnreachable = errors.New("unreachable")
)

// fault is a sentence that is one of the errors above.
type fault struct {
	text  string
	is    error
	cause error
}

func (f *fault) Error() string   { return f.text }
func (f *fault) Unwrap() []error { return []error{f.is, f.cause} }

func refuse(format string, args ...any) error {
	return &fault{text: fmt.Sprintf(format, args...), is: ErrRefused}
}
