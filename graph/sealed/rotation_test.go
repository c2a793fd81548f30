package sealed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/sealed"
)

const filled = "1:state of t 1:one of t 2:two of t 3/ask:question 3/work:result"

func TestAnOldKeyStillReadsAndTheFirstOneWrites(t *testing.T) {
	inner := graph.NewMemoryStore()
	fill(t, seal(t, inner, keyOf(1)), "t")
	both := seal(t, inner, keyOf(2), keyOf(1))
	got, err := whole(t.Context(), both, "t")
	require.NoError(t, err)
	require.Equal(t, filled, got)

	fill(t, both, "u")
	_, err = whole(t.Context(), seal(t, inner, keyOf(2)), "u")
	require.NoError(t, err, "what is written now needs no old key")
	_, err = whole(t.Context(), seal(t, inner, keyOf(1)), "u")
	require.ErrorIs(t, err, sealed.ErrKey)
}

func TestAnotherKeyIsATypedErrorThatNamesTheRow(t *testing.T) {
	inner := graph.NewMemoryStore()
	fill(t, seal(t, inner, keyOf(1)), "t")
	other := seal(t, inner, keyOf(2), keyOf(3))
	_, err := other.Load(t.Context(), "t")
	require.ErrorIs(t, err, sealed.ErrKey)
	require.NotErrorIs(t, err, graph.ErrDamaged)
	var row *graph.RowError
	require.ErrorAs(t, err, &row)
	require.Equal(t, "t", row.Thread)
	require.Equal(t, "snapshot", row.Row)
	require.EqualValues(t, 1, row.Seq)
	for _, err := range other.Log(t.Context(), "t", 1) {
		require.ErrorAs(t, err, &row)
		require.Equal(t, "entry", row.Row)
		require.EqualValues(t, 2, row.Seq)
	}
	err = other.Trim(t.Context(), "t", graph.Cut{Seq: 1, Old: []byte("one of t"), New: []byte("base")})
	require.ErrorIs(t, err, sealed.ErrKey)
	got, err := whole(t.Context(), seal(t, inner, keyOf(1)), "t")
	require.NoError(t, err)
	require.Equal(t, filled, got, "the trim has changed nothing")
}

// Two stores stand for two processes with different first keys that know each other's key.
func TestAPendingWriteReplacesTheOneUnderAnotherKey(t *testing.T) {
	inner := graph.NewMemoryStore()
	before, after := seal(t, inner, keyOf(1), keyOf(2)), seal(t, inner, keyOf(2), keyOf(1))
	fill(t, before, "t")
	for i, s := range []graph.Store{after, before, before, after, after, before} {
		fence, err := s.Claim(t.Context(), "t")
		require.NoError(t, err)
		data := string(rune('a' + i))
		pend(t, s, "t", fence, 3, "ask", data)
		for _, reader := range []graph.Store{before, after} {
			require.Equal(t, "3/ask:"+data+" 3/work:result", pendings(t, reader, "t"))
		}
	}
	require.Len(t, load(t, inner, "t").Pending, 3, "under the hood there is one for each key")
}

func TestAPendingWriteReplacesTheOneThatWasCopied(t *testing.T) {
	s := seal(t, graph.NewMemoryStore(), keyOf(1))
	first := fill(t, s, "t")
	require.NoError(t, s.Copy(t.Context(), "t", "u"))
	fence, err := s.Claim(t.Context(), "u")
	require.NoError(t, err)
	pend(t, s, "u", fence, 3, "ask", "answer")
	pend(t, s, "t", first, 3, "ask", "other answer")
	require.Equal(t, "3/ask:answer 3/work:result", pendings(t, s, "u"))
	require.Equal(t, "3/ask:other answer 3/work:result", pendings(t, s, "t"))
	require.NoError(t, s.Copy(t.Context(), "u", "v"))
	require.Equal(t, "3/ask:answer 3/work:result", pendings(t, s, "v"))
}

func TestEqualKeysOfPendingWritesLookDifferentInEveryThreadAndStep(t *testing.T) {
	inner := graph.NewMemoryStore()
	s := seal(t, inner, keyOf(1))
	fence := fill(t, s, "t")
	fill(t, s, "u")
	names := map[string]bool{}
	note := func(thread string) {
		for _, w := range load(t, inner, thread).Pending {
			names[w.Key] = true
		}
	}
	note("t")
	note("u")
	require.NoError(t, s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 3, Settles: true}}))
	pend(t, s, "t", fence, 4, "ask", "question")
	note("t")
	require.Len(t, names, 5)
	pend(t, s, "t", fence, 4, "ub", "t and ub")
	fence = fill(t, s, "tu")
	require.NoError(t, s.Commit(t.Context(), "tu", fence, []graph.Entry{{Seq: 3, Settles: true}}))
	pend(t, s, "tu", fence, 4, "b", "tu and b")
	note("t")
	note("tu")
	require.Len(t, names, 7)
}

func TestATrimReplacesAnEntryUnderAnOldKeyByOneUnderTheFirst(t *testing.T) {
	inner := graph.NewMemoryStore()
	fill(t, seal(t, inner, keyOf(1)), "t")
	both := seal(t, inner, keyOf(2), keyOf(1))
	err := both.Trim(t.Context(), "t", graph.Cut{Seq: 2, Old: []byte("two"), New: []byte("base")})
	require.ErrorIs(t, err, graph.ErrConflict)
	require.NoError(t, both.Trim(t.Context(), "t", graph.Cut{Seq: 2, Old: []byte("two of t"), New: []byte("base")}))
	for e, err := range seal(t, inner, keyOf(2)).Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		require.Equal(t, "base", string(e.Data))
	}
}
