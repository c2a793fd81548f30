package review

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"
)

// MemoryStore is a Store that lives as long as the process, for tests and trials.
type MemoryStore struct {
	mu      sync.Mutex
	rows    map[string][]byte // encoded, so that nobody shares memory with the store
	runs    map[string]string // id by RunKey
	notices map[[2]string]*memoryNotice
}

type memoryNotice struct {
	Notice
	taken time.Time // until when
}

var _ Store = (*MemoryStore)(nil)

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{rows: map[string][]byte{}, runs: map[string]string{}, notices: map[[2]string]*memoryNotice{}}
}

// Submit implements Store.
func (m *MemoryStore) Submit(ctx context.Context, e Entry, channels []string) (Entry, bool, error) {
	data, err := Encode(e)
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return Entry{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := string(RunKey(e.Thread, e.Run))
	if id, ok := m.runs[key]; ok {
		first, err := Decode(id, m.rows[id])
		return first, false, err
	}
	if m.rows[e.ID] != nil {
		return Entry{}, false, IDTaken(e.ID)
	}
	m.rows[e.ID], m.runs[key] = data, e.ID
	for _, c := range channels {
		m.notices[[2]string{e.ID, c}] = &memoryNotice{Notice: Notice{Entry: e.ID, Channel: c, Due: moment(e.CreatedAt)}}
	}
	return e.normal(), true, nil
}

// Get implements Store.
func (m *MemoryStore) Get(ctx context.Context, id string) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.rows[id]
	if !ok {
		return Entry{}, NotFound(id)
	}
	return Decode(id, data)
}

// List implements Store. It yields what was there when the loop began.
func (m *MemoryStore) List(ctx context.Context, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		m.mu.Lock()
		rows := maps.Clone(m.rows)
		m.mu.Unlock()
		var list []Entry
		for id, data := range rows {
			if e, err := Decode(id, data); err == nil && f.Match(e) { // nobody can damage a row
				list = append(list, e)
			}
		}
		slices.SortFunc(list, Compare)
		if f.Limit > 0 && len(list) > f.Limit {
			list = list[:f.Limit]
		}
		for _, e := range list {
			if err := ctx.Err(); err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Change implements Store.
func (m *MemoryStore) Change(ctx context.Context, id string, change func(*Entry) error) (Entry, error) {
	if err := ctx.Err(); err != nil {
		return Entry{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.rows[id]
	if !ok {
		return Entry{}, NotFound(id)
	}
	e, data, err := Apply(id, data, change)
	if err == nil {
		m.rows[id] = data
	}
	return e, err
}
