package evalcache

import (
	"bytes"
	"container/list"
	"context"
	"sync"
	"time"
)

// memory is a cache in this process, bounded by entries: the least recently used one goes.
type memory struct {
	opts Options

	mu     sync.Mutex
	recent *list.List // of *entry, the last used in front
	byKey  map[string]*list.Element
}

type entry struct {
	key     string
	value   []byte
	expires time.Time
}

func newMemory(opts Options) *memory {
	return &memory{opts: opts, recent: list.New(), byKey: make(map[string]*list.Element)}
}

func (m *memory) Get(_ context.Context, key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	element, ok := m.byKey[key]
	if !ok {
		return nil, false
	}
	e := element.Value.(*entry)
	if !m.opts.Now().Before(e.expires) {
		m.remove(element)
		return nil, false
	}
	m.recent.MoveToFront(element)
	return bytes.Clone(e.value), true
}

func (m *memory) Put(_ context.Context, key string, value []byte) {
	if len(value) > m.opts.MaxValue {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if element, ok := m.byKey[key]; ok {
		m.remove(element)
	}
	for m.recent.Len() >= m.opts.MaxEntries {
		m.remove(m.recent.Back())
	}
	m.byKey[key] = m.recent.PushFront(&entry{key, append([]byte{}, value...), m.opts.Now().Add(m.opts.TTL)})
}

func (m *memory) remove(element *list.Element) {
	m.recent.Remove(element)
	delete(m.byKey, element.Value.(*entry).key)
}

func (m *memory) Close() error { return nil }
