package graph_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// firstOfTwo asks two things and is content with one answer.
func firstOfTwo(ctx context.Context, _ trail) (step, error) {
	x, err := graph.Ask[string](ctx, "x", nil)
	if err == nil {
		return step{Path: []string{x}}, nil
	}
	y, err := graph.Ask[string](ctx, "y", nil)
	if err == nil {
		return step{Path: []string{y}}, nil
	}
	return step{}, err
}

// Rule 18: Head and Reply know the same open questions as the result.
func TestWhatAFinishedTaskLeftOpenWaitsForNobody(t *testing.T) {
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", firstOfTwo)
		b := g.Node("b", asking(new(graphtest.Journal), "z"))
		g.Start(a, b)
		g.Edge(a, graph.End)
		g.Edge(b, graph.End)
	}).Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 3)
	res, err = thread.Resume(t.Context(), graph.Answer(res.Interrupts[0].ID, "hello"))
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.Interrupts, head.Interrupts)
	res, err = thread.Resume(t.Context(), graph.Reply("zz"))
	require.NoError(t, err)
	assert.Equal(t, []string{"hello", "z=zz"}, res.State.Path)
}

// Rule 18: a node is not run again until one of its questions is answered, also when another one has expired.
func TestAQuestionThatHasExpiredIsOverOnceItsNodeKnows(t *testing.T) {
	clock := graphtest.NewClock(noon)
	ctx := graph.WithClock(t.Context(), clock)
	runs := 0
	thread := withDone(t, func(ctx context.Context, _ trail) (step, error) {
		runs++
		x, err := graph.Ask[string](ctx, "x", nil, graph.ExpiresAfter(time.Hour))
		if errors.Is(err, graph.ErrExpired) {
			x, err = graph.Ask[string](ctx, "boss", nil)
		}
		if err != nil {
			return step{}, err
		}
		return step{Path: []string{x}}, nil
	}).Thread("t")
	res, err := thread.Invoke(ctx, step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	clock.Advance(2 * time.Hour)
	res, err = thread.Resume(ctx)
	require.NoError(t, err)
	assert.Len(t, res.Interrupts, 1)
	assert.Equal(t, 2, runs)
	_, err = thread.Resume(ctx)
	require.NoError(t, err)
	assert.Equal(t, 2, runs, "a node is not run again until one of its questions is answered")
	res, err = thread.Resume(ctx, graph.Reply("ok"))
	require.NoError(t, err)
	assert.Equal(t, []string{"ok", "done"}, res.State.Path)
}

// Rules 7, 18, 25: what was answered in time stays so when a crash keeps the answer from the child until the time is over.
func TestAnAnswerInTimeReachesTheChildLater(t *testing.T) {
	clock := graphtest.NewClock(noon)
	ctx := graph.WithClock(t.Context(), clock)
	ask := func(ctx context.Context, _ count) (int, error) {
		return graph.Ask[int](ctx, "n", nil, graph.ExpiresAfter(time.Hour))
	}
	store := graph.NewMemoryStore()
	build := func() *graph.App[trail, step] { return around(t, adder(t, ask)) }
	res, err := build().Thread("t", graph.WithStore(store)).Invoke(ctx, step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	pends := 0
	dying := graphtest.Faulty(store, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Pend" {
			pends++
		}
		if pends > 1 || pends == 1 && op.Name != "Pend" {
			return graphtest.FailBefore
		}
		return graphtest.Pass
	})
	_, err = build().Thread("t", graph.WithStore(dying)).Resume(ctx, graph.Answer(res.Interrupts[0].ID, 7))
	require.ErrorIs(t, err, graphtest.ErrInjected)
	clock.Advance(2 * time.Hour)
	res, err = build().Thread("t", graph.WithStore(store)).Resume(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "[11 11 7]", "last"}, res.State.Path)
}
