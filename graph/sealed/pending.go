package sealed

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
)

// What is sealed of a pending write is the fence that it was written under, its key, and its data.
//
// The name that it has in the inner store comes from the key that seals and from the thread, so one pending write gets another
// name when the key was replaced or the thread copied in between, and the inner store then keeps both. The later one is
// that with the greater fence: both changes need another claim, and fences grow from claim to claim.

func (s *store) sealPending(thread string, fence int64, w *graph.PendingWrite) graph.PendingWrite {
	name := s.keys.name(thread, w.Seq, w.Key)
	plain := make([]byte, 0, 2*binary.MaxVarintLen64+len(w.Key)+len(w.Data))
	plain = binary.AppendVarint(plain, fence)
	plain = binary.AppendUvarint(plain, uint64(len(w.Key)))
	plain = append(plain, w.Key...)
	plain = append(plain, w.Data...)
	return graph.PendingWrite{Seq: w.Seq, Key: name, Data: s.keys.seal(place{pendingKind, w.Seq, name}, plain)}
}

// fencedWrite is a pending write that was opened.
type fencedWrite struct {
	graph.PendingWrite
	fence int64
}

// openPending opens the pending writes of a thread. Of several with one key the latest stays.
func (s *store) openPending(thread string, rows []graph.PendingWrite) ([]graph.PendingWrite, error) {
	opened := make([]fencedWrite, len(rows))
	for i := range rows {
		w, err := s.openWrite(&rows[i])
		if err != nil {
			return nil, &graph.RowError{Thread: thread, Seq: rows[i].Seq, Row: "pending write", Err: err}
		}
		opened[i] = w
	}
	slices.SortStableFunc(opened, func(a, b fencedWrite) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(b.fence, a.fence))
	})
	writes := rows[:0]
	for i := range opened {
		if i == 0 || opened[i].Key != opened[i-1].Key {
			writes = append(writes, opened[i].PendingWrite)
		}
	}
	return writes, nil
}

func (s *store) openWrite(row *graph.PendingWrite) (fencedWrite, error) {
	plain, err := s.keys.open(place{pendingKind, row.Seq, row.Key}, row.Data)
	if err != nil {
		return fencedWrite{}, err
	}
	fence, n := binary.Varint(plain)
	if n <= 0 {
		return fencedWrite{}, fmt.Errorf("%w: no fence", graph.ErrDamaged)
	}
	plain = plain[n:]
	size, n := binary.Uvarint(plain)
	if n <= 0 || size > uint64(len(plain)-n) {
		return fencedWrite{}, fmt.Errorf("%w: no key", graph.ErrDamaged)
	}
	key, data := plain[n:n+int(size)], plain[n+int(size):]
	return fencedWrite{graph.PendingWrite{Seq: row.Seq, Key: string(key), Data: data}, fence}, nil
}
