package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Errors of versions of the user's state.
var (
	// ErrStateVersion reports a [StateVersion] that makes no sense, or that was given to a call.
	ErrStateVersion = errors.New("bad state version")
	// ErrMigration reports a [Migration] that has failed on a stored row; see [RowError].
	ErrMigration = errors.New("stored row could not be brought to the present version")
)

// A Migration brings what one version of the state and of the update has stored to the next version. Its functions get the
// JSON of the older version, must return that of the newer one, and may be called by several goroutines; nil leaves things
// as they are. They must be pure: a row is migrated again each time it is read, for as long as it is stored.
type Migration struct {
	State  func(state json.RawMessage) (json.RawMessage, error)  // of whole states: snapshots, forks
	Update func(update json.RawMessage) (json.RawMessage, error) // of updates: inputs, what tasks wrote, edits
}

// StateVersion says that S and U are in version n (≥ 1), and how what older versions have stored is read: migrations[i]
// takes version i+1 to i+2, so that there are n-1 of them. Without this option the version is 1.
// It is for [Graph.Compile] only.
//
// Raise the version when JSON of the old types would be read wrongly, such as after a field was renamed. New fields whose zero
// value is right need no version. What a thread has stored stays as it is; what it stores from then on is of version n.
// A row of a later version is an [ErrNewerFormat], a failing migration an [ErrMigration], both in a [RowError].
//
// Not migrated are arguments of Sends, results of [Once], and answers of [Ask]: they are the business of their nodes, whose types must go on
// reading what is stored. Nor are names: see [ErrGraphChanged]. A sub-graph has versions of its own.
func StateVersion(n int, migrations ...Migration) Option {
	return func(s *settings) error {
		if n < 1 || len(migrations) != n-1 {
			return fmt.Errorf("%w: StateVersion(%d) with %d migrations", ErrStateVersion, n, len(migrations))
		}
		s.versions = &stateVersions{slices.Clone(migrations)}
		return nil
	}
}

// stateVersions knows the versions of a state; nil knows the first one.
type stateVersions struct{ steps []Migration }

// current is the version that is written.
func (v *stateVersions) current() int {
	if v == nil {
		return 1
	}
	return len(v.steps) + 1
}

// stored is current as rows have it: the first version is left out.
func (v *stateVersions) stored() int {
	if n := v.current(); n > 1 {
		return n
	}
	return 0
}

// text is the field of a row that is written by hand.
func (v *stateVersions) text() string {
	if n := v.stored(); n > 0 {
		return fmt.Sprintf(`,"sv":%d`, n)
	}
	return ""
}

// after lists the migrations for a row of a stored version.
func (v *stateVersions) after(stored int) ([]Migration, error) {
	version := max(stored, 1)
	switch {
	case stored < 0:
		return nil, fmt.Errorf("%w: state version %d", ErrDamaged, stored)
	case version > v.current():
		return nil, fmt.Errorf("%w: state version %d, this graph knows %d", ErrNewerFormat, version, v.current())
	case v == nil:
		return nil, nil
	}
	return v.steps[version-1:], nil
}

// state brings a whole state of a stored version to the present one.
func (v *stateVersions) state(stored int, data json.RawMessage) (json.RawMessage, error) {
	steps, err := v.after(stored)
	for i := range steps {
		if err == nil {
			data, err = migrate("the state", v.current()-len(steps)+i, steps[i].State, data)
		}
	}
	return data, err
}

// writes brings updates of a stored version to the present one, in their place.
func (v *stateVersions) writes(stored int, writes ...*storedWrite) error {
	steps, err := v.after(stored)
	if err != nil || len(steps) == 0 {
		return err
	}
	for _, w := range writes {
		if w.Update == nil {
			continue
		}
		for i := range steps {
			from := v.current() - len(steps) + i
			if w.Update, err = migrate("the update of "+w.Task, from, steps[i].Update, w.Update); err != nil {
				return err
			}
			for k := range w.More {
				if w.More[k], err = migrate("an update of "+w.Task, from, steps[i].Update, w.More[k]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// migrate takes data from one version to the next.
func migrate(what string, from int, fn func(json.RawMessage) (json.RawMessage, error), data json.RawMessage) (next json.RawMessage, err error) {
	if fn == nil {
		return data, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
		if err != nil {
			err = fmt.Errorf("%w: %s, from version %d: %w", ErrMigration, what, from, err)
		}
	}()
	if next, err = fn(slices.Clone(data)); err == nil && !json.Valid(next) {
		err = fmt.Errorf("what it returned is not JSON: %.100q", next)
	}
	return next, err
}

// checkVersions refuses graphs on the same state that have it in another version.
func (g *Graph[S, U]) checkVersions(v *stateVersions) []error {
	var mistakes []error
	for i := range g.nodes {
		if b := &g.nodes[i]; b.inline != nil && b.version != v.current() && b.version != 0 {
			mistakes = append(mistakes, fmt.Errorf("%w: the graph of node %q has its state in version %d instead of %d",
				ErrStateVersion, b.ref.name, b.version, v.current()))
		}
	}
	return mistakes
}
