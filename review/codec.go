package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// version of the encoding of entries. Every version that was released stays readable.
const version = 1

type stored struct {
	Version int `json:"v"`
	Entry
}

// Encode is e as stores keep it: JSON with a version. It returns ErrInvalid for an entry that is not valid.
func Encode(e Entry) ([]byte, error) {
	e = e.normal()
	if err := e.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(stored{version, e}); err != nil {
		return nil, fmt.Errorf("review %s: %w", e.ID, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Decode reads what Encode wrote for the entry with that id. Everything that is wrong with it is a [*RowError].
func Decode(id string, data []byte) (Entry, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return Entry{ID: id}, &RowError{ID: id, Err: err}
	}
	if s.Version < 1 || s.Version > version {
		return Entry{ID: id}, &RowError{ID: id, Err: fmt.Errorf("its version is %d, and this kbagent knows up to %d", s.Version, version)}
	}
	if s.ID != id {
		return Entry{ID: id}, &RowError{ID: id, Err: fmt.Errorf("it holds the entry %q", s.ID)}
	}
	if err := s.Validate(); err != nil {
		return Entry{ID: id}, &RowError{ID: id, Err: err}
	}
	return s.Entry, nil
}

// RunKey stands for the run of a thread, whatever the length of their names.
func RunKey(thread, run string) []byte {
	h := sha256.New()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(thread)))) // a hash never fails
	_, _ = h.Write([]byte(thread + run))
	return h.Sum(nil)
}

// Apply is the body of [Store.Change]: it decodes a row, changes it and encodes it again.
func Apply(id string, data []byte, change func(*Entry) error) (Entry, []byte, error) {
	e, err := Decode(id, data)
	if err != nil {
		return Entry{}, nil, err
	}
	thread, run := e.Thread, e.Run
	if err := change(&e); err != nil {
		return Entry{}, nil, err
	}
	if e.ID != id || e.Thread != thread || e.Run != run {
		return Entry{}, nil, errors.New("review: a change must leave id, thread and run alone")
	}
	if data, err = Encode(e); err != nil {
		return Entry{}, nil, err
	}
	return e.normal(), data, nil
}

// Normal is e as a store returns it after [Store.Submit]: with its times in UTC, in steps of a microsecond.
func Normal(e Entry) Entry { return e.normal() }
