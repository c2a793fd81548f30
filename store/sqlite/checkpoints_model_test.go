package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// A model runs random calls on a MemoryStore and on several stores over one file, which take turns.
type model struct {
	t      *testing.T
	rand   *rand.Rand
	want   graph.Store
	got    []graph.Store
	claims []claimed
}

// claimed is a claim with its fences in both worlds.
type claimed struct {
	thread    string
	want, got int64
}

var modelThreads = []string{"a", "a\x1fx", "a\x1fx\x1fy", "ab", "b", "b\x1fx", "c"}

func TestRandomCallsLeaveTheSameAsInMemoryWhoeverMakesThem(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	path := filepath.Join(t.TempDir(), "kb.db")
	one := openCheckpoints(t, path, sqlite.Options{Synchronous: "NORMAL"})
	two := openCheckpoints(t, path, sqlite.Options{Synchronous: "NORMAL"})
	m := &model{t: t, rand: rand.New(rand.NewPCG(seed, 0)), want: graph.NewMemoryStore(), got: []graph.Store{
		one.Checkpoints(), one.Checkpoints(), two.Checkpoints(),
	}}
	for n := range 1500 {
		what := m.call()
		m.same(fmt.Sprintf("seed %d, call %d: %s", seed, n, what))
	}
	m.all()
}

// store is mostly the one that was used last, so that what it remembers is used too.
func (m *model) store() graph.Store {
	if m.rand.IntN(8) == 0 {
		i := 1 + m.rand.IntN(len(m.got)-1)
		m.got[0], m.got[i] = m.got[i], m.got[0]
	}
	return m.got[0]
}

func (m *model) thread() string { return modelThreads[m.rand.IntN(len(modelThreads))] }

// call makes one call on both and compares how they end.
func (m *model) call() string {
	thread, got := m.thread(), m.store()
	switch k := m.rand.IntN(100); {
	case k < 10 || len(m.claims) == 0:
		return m.claim(got, thread)
	case k < 60:
		return m.commit(got)
	case k < 85:
		return m.pend(got)
	case k < 90:
		return m.trim(got, thread)
	case k < 97:
		to := m.thread()
		m.equal(m.want.Copy(m.t.Context(), thread, to), got.Copy(m.t.Context(), thread, to))
		return fmt.Sprintf("copy %q to %q", thread, to)
	default:
		m.equal(m.want.Delete(m.t.Context(), thread), got.Delete(m.t.Context(), thread))
		return fmt.Sprintf("delete %q", thread)
	}
}

func (m *model) claim(got graph.Store, thread string) string {
	c := claimed{thread: thread}
	var err error
	c.want, err = m.want.Claim(m.t.Context(), thread)
	require.NoError(m.t, err)
	c.got, err = got.Claim(m.t.Context(), thread)
	require.NoError(m.t, err)
	m.claims = append(m.claims, c)
	return fmt.Sprintf("claim %q", thread)
}

// holder is one of the newer claims.
func (m *model) holder() claimed {
	return m.claims[len(m.claims)-1-m.rand.IntN(min(len(m.claims), 12))]
}

// next is the number of the next entry, or now and then another one.
func (m *model) next(thread string) int64 {
	rec, err := m.want.Load(m.t.Context(), thread)
	require.NoError(m.t, err)
	if m.rand.IntN(12) == 0 {
		return rec.Seq() + int64(m.rand.IntN(4)-1)
	}
	return rec.Seq() + 1
}

func (m *model) data() []byte {
	return bytes.Repeat([]byte{byte('a' + m.rand.IntN(26))}, m.rand.IntN(3)*m.rand.IntN(3)*500)
}

func (m *model) commit(got graph.Store) string {
	c := m.holder()
	seq := m.next(c.thread)
	entries := make([]graph.Entry, 1+m.rand.IntN(3)/2)
	for i := range entries {
		entries[i] = graph.Entry{Seq: seq + int64(i), Data: m.data(), Settles: m.rand.IntN(2) == 0}
		if m.rand.IntN(8) == 0 {
			entries[i].Snapshot = append(m.data(), 'S')
		}
	}
	m.equal(m.want.Commit(m.t.Context(), c.thread, c.want, entries), got.Commit(m.t.Context(), c.thread, c.got, entries))
	return fmt.Sprintf("commit %d to %q", seq, c.thread)
}

func (m *model) pend(got graph.Store) string {
	c := m.holder()
	seq := m.next(c.thread)
	writes := make([]graph.PendingWrite, 1+m.rand.IntN(3)/2)
	for i := range writes {
		writes[i] = graph.PendingWrite{Seq: seq, Key: fmt.Sprint(m.rand.IntN(5)), Data: m.data()}
	}
	m.equal(m.want.Pend(m.t.Context(), c.thread, c.want, writes), got.Pend(m.t.Context(), c.thread, c.got, writes))
	return fmt.Sprintf("pend %d of %q", seq, c.thread)
}

func (m *model) trim(got graph.Store, thread string) string {
	log := entriesOf(m.t, m.want, thread)
	cut := graph.Cut{Seq: 1, New: append(m.data(), 'T')}
	if len(log) > 0 {
		at := m.rand.IntN(len(log))
		cut.Seq, cut.Old = log[at].Seq, log[at].Data
		for _, e := range log[at+1:] {
			if m.rand.IntN(2) == 0 && (e.Seq != log[len(log)-1].Seq || m.rand.IntN(8) == 0) {
				cut.Drop = append(cut.Drop, e.Seq)
			}
		}
	}
	m.equal(m.want.Trim(m.t.Context(), thread, cut), got.Trim(m.t.Context(), thread, cut))
	return fmt.Sprintf("trim %q from %d without %v", thread, cut.Seq, cut.Drop)
}

// equal compares two errors by their sentinel.
func (m *model) equal(want, got error) {
	m.t.Helper()
	for _, e := range []error{graph.ErrFenced, graph.ErrSequence, graph.ErrNoThread, graph.ErrThreadExists, graph.ErrConflict} {
		require.Equal(m.t, errors.Is(want, e), errors.Is(got, e), "want %v, got %v", want, got)
	}
	require.Equal(m.t, want == nil, got == nil, "want %v, got %v", want, got)
}

// same compares what one of the stores reads.
func (m *model) same(what string) {
	m.t.Helper()
	thread, got := m.thread(), m.got[m.rand.IntN(len(m.got))]
	want, err := m.want.Load(m.t.Context(), thread)
	require.NoError(m.t, err)
	rec, err := got.Load(m.t.Context(), thread)
	require.NoError(m.t, err, what)
	require.Equal(m.t, fmt.Sprint(want), fmt.Sprint(rec), "%s: load of %q", what, thread)
	require.Equal(m.t, fmt.Sprint(entriesOf(m.t, m.want, thread)), fmt.Sprint(entriesOf(m.t, got, thread)), "%s: log of %q", what, thread)
	require.Equal(m.t, listOf(m.t, m.want), listOf(m.t, got), what)
}

// all compares everything that all stores read.
func (m *model) all() {
	for range 100 {
		m.same("in the end")
	}
}

func entriesOf(t testing.TB, store graph.Store, thread string) (log []graph.Entry) {
	t.Helper()
	for e, err := range store.Log(t.Context(), thread, 0) {
		require.NoError(t, err)
		log = append(log, e)
	}
	return log
}

func listOf(t testing.TB, store graph.Store) (list []graph.ThreadInfo) {
	t.Helper()
	for info, err := range store.Threads(t.Context()) {
		require.NoError(t, err)
		list = append(list, info)
	}
	return slices.Clip(list)
}
