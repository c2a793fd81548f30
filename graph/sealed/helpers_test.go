package sealed_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/sealed"
)

// keyOf is a key that is as good as any other, for tests.
func keyOf(b byte) []byte { return bytes.Repeat([]byte{b}, sealed.KeySize) }

func seal(t testing.TB, inner graph.Store, key []byte, old ...[]byte) graph.Store {
	t.Helper()
	s, err := sealed.New(inner, key, old...)
	require.NoError(t, err)
	return s
}

// fill claims a thread of a store and gives it two entries, a snapshot of the first, and two pending writes.
func fill(t testing.TB, s graph.Store, thread string) (fence int64) {
	t.Helper()
	fence, err := s.Claim(t.Context(), thread)
	require.NoError(t, err)
	require.NoError(t, s.Commit(t.Context(), thread, fence, []graph.Entry{
		{Seq: 1, Data: []byte("one of " + thread), Snapshot: []byte("state of " + thread)},
		{Seq: 2, Data: []byte("two of " + thread)},
	}))
	pend(t, s, thread, fence, 3, "ask", "question")
	pend(t, s, thread, fence, 3, "work", "result")
	return fence
}

func pend(t testing.TB, s graph.Store, thread string, fence, seq int64, key, data string) {
	t.Helper()
	require.NoError(t, s.Pend(t.Context(), thread, fence, []graph.PendingWrite{{Seq: seq, Key: key, Data: []byte(data)}}))
}

// pendings are the pending writes of a thread as words.
func pendings(t testing.TB, s graph.Store, thread string) string {
	t.Helper()
	var words []string
	for _, w := range load(t, s, thread).Pending {
		words = append(words, fmt.Sprintf("%d/%s:%s", w.Seq, w.Key, w.Data))
	}
	return strings.Join(words, " ")
}

func load(t testing.TB, s graph.Store, thread string) graph.Record {
	t.Helper()
	rec, err := s.Load(t.Context(), thread)
	require.NoError(t, err)
	return rec
}

// whole loads a thread and reads its log, as text, or returns the first error.
func whole(ctx context.Context, s graph.Store, thread string) (string, error) {
	rec, err := s.Load(ctx, thread)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%s", rec.SnapshotSeq, rec.Snapshot)
	for e, err := range s.Log(ctx, thread, 0) {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, " %d:%s", e.Seq, e.Data)
	}
	for _, w := range rec.Pending {
		fmt.Fprintf(&b, " %d/%s:%s", w.Seq, w.Key, w.Data)
	}
	return b.String(), nil
}

// A forger is a store whose rows someone changes who has the database and no key.
type forger struct {
	graph.Store
	record func(*graph.Record)
	entry  func(*graph.Entry)
}

func (f *forger) Load(ctx context.Context, thread string) (graph.Record, error) {
	rec, err := f.Store.Load(ctx, thread)
	if f.record != nil {
		f.record(&rec)
	}
	return rec, err
}

func (f *forger) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return func(yield func(graph.Entry, error) bool) {
		for e, err := range f.Store.Log(ctx, thread, after) {
			if f.entry != nil {
				f.entry(&e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
