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

// Rule 17: once its result is committed, a re-run gets the stored result and fn does not run again.
func TestOnceRunsItsFunctionOnceOverAttemptsQuestionsAndProcesses(t *testing.T) {
	calls, attempts := 0, 0
	node := func(ctx context.Context, _ trail) (step, error) {
		attempts++
		id, err := graph.Once(ctx, "mail", func(context.Context) (int, error) { calls++; return 40 + calls, nil })
		if err != nil {
			return step{}, err
		}
		if attempts == 1 {
			return step{}, errBoom
		}
		word, err := graph.Ask[string](ctx, "word", nil)
		if err != nil {
			return step{}, err
		}
		return step{Path: []string{word}, Other: &id}, nil
	}
	build := func() *graph.App[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			n := g.Node("n", node, graph.Retry(2, nil))
			g.Start(n)
			g.Edge(n, graph.End)
		})
	}
	store := graph.NewMemoryStore()
	ctx := graph.WithClock(t.Context(), instant{})
	res, err := build().Thread("t", graph.WithStore(store)).Invoke(ctx, step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	assert.Equal(t, 2, attempts)
	res, err = build().Thread("t", graph.WithStore(store)).Resume(ctx, graph.Reply("x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, res.State.Path)
	assert.Equal(t, 3, attempts)
	assert.Equal(t, 1, calls)
}

// instant is a clock whose waits take no time.
type instant struct{}

func (instant) Wait(context.Context, time.Duration) error { return nil }
func (instant) Now() time.Time                            { return noon }

// Rule 17: before the commit it is at-least-once.
func TestOnceRunsAgainWhenItsResultWasNotCommitted(t *testing.T) {
	calls := 0
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) {
		_, err := graph.Once(ctx, "mail", func(context.Context) (bool, error) { calls++; return true, nil })
		return step{Path: []string{"mailed"}}, err
	})
	inner := graph.NewMemoryStore()
	dying := graphtest.CrashAt(inner, 4, graphtest.FailBefore) // Claim, Load, Commit of the input, Pend of the result
	_, err := app.Thread("t", graph.WithStore(dying)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graphtest.ErrInjected)
	require.Equal(t, 1, calls)
	res, err := app.Thread("t", graph.WithStore(inner)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"mailed", "done"}, res.State.Path)
	assert.Equal(t, 2, calls)
}

// Rule 17: a result that could not be saved fails the task, whatever its node makes of the error.
func TestAResultOfOnceThatCannotBeSavedFailsTheTask(t *testing.T) {
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) {
		graph.Once(ctx, "mail", func(context.Context) (bool, error) { return true, nil }) // its error is swallowed on purpose
		return step{}, nil
	})
	store := graphtest.Faulty(graph.NewMemoryStore(), func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Pend" {
			return graphtest.FailBefore
		}
		return graphtest.Pass
	})
	_, err := app.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	var se *graph.SaveError
	require.ErrorAs(t, err, &se)
	assert.Equal(t, "note publish/once/mail", se.What)
}

// Rule 17: an error of fn is not kept, and the same key used twice in one task is an error.
func TestOnceKeepsNoErrorsAndTakesAKeyOnce(t *testing.T) {
	calls := 0
	fn := func(context.Context) (string, error) {
		if calls++; calls == 1 {
			return "", errBoom
		}
		return "ok", nil
	}
	node := func(ctx context.Context, _ trail) (step, error) {
		v, err := graph.Once(ctx, "k", fn)
		if err != nil {
			return step{}, err
		}
		if _, err := graph.Once(ctx, "k", fn); !errors.Is(err, graph.ErrKeyUsed) {
			return step{}, errors.New("used twice")
		}
		return step{Path: []string{v}}, nil
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", node, graph.Retry(2, nil))
		g.Start(n)
		g.Edge(n, graph.End)
	})
	res, err := app.Invoke(graph.WithClock(t.Context(), instant{}), step{})
	require.NoError(t, err)
	assert.Equal(t, []string{"ok"}, res.State.Path)
	assert.Equal(t, 2, calls)
	_, err = graph.Once(t.Context(), "k", fn)
	require.ErrorIs(t, err, graph.ErrNoTask)
}

// Rule 17: nodes get an idempotency key that is stable over attempts and processes.
func TestTheIdempotencyKeyIsStableOverAttemptsAndProcesses(t *testing.T) {
	var keys []string
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) {
		info, _ := graph.InfoFrom(ctx)
		keys = append(keys, info.Key)
		_, err := graph.Ask[string](ctx, "word", nil)
		return step{}, err
	})
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	_, err = thread.Resume(t.Context(), graph.Reply(""))
	require.NoError(t, err)
	assert.Equal(t, []string{"t/1/1/publish", "t/1/1/publish"}, keys)
}
