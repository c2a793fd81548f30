package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestCheckpointsKeepTheContractOfGraphStore(t *testing.T) {
	graphtest.Store(t, func(t *testing.T) graph.Store { return open(t, postgres.Options{}).Checkpoints() })
}

func TestProcessesShareOneSchemaAndTheLaterClaimWins(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	one := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	two := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	first := commitOne(t, one, "t")
	second, err := two.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.Greater(t, second, first)
	require.ErrorIs(t, one.Commit(t.Context(), "t", first, []graph.Entry{{Seq: 2, Data: []byte("b")}}), graph.ErrFenced)
	require.NoError(t, two.Commit(t.Context(), "t", second, []graph.Entry{{Seq: 2, Data: []byte("c")}}))
	rec, err := one.Load(t.Context(), "t")
	require.NoError(t, err)
	require.Equal(t, "c", string(rec.Log[1].Data))
}

// A claim that waits for a commit must not miss it, and a commit that waits for a claim must see it.
func TestAClaimDuringACommitWaitsForItAndSeesWhatItWrote(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	fence := commitOne(t, store, "t")
	for seq := int64(2); seq < 100; seq++ {
		var wg sync.WaitGroup
		var failed error
		wg.Go(func() { failed = store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: seq, Data: []byte("x")}}) })
		later, err := store.Claim(t.Context(), "t")
		require.NoError(t, err)
		rec, err := store.Load(t.Context(), "t")
		require.NoError(t, err)
		wg.Wait()
		if failed != nil {
			require.ErrorIs(t, failed, graph.ErrFenced)
			require.Equal(t, seq-1, rec.Seq())
			require.NoError(t, store.Commit(t.Context(), "t", later, []graph.Entry{{Seq: seq, Data: []byte("y")}}))
		}
		if failed == nil {
			require.Equal(t, seq, rec.Seq(), "the claim came after the commit and must see it")
		}
		fence = later
	}
}

func TestALogOfManyPagesIsReadAsOfOneMoment(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	fence, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
	entries := make([]graph.Entry, 2500)
	for i := range entries {
		entries[i] = graph.Entry{Seq: int64(i + 1), Data: fmt.Appendf(nil, "entry %d", i+1)}
	}
	for _, i := range []int{1200, 1201, 1202} { // each fills a page by itself
		entries[i].Data = bytes.Repeat([]byte{byte(i)}, 5<<20)
	}
	require.NoError(t, store.Commit(t.Context(), "t", fence, entries))
	n := 0
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		require.Equal(t, entries[n].Seq, e.Seq)
		require.True(t, bytes.Equal(entries[n].Data, e.Data))
		if n++; n == 10 {
			require.NoError(t, store.Delete(t.Context(), "t"))
		}
	}
	require.Len(t, entries, n)
}

func TestATrimTakesTheSnapshotOfTheEntryBeforeTheCutAndLeavesThatOfTheCut(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	for snapshotOf, want := range map[int64]int64{1: 0, 2: 2, 3: 3} {
		id := fmt.Sprint(snapshotOf)
		fence, err := store.Claim(t.Context(), id)
		require.NoError(t, err)
		entries := []graph.Entry{{Seq: 1, Data: []byte("a")}, {Seq: 2, Data: []byte("b")}, {Seq: 3, Data: []byte("c")}}
		entries[snapshotOf-1].Snapshot = []byte("s")
		require.NoError(t, store.Commit(t.Context(), id, fence, entries))
		require.NoError(t, store.Trim(t.Context(), id, graph.Cut{Seq: 2, Old: []byte("b"), New: []byte("B")}))
		rec, err := store.Load(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want, rec.SnapshotSeq)
	}
}

func TestThreadsAreListedWhileOthersAreWritten(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	const old = 1500 // more than a page
	for i := range old {
		commitOne(t, store, fmt.Sprintf("old %04d", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := fmt.Sprintf("new %d %d", w, i)
				fence, err := store.Claim(t.Context(), id)
				assert.NoError(t, err)
				assert.NoError(t, store.Commit(t.Context(), id, fence, []graph.Entry{{Seq: 1, Data: []byte("a")}}))
			}
		})
	}
	for range 5 {
		seen, last := 0, ""
		for info, err := range store.Threads(t.Context()) {
			require.NoError(t, err)
			require.Greater(t, info.Thread, last)
			require.EqualValues(t, 1, info.Seq)
			last = info.Thread
			if info.Thread[:3] == "old" {
				seen++
			}
		}
		require.Equal(t, old, seen)
	}
	cancel()
	wg.Wait()
}

func TestManyWritersAtOnceKeepTheirThreadsApart(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	var wg sync.WaitGroup
	for w := range 32 { // twice the connections
		wg.Go(func() {
			id := fmt.Sprint("thread ", w)
			fence, err := store.Claim(t.Context(), id)
			assert.NoError(t, err)
			for seq := int64(1); seq <= 50; seq++ {
				e := graph.Entry{Seq: seq, Data: fmt.Appendf(nil, "%s %d", id, seq), Settles: seq%7 == 0}
				if seq%10 == 0 {
					e.Snapshot = e.Data
				}
				assert.NoError(t, store.Commit(t.Context(), id, fence, []graph.Entry{e}))
				assert.NoError(t, store.Pend(t.Context(), id, fence, []graph.PendingWrite{{Seq: seq + 1, Key: "k", Data: e.Data}}))
			}
		})
	}
	wg.Wait()
	for w := range 32 {
		id := fmt.Sprint("thread ", w)
		rec, err := store.Load(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, graph.Record{SnapshotSeq: 50, Snapshot: []byte(id + " 50"), Pending: []graph.PendingWrite{{Seq: 51, Key: "k", Data: []byte(id + " 50")}}}, rec)
	}
}
