package graph_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// spy remembers what a run writes, and may change what it reads.
type spy struct {
	graph.Store
	mu      sync.Mutex
	entries []graph.Entry
	pends   []graph.PendingWrite
	twist   func(*graph.Record)
}

func (s *spy) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	s.mu.Lock()
	for _, e := range entries {
		e.Data, e.Snapshot = slices.Clone(e.Data), slices.Clone(e.Snapshot)
		s.entries = append(s.entries, e)
	}
	s.mu.Unlock()
	return s.Store.Commit(ctx, thread, fence, entries)
}

func (s *spy) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	s.mu.Lock()
	s.pends = append(s.pends, writes...)
	s.mu.Unlock()
	return s.Store.Pend(ctx, thread, fence, writes)
}

func (s *spy) Load(ctx context.Context, thread string) (graph.Record, error) {
	rec, err := s.Store.Load(ctx, thread)
	if s.twist != nil {
		s.twist(&rec)
	}
	return rec, err
}

// Rule 21.
func TestAStepWithOneTaskIsOneCommitAndAParallelOneSavesEachTaskFirst(t *testing.T) {
	store := &spy{Store: graph.NewMemoryStore()}
	thread := twins(t, say("a"), say("b")).Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, store.entries, 3, "the input and two steps")
	var tasks []string
	for _, w := range store.pends {
		assert.EqualValues(t, 2, w.Seq)
		tasks = append(tasks, w.Key)
	}
	assert.ElementsMatch(t, []string{"a", "b"}, tasks)
	for i, e := range store.entries {
		assert.EqualValues(t, i+1, e.Seq)
		assert.Equal(t, i == 1, e.Settles, "the step that had pending writes drops them, no other asks for that")
	}
}

// Rules 13 and 21.
func TestAnInputThatGivesUpAStepDropsItsPendingWrites(t *testing.T) {
	store := &spy{Store: graph.NewMemoryStore()}
	broken := true
	thread := twins(t, say("a"), failing("b", &broken)).Thread("t", graph.WithStore(store))
	for range 2 {
		_, err := thread.Invoke(t.Context(), step{})
		require.ErrorIs(t, err, errBoom)
	}
	require.Len(t, store.entries, 2)
	assert.False(t, store.entries[0].Settles)
	assert.True(t, store.entries[1].Settles)
	assert.Contains(t, string(store.entries[1].Data), `"discarded":true`, "the log says so too")
}

// Rule 11.
func TestWhatFinishesWhileTheRunIsCancelledIsCommitted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) { cancel(); return step{Path: []string{"a"}}, nil })
		b := g.Node("b", say("b"))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	})
	thread := app.Thread("t")
	res, err := thread.Invoke(ctx, step{})
	require.Equal(t, context.Canceled, err)
	graphtest.Path(t, res.Path, "a")
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, head.Next)
}

// Rules 11 and 13.
func TestAParallelTaskThatFinishesWhileTheRunIsCancelledIsKept(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var j graphtest.Journal
	app := twins(t,
		func(ctx context.Context, _ trail) (step, error) {
			j.Note(ctx)
			cancel()
			return step{Path: []string{"a"}}, nil
		},
		func(ctx context.Context, _ trail) (step, error) { return step{Path: []string{"b"}}, ctx.Err() },
		graph.MaxConcurrency(1))
	thread := app.Thread("t")
	_, err := thread.Invoke(ctx, step{})
	require.Equal(t, context.Canceled, err)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b", "c")
	assert.Equal(t, 1, j.Count("a"))
}

// Rule 12.
func TestACancelledRunIsNeverRetried(t *testing.T) {
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		app := single(t, func(context.Context, trail) (step, error) { calls++; cancel(); return step{}, errBoom },
			graph.Retry(5, nil), graph.Backoff(1, 1))
		_, err := app.Invoke(ctx, step{})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, calls)
	}
}

// Rule 14.
func TestErrorsOfTheStoreNameWhatWasAskedOfIt(t *testing.T) {
	app := chain(t, nil, "a")
	_, err := app.Thread("t", graph.WithStore(graphtest.CrashAt(graph.NewMemoryStore(), 1, graphtest.FailBefore))).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graphtest.ErrInjected)
	assert.ErrorContains(t, err, `claim thread "t"`)
	_, err = app.Thread("t", graph.WithStore(graphtest.CrashAt(graph.NewMemoryStore(), 2, graphtest.FailBefore))).Invoke(t.Context(), step{})
	assert.ErrorContains(t, err, `load thread "t"`)
}
