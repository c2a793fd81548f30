package graph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Rule 15: counters that nodes charge through the context.
func TestACallEndsBeforeTheStepAfterItsBudgetIsUsedUp(t *testing.T) {
	var told error
	app := endless(t, func(ctx context.Context, _ trail) (step, error) {
		told = graph.Charge(ctx, "tokens", 40) // the node does not care
		return step{Path: []string{"x"}}, nil
	})
	thread := app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{}, graph.Budget("tokens", 100), graph.Budget("calls", 1))
	var be *graph.BudgetError
	require.ErrorAs(t, err, &be)
	require.ErrorIs(t, err, graph.ErrBudget)
	assert.Equal(t, graph.BudgetError{Name: "tokens", Used: 120, Limit: 100}, *be)
	require.ErrorIs(t, told, graph.ErrBudget)
	assert.Equal(t, 3, res.Steps, "the result of the node is kept")
	assert.Equal(t, map[string]int64{"tokens": 120}, res.Charged)
	res, err = thread.Resume(t.Context(), graph.Budget("tokens", 40), graph.MaxSteps(9))
	require.ErrorIs(t, err, graph.ErrBudget)
	assert.Equal(t, 2, res.Steps, "a fresh allowance")
	assert.Len(t, res.State.Path, 5)
}

// Rule 15: a budget that is just used up does not matter when no work remains.
func TestABudgetMattersOnlyWhenWorkRemains(t *testing.T) {
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) { return step{}, nil })
	_, err := app.Invoke(t.Context(), step{}, graph.Budget("tokens", 0))
	require.NoError(t, err)
	last := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(ctx context.Context, _ trail) (step, error) {
			return step{}, ignore(graph.Charge(ctx, "tokens", 5))
		})
		g.Start(n)
		g.Edge(n, graph.End)
	}, graph.Budget("tokens", 1))
	res, err := last.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, int64(5), res.Charged["tokens"])
	require.ErrorIs(t, graph.Charge(t.Context(), "tokens", 1), graph.ErrNoTask)
}

func ignore(error) error { return nil }

// Rule 15: wall time.
func TestACallEndsWithItsWallTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := endless(t, func(ctx context.Context, _ trail) (step, error) {
			select {
			case <-time.After(time.Second):
				return step{Path: []string{"x"}}, nil
			case <-ctx.Done():
				return step{}, ctx.Err()
			}
		}, graph.WallTime(2500*time.Millisecond))
		res, err := app.Thread("t").Invoke(t.Context(), step{})
		require.ErrorIs(t, err, graph.ErrWallTime)
		assert.Equal(t, 2, res.Steps)
	})
}

// Rule 33: randomness comes from the context: equal for a task that runs again, different for another one.
func TestTheRandomnessOfATaskIsGivenByItsPlace(t *testing.T) {
	var draws []uint64
	app := compile(t, func(g *graph.Graph[trail, step]) {
		node := func(ctx context.Context, _ trail) (step, error) {
			draws = append(draws, graph.Rand(ctx).Uint64())
			return step{}, nil
		}
		a, b := g.Node("a", node), g.Node("b", node)
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	})
	for range 2 {
		_, err := app.Thread("t", graph.WithStore(graph.NewMemoryStore())).Invoke(t.Context(), step{})
		require.NoError(t, err)
	}
	_, err := app.Thread("other").Invoke(t.Context(), step{})
	require.NoError(t, err)
	for range 2 {
		_, err := app.Invoke(graph.WithSeed(t.Context(), 7), step{})
		require.NoError(t, err)
	}
	assert.Equal(t, draws[0:2], draws[2:4], "the same thread, run, step and task")
	assert.NotEqual(t, draws[0], draws[1])
	assert.NotEqual(t, draws[0], draws[4])
	assert.Equal(t, draws[6:8], draws[8:10], "the same seed")
	assert.Len(t, draws, 10)
}
