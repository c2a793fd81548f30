package graph_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

type (
	trailEvent  = graph.Event[trail, step]
	trailThread = graph.Thread[trail, step]
)

// gated is two nodes, the first of which says three words and then waits for the gate.
func gated(t testing.TB, gate <-chan struct{}, opts ...graph.Option) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(ctx context.Context, _ trail) (step, error) {
			for _, word := range []string{"one", "two", "three"} {
				graph.Say(ctx, word)
			}
			select {
			case <-gate:
				return step{Path: []string{"a"}}, nil
			case <-ctx.Done():
				return step{}, ctx.Err()
			}
		})
		b := g.Node("b", say("b"))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}, opts...)
}

// detach starts a detached run and leaves its stream at the first event.
func detach(t testing.TB, thread *trailThread) trailEvent {
	t.Helper()
	for e, err := range thread.Stream(t.Context(), step{}, graph.Debug, graph.Detached()) {
		require.NoError(t, err)
		require.Equal(t, graph.RunStart, e.Kind)
		return e
	}
	t.Fatal("no event")
	panic("not reached")
}

// all reads a sequence to its end. An error of the view is the last line.
func all(seq iter.Seq2[trailEvent, error]) (lines []string) {
	for e, err := range seq {
		if e.Kind == 0 {
			return append(lines, err.Error())
		}
		line := fmt.Sprintf("%d: %s", e.Seq, tell(e))
		if err != nil {
			line += " " + err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

// Rules 11 and 29.
func TestLeavingADetachedStreamEndsTheViewAndNotTheRun(t *testing.T) {
	gate := make(chan struct{})
	app := gated(t, gate)
	thread := app.Thread("t")
	detach(t, thread)
	close(gate)
	require.NoError(t, app.Wait(t.Context()))
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.True(t, head.Done)
	assert.Equal(t, []string{"a", "b"}, head.State.Path)
}

// Rules 11 and 29.
func TestADetachedRunOutlivesTheContextOfItsCallAndKeepsItsValues(t *testing.T) {
	gate := make(chan struct{})
	type key struct{}
	ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
	defer cancel(nil)
	errGone := errors.New("the client is gone")
	seen := make(chan any, 1)
	app := single(t, func(ctx context.Context, _ trail) (step, error) {
		<-gate
		seen <- ctx.Value(key{})
		return step{Path: []string{"a"}}, ctx.Err()
	})
	thread := app.Thread("t")
	var last trailEvent
	var lastErr error
	for last, lastErr = range thread.Stream(ctx, step{}, graph.Tasks, graph.Detached()) {
		if last.Kind == graph.TaskStart {
			cancel(errGone)
		}
	}
	assert.Equal(t, errGone, lastErr)
	assert.Zero(t, last.Kind, "it is the view that has ended, not the run")
	close(gate)
	require.NoError(t, app.Wait(t.Context()))
	assert.Equal(t, "value", <-seen)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.True(t, head.Done)
}

// Rule 29: nothing is dropped, nothing comes twice. (A LangGraph server resumes a stream by an event id only when it was asked to
// keep the events before, and drops them for runs that are over.)
func TestContinuingFromEverySequenceNumberGivesExactlyTheRest(t *testing.T) {
	gate := make(chan struct{})
	close(gate)
	thread := gated(t, gate).Thread("t")
	whole := all(thread.Stream(t.Context(), step{}, graph.Debug, graph.Detached()))
	require.Greater(t, len(whole), 10)
	for after := range whole {
		assert.Equal(t, whole[after:], all(thread.Follow(t.Context(), int64(after))))
	}
	assert.Empty(t, all(thread.Follow(t.Context(), int64(len(whole)))), "who has seen the end gets nothing more")
	assert.Equal(t, whole, all(thread.Follow(t.Context(), -1)))
	seq := thread.Follow(t.Context(), 3)
	assert.Equal(t, all(seq), all(seq), "a view can be ranged over twice")
}

// Rule 29: random schedules; followers leave at random and continue where they were, while the run goes on.
func TestFollowersThatComeAndGoSeeEveryEventOnce(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, round))
		chatter := func(ctx context.Context, _ trail) (step, error) {
			for i := range 20 {
				graph.Say(ctx, fmt.Sprint(i))
				runtime.Gosched()
			}
			return step{}, nil
		}
		app := twins(t, chatter, chatter, graph.MaxConcurrency(1+r.IntN(4)))
		thread := app.Thread("t")
		detach(t, thread)
		var (
			wg   sync.WaitGroup
			seen [4][]string
		)
		for i := range seen {
			r := rand.New(rand.NewPCG(seed, round<<8+uint64(i)))
			wg.Go(func() { seen[i] = inPieces(t, thread, r) })
		}
		wg.Wait()
		require.NoError(t, app.Wait(t.Context()))
		whole := all(thread.Follow(t.Context(), 0))
		require.Greater(t, len(whole), 40)
		for i := range seen {
			require.Equal(t, whole, seen[i], "round %d", round)
		}
	}
}

// inPieces follows a thread to its end and leaves now and then.
func inPieces(t *testing.T, thread *trailThread, r *rand.Rand) (lines []string) {
	var after int64
	for {
		for e, err := range thread.Follow(t.Context(), after) {
			if !assert.NoError(t, err) || !assert.Equal(t, after+1, e.Seq) {
				return nil
			}
			after = e.Seq
			lines = append(lines, fmt.Sprintf("%d: %s", e.Seq, tell(e)))
			if e.Kind == graph.RunEnd {
				return lines
			}
			if r.IntN(5) == 0 {
				break
			}
		}
	}
}

// Rule 29.
func TestASlowFollowerHoldsUpNeitherTheRunNorTheOthers(t *testing.T) {
	gate := make(chan struct{})
	app := gated(t, gate)
	thread := app.Thread("t")
	detach(t, thread)
	next, stop := iter.Pull2(thread.Follow(t.Context(), 0))
	defer stop()
	first, err, ok := next()
	require.True(t, ok)
	require.NoError(t, err)
	assert.Equal(t, graph.RunStart, first.Kind)

	var wg sync.WaitGroup
	var other []string
	wg.Go(func() { other = all(thread.Follow(t.Context(), 0)) })
	close(gate)
	require.NoError(t, app.Wait(t.Context()), "the run ends while the follower stands at its first event")
	wg.Wait()
	slow := []string{fmt.Sprintf("%d: %s", first.Seq, tell(first))}
	for {
		e, err, ok := next()
		if !ok {
			break
		}
		require.NoError(t, err)
		slow = append(slow, fmt.Sprintf("%d: %s", e.Seq, tell(e)))
	}
	assert.Equal(t, other, slow)
}

// Rule 29.
func TestFollowingEndsWithTheContextOfTheFollower(t *testing.T) {
	gate := make(chan struct{})
	app := gated(t, gate)
	thread := app.Thread("t")
	detach(t, thread)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for e, err := range thread.Follow(ctx, 0) {
		if e.Kind == graph.MessageKind && e.Text == "three" {
			cancel()
		}
		last = err
	}
	require.ErrorIs(t, last, context.Canceled)
	assert.Equal(t, []string{"context canceled"}, all(thread.Follow(ctx, 1000)), "also while it waits")
	require.ErrorIs(t, app.Wait(ctx), context.Canceled)
	close(gate)
	require.NoError(t, app.Wait(t.Context()))
}

// Rule 29.
func TestFollowingWhatIsNotLiveIsATypedError(t *testing.T) {
	gate := make(chan struct{})
	close(gate)
	app := gated(t, gate, graph.KeepRuns(2))
	follow := func(thread *trailThread) error {
		for _, err := range thread.Follow(t.Context(), 0) {
			return err
		}
		return nil
	}
	thread := app.Thread("t")
	require.ErrorIs(t, follow(thread), graph.ErrNotLive, "never started")
	all(thread.Stream(t.Context(), step{}, 0))
	require.ErrorIs(t, follow(thread), graph.ErrNotLive, "not detached")
	run := func(name string) *trailThread {
		thread := app.Thread(name)
		all(thread.Stream(t.Context(), step{}, 0, graph.Detached()))
		require.NoError(t, app.Wait(t.Context()))
		return thread
	}
	run("t")
	require.NoError(t, follow(thread))
	require.NoError(t, follow(app.Thread("t")), "another handle on the same thread")
	require.ErrorIs(t, follow(app.Thread("t", graph.WithStore(graph.NewMemoryStore()))), graph.ErrNotLive, "another store")
	require.ErrorIs(t, follow(gated(t, gate).Thread("t")), graph.ErrNotLive, "another App")

	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.ErrorIs(t, follow(thread), graph.ErrNotLive, "another run has begun")

	first, second, third := run("1"), run("2"), run("3")
	require.ErrorIs(t, follow(first), graph.ErrNotLive, "two others have ended since")
	require.NoError(t, follow(second))
	require.NoError(t, follow(third))
	run("3")
	require.NoError(t, follow(second), "a second run on one thread takes the place of the first")
}

// Rule 29: a number belongs to one call; OfCall keeps a client from going on in the middle of another one.
func TestAFollowerMaySayWhichCallItMeans(t *testing.T) {
	gate := make(chan struct{})
	close(gate)
	app := gated(t, gate)
	thread := app.Thread("t")
	first := detach(t, thread)
	require.NoError(t, app.Wait(t.Context()))
	assert.Equal(t, all(thread.Follow(t.Context(), 2)), all(thread.Follow(t.Context(), 2, graph.OfCall(first.Call))))
	second := detach(t, thread)
	assert.Greater(t, second.Call, first.Call)
	for _, err := range thread.Follow(t.Context(), 2, graph.OfCall(first.Call)) {
		require.ErrorIs(t, err, graph.ErrNotLive)
	}
	require.NoError(t, app.Wait(t.Context()))
}

// Rule 29: bounded memory is told, not hidden.
func TestAFollowerThatIsTooFarBehindIsToldSo(t *testing.T) {
	gate := make(chan struct{})
	close(gate)
	app := gated(t, gate)
	thread := app.Thread("t")
	for range thread.Stream(t.Context(), step{}, graph.Debug, graph.KeepEvents(4), graph.Detached()) {
		break // this view, too, may be too far behind already
	}
	require.NoError(t, app.Wait(t.Context()))
	var seen []int64
	for e, err := range thread.Follow(t.Context(), 0) {
		require.ErrorIs(t, err, graph.ErrMissed)
		assert.Zero(t, e.Kind)
	}
	var last int64
	for after := int64(1); len(seen) == 0; after++ {
		for e, err := range thread.Follow(t.Context(), after) {
			if errors.Is(err, graph.ErrMissed) {
				break
			}
			seen, last = append(seen, e.Seq), e.Seq
		}
	}
	assert.Equal(t, []int64{last - 3, last - 2, last - 1, last}, seen)
}
