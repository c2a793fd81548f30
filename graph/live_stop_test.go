package graph_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// endOf is the error that the last event of the thread's detached run comes with.
func endOf(t *testing.T, thread *trailThread) error {
	t.Helper()
	for e, err := range thread.Follow(t.Context(), 0) {
		if e.Kind == graph.RunEnd {
			assert.Equal(t, err, e.Err)
			return err
		}
		require.NoError(t, err)
	}
	t.Fatal("no end")
	return nil
}

// Rule 11.
func TestStopCancelsADetachedRunWaitsForItsNodesAndKeepsWhatIsCommitted(t *testing.T) {
	gate := make(chan struct{})
	returned := false
	running := make(chan struct{})
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", say("a"))
		b := g.Node("b", func(ctx context.Context, _ trail) (step, error) {
			select {
			case <-gate:
				return step{Path: []string{"b"}}, nil
			default:
			}
			close(running)
			<-ctx.Done()
			returned = true
			return step{}, ctx.Err()
		})
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	})
	thread, other := app.Thread("t"), app.Thread("other")
	require.NoError(t, thread.Stop(t.Context()), "there is none")
	detach(t, thread)
	<-running
	require.NoError(t, other.Stop(t.Context()), "it is another thread's")
	require.NoError(t, thread.Stop(t.Context()))
	assert.True(t, returned)
	require.ErrorIs(t, endOf(t, thread), graph.ErrStopped)
	require.NoError(t, thread.Stop(t.Context()), "again")

	close(gate)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b")
}

// Rule 11.
func TestStopGivesUpWaitingWithItsContext(t *testing.T) {
	gate, running := make(chan struct{}), make(chan struct{})
	app := single(t, func(context.Context, trail) (step, error) {
		close(running)
		<-gate // does not listen to its context
		return step{}, nil
	})
	thread := app.Thread("t")
	detach(t, thread)
	<-running // a run that is stopped before its node has begun ends at once
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, thread.Stop(ctx), context.Canceled)
	close(gate)
	require.NoError(t, thread.Stop(t.Context()))
}

// Rule 11: shutdown.
func TestCloseCancelsAllDetachedRunsAndRefusesNewOnes(t *testing.T) {
	app := gated(t, nil)
	store := graph.NewMemoryStore()
	threads := []*trailThread{app.Thread("1", graph.WithStore(store)), app.Thread("2", graph.WithStore(store))}
	ends := make(chan error, len(threads))
	for _, thread := range threads {
		detach(t, thread)
		seq := thread.Follow(t.Context(), 0)
		started := make(chan struct{})
		go func() {
			first := true
			for e, err := range seq {
				if first {
					close(started)
					first = false
				}
				if e.Kind == graph.RunEnd {
					ends <- err
				}
			}
		}()
		<-started
	}
	require.NoError(t, app.Close(t.Context()))
	for range threads {
		require.ErrorIs(t, <-ends, graph.ErrClosed, "who follows sees the end")
	}
	var kinds []string
	for e, err := range threads[0].Stream(t.Context(), step{}, graph.Debug, graph.Detached()) {
		require.ErrorIs(t, err, graph.ErrClosed)
		kinds = append(kinds, e.Kind.String())
	}
	assert.Equal(t, []string{"run_end"}, kinds)
	for _, err := range threads[0].Follow(t.Context(), 0) {
		require.ErrorIs(t, err, graph.ErrNotLive)
	}
	gate := make(chan struct{})
	close(gate)
	res, err := gated(t, gate).Thread("1", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, res.State.Path)
}

// Rule 23: the later run takes the thread, also from a detached one.
func TestALaterCallTakesTheThreadFromADetachedRun(t *testing.T) {
	gate, running := make(chan struct{}), make(chan struct{})
	first := true
	app := single(t, func(ctx context.Context, _ trail) (step, error) {
		if first {
			first = false
			close(running)
			<-gate
			return step{Path: []string{"first"}}, nil
		}
		return step{Path: []string{"second"}}, nil
	})
	thread := app.Thread("t")
	detach(t, thread)
	seq := thread.Follow(t.Context(), 0)
	end := make(chan error, 1)
	following := make(chan struct{})
	go func() {
		for e, err := range seq {
			switch e.Kind {
			case graph.TaskStart:
				close(following)
			case graph.RunEnd:
				end <- err
			}
		}
	}()
	<-following
	<-running
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.True(t, res.Discarded)
	assert.Equal(t, []string{"second"}, res.State.Path)
	close(gate)
	require.ErrorIs(t, <-end, graph.ErrFenced)
	require.NoError(t, app.Wait(t.Context()))
	for _, err := range thread.Follow(t.Context(), 0) {
		require.ErrorIs(t, err, graph.ErrNotLive)
	}
}

// Rules 18 and 29.
func TestADetachedRunThatAsksEndsWithItsQuestionAndGoesOnDetached(t *testing.T) {
	app := single(t, func(ctx context.Context, _ trail) (step, error) {
		answer, err := graph.Ask[string](ctx, "name", "who?")
		return step{Path: []string{answer}}, err
	})
	thread := app.Thread("t")
	var asked graph.Interrupt
	for e, err := range thread.Stream(t.Context(), step{}, 0, graph.Detached()) {
		require.NoError(t, err)
		if e.Kind == graph.Interrupted {
			asked = e.Interrupt
		}
	}
	var last trailEvent
	for e, err := range thread.ResumeStream(t.Context(), 0, graph.Detached(), graph.Answer(asked.ID, "me")) {
		require.NoError(t, err)
		last = e
	}
	assert.Equal(t, []string{"me"}, last.State.Path)
	require.NoError(t, app.Wait(t.Context()))
}

// Rule 29.
func TestDetachedIsForStreamsOfThreadsOnly(t *testing.T) {
	app := chain(t, nil, "a")
	_, err := app.Invoke(t.Context(), step{}, graph.Detached())
	require.ErrorIs(t, err, graph.ErrDetached)
	_, err = app.Thread("t").Invoke(t.Context(), step{}, graph.Detached())
	require.ErrorIs(t, err, graph.ErrDetached)
	_, err = app.Thread("t").Resume(t.Context(), graph.Detached())
	require.ErrorIs(t, err, graph.ErrDetached)
	for _, err := range app.Stream(t.Context(), step{}, 0, graph.Detached()) {
		require.ErrorIs(t, err, graph.ErrDetached)
	}
	g := graph.New[trail]("g")
	n := g.Node("a", say("a"))
	g.Start(n)
	g.Edge(n, graph.End)
	_, err = g.Compile(graph.Detached(), graph.KeepEvents(0), graph.KeepRuns(-1))
	require.ErrorIs(t, err, graph.ErrDetached)
	require.ErrorContains(t, err, "KeepEvents(0)")
	require.ErrorContains(t, err, "KeepRuns(-1)")
}

// Rule 29.
func TestADetachedStreamThatCannotBeginSaysSoAndStartsNothing(t *testing.T) {
	app := chain(t, nil, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for e, err := range app.Thread("t").Stream(ctx, step{}, 0, graph.Detached()) {
		assert.Equal(t, graph.RunEnd, e.Kind)
		require.ErrorIs(t, err, context.Canceled)
	}
	for e, err := range app.Thread("").Stream(t.Context(), step{}, 0, graph.Detached()) {
		assert.Equal(t, graph.RunEnd, e.Kind)
		require.ErrorIs(t, err, graph.ErrThreadID)
	}
	for e, err := range app.Thread("t").ResumeStream(t.Context(), 0, graph.Detached()) {
		assert.Equal(t, graph.RunEnd, e.Kind)
		require.ErrorIs(t, err, graph.ErrNothingToResume)
	}
	for e, err := range app.Thread("t").Stream(t.Context(), step{}, 0, graph.Detached(), graph.MaxSteps(0)) {
		assert.Equal(t, graph.RunEnd, e.Kind)
		require.ErrorIs(t, err, graph.ErrLimit)
	}
	require.NoError(t, app.Wait(t.Context()))
}

// panicStore panics when it is to commit a step.
type panicStore struct{ *graph.MemoryStore }

func (s panicStore) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	if entries[0].Seq > 1 {
		panic("store")
	}
	return s.MemoryStore.Commit(ctx, thread, fence, entries)
}

// Rule 12: nobody could recover a panic on the goroutine of a detached run, so that it would end the process.
func TestAPanicOrAGoexitOnTheGoroutineOfADetachedRunIsItsError(t *testing.T) {
	app := chain(t, nil, "a")
	thread := app.Thread("t", graph.WithStore(panicStore{graph.NewMemoryStore()}))
	detach(t, thread)
	err := endOf(t, thread)
	require.ErrorIs(t, err, graph.ErrPanic)
	assert.Contains(t, err.Error(), "panicStore.Commit", "the stack is there")
	require.NoError(t, app.Wait(t.Context()))

	app = single(t, func(context.Context, trail) (step, error) { runtime.Goexit(); return step{}, nil })
	thread = app.Thread("t")
	for range thread.Stream(t.Context(), step{}, 0, graph.Detached()) {
	}
	require.ErrorIs(t, endOf(t, thread), graph.ErrGoexit)
	require.NoError(t, app.Wait(t.Context()))
}
