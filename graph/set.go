package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// A Set is a plain value in an update: set or not set, where being set to a zero value or to nil is not the same
// as not being set. Its zero value is not set. In one step at most one task may set it ([ErrConcurrentUpdate]).
//
// In JSON a value that is set is an array of one element and one that is not is null, so that both survive with or
// without the omitzero tag, whatever the type.
type Set[T any] struct {
	set   bool
	value T
}

// To returns a Set that is set to v.
func To[T any](v T) Set[T] { return Set[T]{true, v} }

// Get returns the value and whether it is set; the zero value when it is not.
func (s Set[T]) Get() (T, bool) { return s.value, s.set }

// Or returns the value, or old when it is not set: in Apply, s.Answer = u.Answer.Or(s.Answer).
func (s Set[T]) Or(old T) T {
	if s.set {
		return s.value
	}
	return old
}

// IsZero says that s is not set; the JSON tag omitzero uses it.
func (s Set[T]) IsZero() bool { return !s.set }

// MarshalJSON writes [value] or null.
func (s Set[T]) MarshalJSON() ([]byte, error) {
	if !s.set {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the outer encoder does that when it is asked to
	if err := enc.Encode([...]T{s.value}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Set[T]) UnmarshalJSON(data []byte) error {
	*s = Set[T]{}
	if string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	var list []T
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("read a set value: %w", err)
	}
	if len(list) != 1 {
		return fmt.Errorf("read a set value: %d elements instead of one", len(list))
	}
	*s = To(list[0])
	return nil
}

// setElem tells the checks of Compile what is inside.
func (Set[T]) setElem() reflect.Type { return reflect.TypeFor[T]() }

// Append returns a new list of s and more. Unlike the builtin it never writes into the spare capacity of s,
// which an older state or a sibling task may share. Without more it returns s itself.
func Append[T any](s []T, more ...T) []T {
	if len(more) == 0 {
		return s
	}
	out := make([]T, len(s)+len(more))
	copy(out, s)
	copy(out[len(s):], more)
	return out
}
