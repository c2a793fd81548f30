package graph_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// history is the history of a thread, newest first.
func history[S graph.Reducer[S, U], U any](t require.TestingT, thread *graph.Thread[S, U]) []graph.Checkpoint {
	var list []graph.Checkpoint
	for c, err := range thread.History(context.Background()) {
		require.NoError(t, err)
		list = append(list, c)
	}
	return list
}

// seqs are the numbers of checkpoints.
func seqs(list []graph.Checkpoint) []int64 {
	var numbers []int64
	for _, c := range list {
		numbers = append(numbers, c.Seq)
	}
	return numbers
}

// at is the path of the state at a checkpoint.
func at(t testing.TB, thread *graph.Thread[trail, step], seq int64) []string {
	_, s, err := thread.At(t.Context(), seq)
	require.NoError(t, err)
	return s.Path
}

// Rule 26: history, newest first.
func TestTheHistoryOfAThreadIsItsCheckpointsNewestFirst(t *testing.T) {
	clock := graphtest.NewClock(noon)
	ctx := graph.WithClock(t.Context(), clock)
	thread := chain(t, nil, "a", "b").Thread("t")
	assert.Empty(t, history(t, thread), "a thread that does not exist has none")
	_, err := thread.Invoke(ctx, step{})
	require.NoError(t, err)
	clock.Advance(time.Hour)
	_, err = thread.Invoke(ctx, step{})
	require.NoError(t, err)

	later := noon.Add(time.Hour)
	assert.Equal(t, []graph.Checkpoint{
		{Seq: 6, Parent: 5, Origin: graph.FromStep, Run: 2, Step: 2, At: later, Nodes: []string{"b"}, Next: []string{}, Done: true, Current: true},
		{Seq: 5, Parent: 4, Origin: graph.FromStep, Run: 2, Step: 1, At: later, Nodes: []string{"a"}, Next: []string{"b"}, Current: true},
		{Seq: 4, Parent: 3, Origin: graph.FromInput, Run: 2, At: later, Next: []string{"a"}, Current: true},
		{Seq: 3, Parent: 2, Origin: graph.FromStep, Run: 1, Step: 2, At: noon, Nodes: []string{"b"}, Next: []string{}, Done: true, Current: true},
		{Seq: 2, Parent: 1, Origin: graph.FromStep, Run: 1, Step: 1, At: noon, Nodes: []string{"a"}, Next: []string{"b"}, Current: true},
		{Seq: 1, Origin: graph.FromInput, Run: 1, At: noon, Next: []string{"a"}, Current: true},
	}, history(t, thread))
}

// Rule 26: the state at any checkpoint.
func TestTheStateAtACheckpointIsWhatTheRunHadThere(t *testing.T) {
	thread := chain(t, nil, "a", "b").Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"in"}, at(t, thread, 1))
	assert.Equal(t, []string{"in", "a"}, at(t, thread, 2))
	assert.Equal(t, []string{"in", "a", "b"}, at(t, thread, 3))
	for _, seq := range []int64{-1, 0, 4} {
		_, _, err := thread.At(t.Context(), seq)
		require.ErrorIs(t, err, graph.ErrNoCheckpoint)
	}
}

func TestAHistoryMayBeLeftAndRangedAgain(t *testing.T) {
	thread := chain(t, nil, "a").Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	all := thread.History(t.Context())
	for range 2 {
		for c, err := range all {
			require.NoError(t, err)
			assert.EqualValues(t, 2, c.Seq)
			break
		}
	}
}

// Rule 28: damaged rows are typed errors that name the row.
func TestAHistoryWithADamagedRowIsAnErrorThatNamesIt(t *testing.T) {
	for what, data := range map[string]string{
		"no JSON":      `{"v":1,"kind":"step"`,
		"unknown kind": `{"v":1,"kind":"leap"}`,
		"later format": `{"v":9,"kind":"step"}`,
	} {
		store := graph.NewMemoryStore()
		thread := chain(t, nil, "a").Thread("t", graph.WithStore(store))
		_, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
		fence, err := store.Claim(t.Context(), "t")
		require.NoError(t, err)
		require.NoError(t, store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 3, Data: []byte(data)}}))
		n := 0
		for _, err := range thread.History(t.Context()) {
			n++
			var row *graph.RowError
			require.ErrorAs(t, err, &row, what)
			assert.EqualValues(t, 3, row.Seq)
		}
		assert.Equal(t, 1, n)
		_, err = thread.Prune(t.Context(), graph.Keep{Last: 1})
		require.Error(t, err, "what cannot be read is not pruned either")
	}
}

func TestReadingThePastClaimsNothing(t *testing.T) {
	store := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
	thread := chain(t, nil, "a").Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	calls := len(store.Ops())
	history(t, thread)
	at(t, thread, 1)
	for _, op := range store.Ops()[calls:] {
		assert.Equal(t, "Log", op.Name)
	}
}
