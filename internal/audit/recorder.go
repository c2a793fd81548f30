package audit

import (
	"encoding/json"
	"slices"
	"sync"
)

// Recorder keeps entries in memory, for tests. It masks and refuses what a [Log] would, and gives the details back as they
// would be read from the file: numbers are float64. It is safe for concurrent use.
type Recorder struct {
	hider
	mu      sync.Mutex
	entries []Entry
}

// NewRecorder makes an empty recorder. A zero Recorder works too.
func NewRecorder(opts ...Option) *Recorder { return &Recorder{hider: newHider(opts)} }

// Write keeps one entry. Its error is that of an entry that cannot be encoded.
func (r *Recorder) Write(e Entry) error {
	text, err := r.encode(e)
	if err != nil {
		return err
	}
	kept, err := decode(text)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, kept)
	return nil
}

// Entries are the entries so far, in the order in which they were written. The list is the caller's, the details are not.
func (r *Recorder) Entries() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries)
}

// Actions are the actions of the entries, in their order.
func (r *Recorder) Actions() []string {
	entries := r.Entries()
	actions := make([]string, len(entries))
	for i, e := range entries {
		actions[i] = e.Action
	}
	return actions
}

// decode reads one line.
func decode(text []byte) (Entry, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Entry{}, err
	}
	e := Entry{Time: l.Time, Thread: l.Thread, Run: l.Run, Step: l.Step, Action: l.Action}
	return e, json.Unmarshal(l.Details, &e.Details)
}
