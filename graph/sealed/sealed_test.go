package sealed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/graph/sealed"
)

func TestASealedStoreKeepsTheContract(t *testing.T) {
	graphtest.Store(t, func(t *testing.T) graph.Store { return seal(t, graph.NewMemoryStore(), keyOf(1)) })
}

func TestASealedStoreWithOldKeysAroundASealedStoreKeepsTheContract(t *testing.T) {
	graphtest.Store(t, func(t *testing.T) graph.Store {
		return seal(t, seal(t, graph.NewMemoryStore(), keyOf(1)), keyOf(2), keyOf(3), keyOf(2))
	})
}

func TestAKeyOfAnotherLengthIsRefused(t *testing.T) {
	for _, size := range []int{0, 16, 31, 33, 64} {
		_, err := sealed.New(graph.NewMemoryStore(), make([]byte, size))
		require.ErrorContains(t, err, "must have 32")
		_, err = sealed.New(graph.NewMemoryStore(), keyOf(1), keyOf(2), make([]byte, size))
		require.ErrorContains(t, err, "old key 2")
	}
	_, err := sealed.New(nil, keyOf(1))
	require.Error(t, err)
}

func TestTheStoreInsideCanBeReached(t *testing.T) {
	inner := graph.NewMemoryStore()
	s, ok := seal(t, inner, keyOf(1)).(graph.Unwrapper)
	require.True(t, ok)
	require.Same(t, inner, s.Unwrap())
}

func TestTheKeyMayBeClearedAfterwards(t *testing.T) {
	key := keyOf(1)
	inner := graph.NewMemoryStore()
	s := seal(t, inner, key)
	clear(key)
	fill(t, s, "t")
	require.Equal(t, "3/ask:question 3/work:result", pendings(t, seal(t, inner, keyOf(1)), "t"))
}

func TestTheSameRowIsNeverSealedAlikeTwice(t *testing.T) {
	inner := graph.NewMemoryStore()
	s := seal(t, inner, keyOf(1))
	fence := fill(t, s, "t")
	fill(t, s, "u")
	before := load(t, inner, "t")
	pend(t, s, "t", fence, 3, "ask", "question")
	after := load(t, inner, "t")
	require.Len(t, after.Pending, 2)
	seen := map[string]bool{}
	for _, rec := range []graph.Record{before, after, load(t, inner, "u")} {
		for _, w := range rec.Pending {
			seen[string(w.Data)] = true
		}
	}
	require.Len(t, seen, 5, "3 records with 2 rows, of which one was not written again")
}

func TestAnEmptySnapshotIsASnapshot(t *testing.T) {
	s := seal(t, graph.NewMemoryStore(), keyOf(1))
	fence := fill(t, s, "t")
	require.NoError(t, s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 3, Snapshot: []byte{}}}))
	rec := load(t, s, "t")
	require.EqualValues(t, 3, rec.SnapshotSeq)
	require.Equal(t, []byte{}, rec.Snapshot)
}

func TestTheStoreInsideIsToldWhatItNeedsToKnow(t *testing.T) {
	spy := &recorder{Store: graph.NewMemoryStore()}
	s := seal(t, spy, keyOf(1))
	fence := fill(t, s, "t")
	spy.entries = nil
	require.NoError(t, s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 3, Settles: true}, {Seq: 4, Snapshot: []byte("s")}}))
	require.Len(t, spy.entries, 2)
	require.True(t, spy.entries[0].Settles)
	require.Nil(t, spy.entries[0].Snapshot)
	require.False(t, spy.entries[1].Settles)
	require.NotNil(t, spy.entries[1].Snapshot)
}
