package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/store/sqlite"
)

// Each of 64 goroutines writes a thread of its own; every fourth loses it to a later claim half-way.
func TestOfManyWritersExactlyThoseFailThatWereFencedOff(t *testing.T) {
	const writers, entries = 64, 40
	store := openCheckpoints(t, filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{}).Checkpoints()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			thread := fmt.Sprint("thread ", w)
			fence, err := store.Claim(t.Context(), thread)
			for seq := int64(1); err == nil && seq <= entries; seq++ {
				if w%4 == 0 && seq == entries/2 {
					fence, err = fenceOff(t.Context(), store, thread, fence, seq)
				}
				if err == nil {
					err = store.Commit(t.Context(), thread, fence, []graph.Entry{{Seq: seq, Data: fmt.Append(nil, seq, ";")}})
				}
			}
			if err != nil {
				t.Errorf("%s: %v", thread, err)
			}
		})
	}
	wg.Wait()
	want := ""
	for seq := range entries {
		want += fmt.Sprint(seq+1, ";")
	}
	for w := range writers {
		require.Equal(t, want, logOf(t, store, fmt.Sprint("thread ", w)))
	}
}

// fenceOff claims a thread anew and tries to write with the old fence.
func fenceOff(ctx context.Context, store graph.Store, thread string, old, seq int64) (fence int64, err error) {
	if fence, err = store.Claim(ctx, thread); err != nil {
		return 0, err
	}
	lost := []error{
		store.Commit(ctx, thread, old, []graph.Entry{{Seq: seq, Data: []byte("lost")}}),
		store.Pend(ctx, thread, old, []graph.PendingWrite{{Seq: seq, Data: []byte("lost")}}),
	}
	for _, err := range lost {
		if !errors.Is(err, graph.ErrFenced) {
			return 0, errors.Join(errors.New("the old fence wrote"), err)
		}
	}
	return fence, nil
}

// Three stores, two of them over one connection, and two files that stand for processes, fight for the same threads.
func TestWhateverIsAcknowledgedIsInTheLogWhoeverElseWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	one, two := openCheckpoints(t, path, sqlite.Options{}), openCheckpoints(t, path, sqlite.Options{})
	stores := []graph.Store{one.Checkpoints(), one.Checkpoints(), two.Checkpoints()}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		acked = map[string]map[int64]string{"a": {}, "b": {}}
	)
	for w := range 12 {
		wg.Go(func() {
			store, thread := stores[w%len(stores)], string("ab"[w%2])
			for i := range 15 {
				seq, err := claimAndCommit(t.Context(), store, thread, fmt.Sprint(w, ".", i))
				switch {
				case err == nil:
					mu.Lock()
					acked[thread][seq] = fmt.Sprint(w, ".", i)
					mu.Unlock()
				case !errors.Is(err, graph.ErrFenced) && !errors.Is(err, graph.ErrSequence):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for thread, want := range acked {
		got := map[int64]string{}
		for e, err := range stores[0].Log(t.Context(), thread, 0) {
			require.NoError(t, err)
			got[e.Seq] = string(e.Data)
		}
		require.Equal(t, want, got)
		require.NotEmpty(t, got)
	}
}

func claimAndCommit(ctx context.Context, store graph.Store, thread, data string) (seq int64, err error) {
	fence, err := store.Claim(ctx, thread)
	if err != nil {
		return 0, err
	}
	rec, err := store.Load(ctx, thread)
	if err != nil {
		return 0, err
	}
	seq = rec.Seq() + 1
	return seq, store.Commit(ctx, thread, fence, []graph.Entry{{Seq: seq, Data: []byte(data)}})
}

func TestClosingTheFileLosesNothingThatWasAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	store := db.Checkpoints()
	var (
		wg    sync.WaitGroup
		acked [32]atomic.Int64
		some  = make(chan struct{}, 1000)
	)
	for w := range acked {
		wg.Go(func() {
			fence, err := store.Claim(t.Context(), fmt.Sprint(w))
			for seq := int64(1); err == nil; seq++ {
				if err = store.Commit(t.Context(), fmt.Sprint(w), fence, []graph.Entry{{Seq: seq, Data: []byte("x")}}); err == nil {
					acked[w].Store(seq)
				}
				select {
				case some <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 100 {
		<-some
	}
	require.NoError(t, db.Close())
	wg.Wait()
	again := openCheckpoints(t, path, sqlite.Options{}).Checkpoints()
	for w := range acked {
		require.Len(t, logOf(t, again, fmt.Sprint(w)), int(acked[w].Load()), "thread %d", w)
	}
}

// The index writes through the same connection.
func TestTheIndexGetsItsTurnWhileManyThreadsCommit(t *testing.T) {
	db := openCheckpoints(t, filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{})
	store := db.Checkpoints()
	var (
		wg   sync.WaitGroup
		done atomic.Bool
	)
	for w := range 8 {
		wg.Go(func() {
			fence, err := store.Claim(t.Context(), fmt.Sprint(w))
			for seq := int64(1); err == nil && !done.Load(); seq++ {
				err = store.Commit(t.Context(), fmt.Sprint(w), fence, []graph.Entry{{Seq: seq, Data: []byte("x")}})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	for i := range 20 {
		if err := db.Index().Apply(t.Context(), index.Change{AddRoots: []string{fmt.Sprint("/", i)}}); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	wg.Wait()
	roots, err := db.Index().Roots(t.Context())
	require.NoError(t, err)
	require.Len(t, roots, 20)
}

// Settled pending writes are deleted now and then only, but never by far too late.
func TestSettledPendingWritesTakeLittleSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	store := db.Checkpoints()
	fence, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
	size := func() int64 {
		t.Helper()
		var n int64
		require.NoError(t, rawQuery(t, path, `SELECT ifnull(sum(length(data)), 0) FROM graph_pending`).Scan(&n))
		return n
	}
	most := int64(0)
	for seq := int64(1); seq <= 300; seq++ {
		write := graph.PendingWrite{Seq: seq, Key: fmt.Sprint("once ", seq), Data: []byte(strings.Repeat("x", 1000))}
		require.NoError(t, store.Pend(t.Context(), "t", fence, []graph.PendingWrite{write}))
		require.NoError(t, store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: seq, Data: []byte("x"), Settles: true}}))
		most = max(most, size())
	}
	require.LessOrEqual(t, most, int64(16<<10))
	write := graph.PendingWrite{Seq: 301, Key: "large", Data: make([]byte, 100<<10)}
	require.NoError(t, store.Pend(t.Context(), "t", fence, []graph.PendingWrite{write}))
	require.NoError(t, store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 301, Data: []byte("x"), Settles: true}}))
	require.Zero(t, size(), "much is deleted at once")
	require.NoError(t, db.Close())
}
