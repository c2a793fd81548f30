package graph_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

func TestAThreadKeepsItsStateFromInputToInput(t *testing.T) {
	thread := chain(t, nil, "a", "b").Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"one"}})
	require.NoError(t, err)
	res, err := thread.Invoke(t.Context(), step{Path: []string{"two"}})
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "one", "a", "b", "two", "a", "b")
	graphtest.Path(t, res.Path, "a", "b")
	assert.False(t, res.Discarded)
}

// Rule 19.
func TestResumingAFinishedThreadIsANoOpThatReturnsItsState(t *testing.T) {
	store := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
	thread := chain(t, nil, "a").Thread("t", graph.WithStore(store))
	want, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	calls := len(store.Ops())
	got, err := thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, graph.Result[trail]{State: want.State}, got)
	require.Len(t, store.Ops(), calls+1)
	assert.Equal(t, "Load", store.Ops()[calls].Name, "it does not even claim the thread")

	var kinds []graph.Kind
	for e, err := range thread.ResumeStream(t.Context(), graph.Values) {
		require.NoError(t, err)
		kinds = append(kinds, e.Kind)
		assert.Equal(t, want.State, e.State)
	}
	assert.Equal(t, []graph.Kind{graph.RunStart, graph.RunEnd}, kinds)
}

// Rule 19.
func TestResumingWhatNeverStartedIsAnError(t *testing.T) {
	thread := chain(t, nil, "a").Thread("t")
	_, err := thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrNothingToResume)
	n := 0
	for e, err := range thread.ResumeStream(t.Context(), 0) {
		n++
		require.ErrorIs(t, err, graph.ErrNothingToResume)
		assert.Equal(t, graph.RunEnd, e.Kind)
	}
	assert.Equal(t, 1, n)
	_, err = chain(t, nil, "a").Thread("").Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrThreadID)
}

func TestHeadSaysWhereAThreadStands(t *testing.T) {
	broken := true
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		a, b := g.Node("a", say("a")), g.Node("b", failing("b", &broken))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}).Thread("t")
	head := func() graph.Head[trail] {
		h, err := thread.Head(t.Context())
		require.NoError(t, err)
		return h
	}
	assert.Equal(t, graph.Head[trail]{}, head())
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, graph.Head[trail]{Exists: true, State: trail{Path: []string{"a"}, Count: 2}, Seq: 2, Step: 1, Next: []string{"b"}}, head())
	broken = false
	_, err = thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, graph.Head[trail]{Exists: true, State: trail{Path: []string{"a", "b"}, Count: 3}, Seq: 3, Step: 2, Done: true}, head())
}

// Rule 23.
func TestOfTwoRunsOnOneThreadTheLaterOneTakesItAndTheEarlierIsFenced(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	app := compile(t, func(g *graph.Graph[trail, step]) {
		slow := g.Node("slow", func(context.Context, trail) (step, error) {
			first := false
			once.Do(func() { first = true })
			if first {
				close(entered)
				<-release
			}
			return step{Path: []string{fmt.Sprint("first=", first)}}, nil
		})
		g.Start(slow)
		g.Edge(slow, graph.End)
	})
	thread := app.Thread("t")
	lost := make(chan error)
	go func() {
		_, err := thread.Invoke(t.Context(), step{Path: []string{"in 1"}})
		lost <- err
	}()
	<-entered
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	close(release)
	err = <-lost
	require.ErrorIs(t, err, graph.ErrFenced)
	var save *graph.SaveError
	require.ErrorAs(t, err, &save)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.State, head.State, "the loser has changed nothing")
	graphtest.Path(t, head.State.Path, "in 1", "first=false")
}

func TestInfoFromTellsANodeItsTask(t *testing.T) {
	var got []graph.TaskInfo
	app := compile(t, func(g *graph.Graph[trail, step]) {
		w := graph.Work(g, "w", func(ctx context.Context, _ trail, _ int) (step, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			info, ok := graph.InfoFrom(ctx)
			require.True(t, ok)
			got = append(got, info)
			return step{}, nil
		})
		g.Start(spread(g, w, 2))
		g.Edge(w.Node, graph.End)
	}, graph.MaxConcurrency(1))
	thread := app.Thread("thread")
	for range 2 {
		_, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
	}
	_, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, got, 6)
	assert.Equal(t, graph.TaskInfo{Thread: "thread", Run: 2, Step: 2, Node: "w", Task: "w#2", Attempt: 1, Key: "thread/2/2/w#2"}, got[3])
	assert.Equal(t, graph.TaskInfo{Run: 1, Step: 2, Node: "w", Task: "w#1", Attempt: 1}, got[4], "without a thread no key could be unique")
	_, ok := graph.InfoFrom(t.Context())
	assert.False(t, ok)
}
