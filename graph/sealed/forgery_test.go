package sealed_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/sealed"
)

// forged fills thread t of a new store and returns the store with a forger in between.
func forged(t *testing.T) (graph.Store, *forger) {
	t.Helper()
	f := &forger{Store: graph.NewMemoryStore()}
	s := seal(t, f, keyOf(1))
	fill(t, s, "t")
	return s, f
}

func TestEveryChangedByteOfEveryRowIsNoticed(t *testing.T) {
	s, f := forged(t)
	rec := load(t, f.Store, "t")
	rows := map[string]int{"snapshot": len(rec.Snapshot), "entry": len(rec.Log[0].Data), "pending write": len(rec.Pending[0].Data)}
	for name, size := range rows {
		for i := range size {
			f.record = func(r *graph.Record) {
				map[string][]byte{"snapshot": r.Snapshot, "entry": r.Log[0].Data, "pending write": r.Pending[0].Data}[name][i] ^= 0x40
			}
			_, err := s.Load(t.Context(), "t")
			var row *graph.RowError
			require.ErrorAs(t, err, &row, "byte %d of the %s", i, name)
			require.Equal(t, name, row.Row)
			known := errors.Is(err, graph.ErrDamaged) || errors.Is(err, graph.ErrNewerFormat) || errors.Is(err, sealed.ErrKey)
			require.True(t, known, "byte %d of the %s: %v", i, name, err)
		}
	}
}

func TestARowThatIsCutOffIsDamaged(t *testing.T) {
	s, f := forged(t)
	for size := range len(load(t, f.Store, "t").Log[0].Data) {
		f.record = func(r *graph.Record) { r.Log[0].Data = r.Log[0].Data[:size] }
		_, err := s.Load(t.Context(), "t")
		require.ErrorIs(t, err, graph.ErrDamaged, "%d bytes", size)
	}
}

func TestARowOfALaterVersionIsRefused(t *testing.T) {
	s, f := forged(t)
	f.entry = func(e *graph.Entry) { e.Data[3]++ }
	_, err := whole(t.Context(), s, "t")
	require.ErrorIs(t, err, graph.ErrNewerFormat)
	f.entry = func(e *graph.Entry) { e.Data[3]-- }
	_, err = whole(t.Context(), s, "t")
	require.ErrorIs(t, err, graph.ErrDamaged, "there was no version 0")
}

func TestAPlainRowIsDamagedAndNeverReturned(t *testing.T) {
	inner := graph.NewMemoryStore()
	fill(t, inner, "t")
	s := seal(t, inner, keyOf(1))
	_, err := s.Load(t.Context(), "t")
	require.ErrorIs(t, err, graph.ErrDamaged)
	for e, err := range s.Log(t.Context(), "t", 0) {
		require.ErrorIs(t, err, graph.ErrDamaged)
		require.Empty(t, e)
	}
	err = s.Trim(t.Context(), "t", graph.Cut{Seq: 1, Old: []byte("one of t"), New: []byte("base")})
	require.ErrorIs(t, err, graph.ErrDamaged)
}

func TestARowInAnotherPlaceIsDamaged(t *testing.T) {
	s, f := forged(t)
	row := bytes.Clone(load(t, f.Store, "t").Log[0].Data) // entry 2
	for name, forge := range map[string]func(*graph.Record){
		"an entry under another number":          func(r *graph.Record) { r.Log[0].Seq = 3 },
		"an entry as snapshot":                   func(r *graph.Record) { r.Snapshot, r.SnapshotSeq = row, 2 },
		"a snapshot of another entry":            func(r *graph.Record) { r.SnapshotSeq = 2 },
		"a snapshot as entry":                    func(r *graph.Record) { r.Log[0] = graph.Entry{Seq: 1, Data: r.Snapshot} },
		"an empty snapshot":                      func(r *graph.Record) { r.Snapshot = []byte{} },
		"a snapshot that is gone":                func(r *graph.Record) { r.Snapshot = nil },
		"a snapshot of nothing":                  func(r *graph.Record) { r.SnapshotSeq = 0 },
		"a pending write of another step":        func(r *graph.Record) { r.Pending[0].Seq = 4 },
		"a pending write under another key":      func(r *graph.Record) { r.Pending[0].Key = r.Pending[1].Key },
		"two pending writes that changed places": func(r *graph.Record) { p := r.Pending; p[0].Data, p[1].Data = p[1].Data, p[0].Data },
		"a pending write as entry":               func(r *graph.Record) { r.Log[0] = graph.Entry{Seq: 3, Data: r.Pending[0].Data} },
		"an entry as pending write":              func(r *graph.Record) { r.Pending[0] = graph.PendingWrite{Seq: 2, Data: row} },
	} {
		f.record = forge
		_, err := s.Load(t.Context(), "t")
		require.ErrorIs(t, err, graph.ErrDamaged, name)
	}
}

// What the package says that a seal does not prevent.
func TestARowInTheSamePlaceOfAnotherThreadIsTaken(t *testing.T) {
	s, f := forged(t)
	fill(t, s, "u")
	row := load(t, f.Store, "u").Log[0].Data
	f.record = func(r *graph.Record) { r.Log[0].Data = bytes.Clone(row) }
	require.Equal(t, "two of u", string(load(t, s, "t").Log[0].Data))
}
