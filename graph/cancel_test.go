package graph_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 11.
func TestCancellingStopsTheNodesWaitsForThemKeepsWhatFinishedAndReturnsTheCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	errWhy := errors.New("the user pressed a key")
	finished := make(chan struct{})
	returned := false
	once := true
	app := twins(t,
		func(context.Context, trail) (step, error) {
			defer close(finished)
			return step{Path: []string{"a"}}, nil
		},
		func(ctx context.Context, _ trail) (step, error) {
			if !once {
				return step{Path: []string{"b"}}, nil
			}
			once = false
			<-finished
			cancel(errWhy)
			<-ctx.Done()
			returned = true
			return step{}, ctx.Err()
		}, graph.MaxConcurrency(2))
	thread := app.Thread("t")
	_, err := thread.Invoke(ctx, step{})
	require.Equal(t, errWhy, err)
	assert.True(t, returned)

	res, err := thread.Resume(t.Context())
	require.NoError(t, err, "a second run of a would close its channel twice")
	graphtest.Path(t, res.State.Path, "a", "b", "c")
}

// Rule 11.
func TestAFailureThatHasNothingToDoWithTheCancellationIsReportedBesideIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	app := twins(t,
		func(context.Context, trail) (step, error) { cancel(); return step{}, errBoom },
		func(ctx context.Context, _ trail) (step, error) { <-ctx.Done(); return step{}, ctx.Err() },
		graph.MaxConcurrency(2))
	_, err := app.Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, errBoom)
}

// Rule 11.
func TestADeadlineHoldsInAGraphThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		steps := 0
		app := endless(t, func(context.Context, trail) (step, error) {
			steps++
			time.Sleep(time.Second) // of the bubble's clock
			return step{}, nil
		}, graph.MaxSteps(1_000_000))
		_, err := app.Invoke(ctx, step{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.InDelta(t, 60, steps, 1)
	})
}

// Rule 11.
func TestARunWithACancelledContextChangesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	app := chain(t, nil, "a")
	_, err := app.Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	thread := app.Thread("t")
	_, err = thread.Invoke(ctx, step{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = thread.Resume(ctx)
	require.ErrorIs(t, err, context.Canceled)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.False(t, head.Exists)
}
