package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// formatVersion is the version of everything this package stores. Rows of a later version are refused, never guessed at.
const formatVersion = 1

// Kinds of stored rows.
const (
	inputEntry  = "input"
	stepEntry   = "step"
	editEntry   = "edit"     // UpdateState: written like a step
	forkEntry   = "fork"     // a whole state, too: no older entry is needed to read it
	baseEntry   = "base"     // a whole state, written like a snapshot
	snapshotRow = "snapshot" // not an entry, but written like one
	pendingRow  = "pending"  // neither
)

// storedEntry is what Entry.Data holds.
type storedEntry struct {
	Version      int           `json:"v"`
	Kind         string        `json:"kind"`
	Run          int64         `json:"run"`
	Step         int           `json:"step"`
	StateVersion int           `json:"sv,omitzero"`    // version of the updates; 0 = 1
	At           int64         `json:"at,omitzero"`    // Unix milliseconds, for people: nothing is ordered by it
	Graph        string        `json:"graph,omitzero"` // fingerprint, when it differs from that of the entry before
	Discarded    bool          `json:"discarded,omitzero"`
	Writes       []storedWrite `json:"writes"`
	Position     Position      `json:"position"`
}

type storedWrite struct {
	Task    string            `json:"task"`
	Node    string            `json:"node"`
	Update  json.RawMessage   `json:"update,omitempty"` // nil: the task failed, and a handler stands in
	More    []json.RawMessage `json:"more,omitempty"`   // further updates, of a sub-graph with the same state
	Outcome Outcome           `json:"outcome,omitzero"`
	Answers []storedAnswer    `json:"answers,omitempty"` // that the task got on its way
}

// storedAnswer is an answer to a question of a finished task.
type storedAnswer struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// storedPending is what PendingWrite.Data holds.
type storedPending struct {
	Version      int    `json:"v"`
	Kind         string `json:"kind"`
	Run          int64  `json:"run"`
	Step         int    `json:"step"`
	Attempt      int    `json:"attempt"`
	StateVersion int    `json:"sv"` // version of the update; 0 = 1
	storedWrite
	noteFields
}

// noteFields are those of a note that a write does not have.
type noteFields struct {
	Key     string          `json:"key"`
	Order   int             `json:"order"`
	Value   json.RawMessage `json:"value"`
	Prompt  json.RawMessage `json:"prompt"`
	Want    string          `json:"want"`
	Expires int64           `json:"expires"`
	Answer  json.RawMessage `json:"answer"`
	Seen    bool            `json:"seen"`
	Gone    bool            `json:"gone"`
	Inner   *Interrupt      `json:"inner"`
}

// note is a pending row that is no write.
func (p *storedPending) note() *note {
	return &note{
		Kind: p.Kind, Task: p.Task, Node: p.Node, Key: p.Key, Order: p.Order, Value: p.Value, Prompt: p.Prompt,
		Want: p.Want, Expires: p.Expires, Answer: p.Answer, Seen: p.Seen, Gone: p.Gone, Inner: p.Inner,
	}
}

// storedNote is what a pending write of a note holds.
type storedNote struct {
	Version int   `json:"v"`
	Run     int64 `json:"run"`
	Step    int   `json:"step"`
	note
}

// storedSnapshot is what Entry.Snapshot holds.
type storedSnapshot struct {
	Version      int             `json:"v"`
	Kind         string          `json:"kind"` // snapshotRow; forkEntry and baseEntry where it stands in the log
	Run          int64           `json:"run"`
	Step         int             `json:"step"`
	Graph        string          `json:"graph"`
	Position     Position        `json:"position"`
	State        json.RawMessage `json:"state"`
	Last         []string        `json:"last,omitempty"` // nodes of the step that led here
	StateVersion int             `json:"sv,omitzero"`    // version of the state; 0 = 1
	At           int64           `json:"at,omitzero"`

	From      int64  `json:"from,omitzero"` // of a fork: the entry whose state this is
	Was       string `json:"was,omitzero"`  // of a base: the kind of the entry that it stands in for
	Discarded bool   `json:"discarded,omitzero"`
}

// IsZero lets the codec leave out an outcome that says nothing.
func (o Outcome) IsZero() bool {
	return o.Route == "" && len(o.Goto) == 0 && len(o.Sends) == 0 && o.Failure == nil
}

// decode reads a stored row into v after a look at its version.
func decode(data []byte, v any) error {
	var head struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	switch {
	case head.Version > formatVersion:
		return fmt.Errorf("%w: format %d, this version knows %d", ErrNewerFormat, head.Version, formatVersion)
	case head.Version < 1:
		return fmt.Errorf("%w: it names no format", ErrDamaged)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// A writer builds JSON by hand: the hot path encodes nothing but the user's update by reflection.
type writer struct {
	buf []byte
	enc *json.Encoder
	err error // the first one of value
}

func newWriter() *writer {
	w := &writer{}
	w.enc = json.NewEncoder(w)
	w.enc.SetEscapeHTML(false)
	return w
}

// Write takes what the encoder produces.
func (w *writer) Write(p []byte) (int, error) {
	copy(w.grow(len(p)), p)
	return len(p), nil
}

func (w *writer) reset() { w.buf, w.err = w.buf[:0], nil }

func (w *writer) text(s string) { copy(w.grow(len(s)), s) }

// grow makes the text longer by n bytes and returns these. Within the capacity only the length changes: append would store the
// pointer again, which costs a write barrier whenever the garbage collector runs.
func (w *writer) grow(n int) []byte {
	old := len(w.buf)
	if cap(w.buf)-old < n {
		w.buf = slices.Grow(w.buf, n)
	}
	w.buf = w.buf[:old+n]
	return w.buf[old:]
}

func (w *writer) int(n int64) { w.buf = strconv.AppendInt(w.buf, n, 10) }

// value writes v; the first error, or panic of the user's code, stays in w.err.
func (w *writer) value(v any) {
	defer func() {
		if p := recover(); p != nil && w.err == nil {
			w.err = panicError(p)
		}
	}()
	if err := w.enc.Encode(v); err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	w.buf = w.buf[:len(w.buf)-1] // the encoder's newline
}

// writeUpdates writes what a task returned.
func writeUpdates[U any](w *writer, first *U, more []U) {
	w.text(`,"update":`)
	w.value(first)
	if len(more) > 0 {
		w.text(`,"more":`)
		w.value(more)
	}
}

// headText is what head begins with.
var headText = `{"v":` + strconv.Itoa(formatVersion) + `,"kind":"`

// head writes the fields that entries and pending writes begin with, without the closing brace.
func (w *writer) head(kind string, run int64, step int) {
	w.text(headText)
	w.text(kind)
	w.text(`","run":`)
	w.int(run)
	w.text(`,"step":`)
	w.int(int64(step))
}

// nodeText is what the codec writes of a node again and again, encoded once.
type nodeText struct {
	write    string   // `"task":"n","node":"n"` of a plain task
	name     string   // `"n"`
	next     string   // `{"node":"n"}`
	outcomes []string // `,"outcome":{"route":"o"}` by branch
}

func newNodeText(n *planNode) nodeText {
	name := quote(n.name)
	t := nodeText{write: `"task":` + name + `,"node":` + name, name: name, next: `{"node":` + name + `}`}
	for _, b := range n.branches {
		t.outcomes = append(t.outcomes, `,"outcome":{"route":`+quote(b.outcome)+`}`)
	}
	return t
}

// position writes pos; the usual one, plain tasks and nothing that waits, by hand.
func (w *writer) position(pos *Position, nodes []nodeText) {
	plain := len(pos.Deferred) == 0 && len(pos.Joins) == 0
	for i := range pos.Next {
		plain = plain && pos.Next[i].Send == 0 && pos.Next[i].For == "" && pos.Next[i].at > 0
	}
	switch {
	case !plain:
		w.value(pos)
		return
	case len(pos.Next) == 0:
		w.text(`{}`)
		return
	}
	w.text(`{"next":[`)
	for i := range pos.Next {
		if i > 0 {
			w.text(`,`)
		}
		w.text(nodes[pos.Next[i].at-1].next)
	}
	w.text(`]}`)
}

// quote is a name as a JSON string.
func quote(name string) string {
	data, err := json.Marshal(name)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(data)
}
