package graph

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// What [Isolate] finds.
var (
	// ErrStateChanged reports a node or a route that has changed the state that it was given; the text names the field.
	// What it says belongs into the update.
	ErrStateChanged = errors.New("state was changed in place")
	// ErrImpureApply reports an Apply that has written memory that its receiver can reach, or that makes different states of
	// equal ones; the text names the field. [Append] is the append that Apply needs.
	ErrImpureApply = errors.New("Apply is not pure")
)

// Isolate proves while a graph runs that nobody writes memory that is not theirs, in its sub-graphs too. It is for tests:
// every task costs several encodings of the state. Every node and route gets a deep copy of the state, made by the codec,
// whose slices have room to append. Afterwards the copy must be as it was, the room behind its slices included; otherwise
// the task fails with [ErrStateChanged]. Every Apply of an update, and of the input of the call, is tried on such a copy
// first, and fails with [ErrImpureApply].
//
// These failures are bugs of the program: they are neither retried nor handled by [Graph.OnError]. What is wrong with a state
// that does not come back from its codec as it was is an [ErrCodec]. Fields that JSON leaves out are empty in the copies.
func Isolate() Option {
	return func(s *settings) error {
		s.isolate = true
		return nil
	}
}

// isolated is a deep copy of a state that somebody gets, and another one to compare it with.
type isolated[S any] struct{ given, pristine S }

// isolate copies s twice.
func isolate[S any](s *S) (*isolated[S], error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("%w: encode the state: %w", ErrCodec, err)
	}
	var c isolated[S]
	for _, to := range []*S{&c.given, &c.pristine} {
		if err := json.Unmarshal(data, to); err != nil {
			return nil, fmt.Errorf("%w: decode the state: %w", ErrCodec, err)
		}
	}
	again, err := json.Marshal(&c.given)
	if err != nil {
		return nil, fmt.Errorf("%w: encode the state again: %w", ErrCodec, err)
	}
	if !bytes.Equal(data, again) {
		return nil, fmt.Errorf("%w: the state %s comes back as %s", ErrCodec, data, again)
	}
	makeRoom(&c.given)
	makeRoom(&c.pristine)
	return &c, nil
}

// callIsolated lets call have a copy of the state, and sees whether it leaves it alone.
func (r *run[S, U]) callIsolated(call func(*S) error) error {
	c, err := isolate(r.state)
	if err != nil {
		return err
	}
	given := c.given
	err = call(&given)
	if path := differs(&c.given, &c.pristine); path != "" {
		return errors.Join(fmt.Errorf("%w: %s", ErrStateChanged, path), err)
	}
	return err
}

// pick asks the route of a node.
func (r *run[S, U]) pick(n *body[S, U], s *S) (string, error) {
	if !r.isolate {
		return n.pick(s), nil
	}
	c, err := isolate(s)
	if err != nil {
		return "", err
	}
	given := c.given
	outcome := n.pick(&given)
	if path := differs(&c.given, &c.pristine); path != "" {
		return "", fmt.Errorf("%w by the route: %s", ErrStateChanged, path)
	}
	return outcome, nil
}

// tryApply applies updates to copies of s, one after another, and sees whether Apply is pure.
func tryApply[S Reducer[S, U], U any](s *S, updates ...U) error {
	state := *s
	for _, u := range updates {
		c, err := isolate(&state)
		if err != nil {
			return err
		}
		tried, err := applyTo(c.given, u)
		if path := differs(&c.given, &c.pristine); path != "" {
			return fmt.Errorf("%w: it writes to %s of its receiver", ErrImpureApply, path)
		}
		if err != nil {
			return nil //nolint:nilerr // the real one says so
		}
		again, err := applyTo(c.pristine, u)
		if err != nil {
			return fmt.Errorf("%w: the second time it fails: %w", ErrImpureApply, err)
		}
		if a, b := reflect.ValueOf(tried), reflect.ValueOf(again); !sameJSON(a, b) {
			return fmt.Errorf("%w: two results differ in %s", ErrImpureApply, cmp.Or(differs(&tried, &again), "what is not exported"))
		}
		state = again
	}
	return nil
}

// fatal says whether a failure is one that Isolate has found: no retry and no handler may hide it.
func fatal(err error) bool { return errors.Is(err, ErrStateChanged) || errors.Is(err, ErrImpureApply) }
