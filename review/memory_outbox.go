package review

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Take implements Outbox.
func (m *MemoryStore) Take(ctx context.Context, channel string, now, until time.Time) (Notice, bool, error) {
	if err := ctx.Err(); err != nil {
		return Notice{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var best *memoryNotice
	for _, n := range m.notices {
		if n.Channel == channel && n.Open() && !n.Due.After(now) && !n.taken.After(now) && (best == nil || n.before(best)) {
			best = n
		}
	}
	if best == nil {
		return Notice{}, false, nil
	}
	best.Attempts++
	best.taken = moment(until)
	return best.Notice, true, nil
}

func (n *memoryNotice) before(m *memoryNotice) bool {
	return cmp.Or(n.Due.Compare(m.Due), cmp.Compare(n.Entry, m.Entry), cmp.Compare(n.Channel, m.Channel)) < 0
}

// Settle implements Outbox.
func (m *MemoryStore) Settle(ctx context.Context, n Notice) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.notices[[2]string{n.Entry, n.Channel}]
	if !ok || !kept.Open() || kept.Attempts != n.Attempts && n.SentAt.IsZero() {
		return nil
	}
	kept.SentAt, kept.Dropped, kept.LastError, kept.Due = moment(n.SentAt), n.Dropped, n.LastError, moment(n.Due)
	kept.taken = time.Time{}
	return nil
}

// Notices implements Outbox.
func (m *MemoryStore) Notices(ctx context.Context, id string) ([]Notice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []*memoryNotice
	for _, n := range m.notices {
		if n.Entry == id || id == "" && n.Open() {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b *memoryNotice) int {
		if id != "" {
			return cmp.Compare(a.Channel, b.Channel)
		}
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Channel, b.Channel))
	})
	out := make([]Notice, len(list))
	for i, n := range list {
		out[i] = n.Notice
	}
	return out, nil
}

// Hasten implements Outbox.
func (m *MemoryStore) Hasten(ctx context.Context, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.notices {
		if n.Open() && n.Due.After(now) && !n.taken.After(now) {
			n.Due = moment(now)
		}
	}
	return nil
}
