package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// lateBird is a node whose first run leaves a goroutine behind that calls late with its context during the second one.
func lateBird(late func(context.Context), then nodeFunc) nodeFunc {
	begin, done := make(chan struct{}), make(chan struct{})
	runs := 0
	return func(ctx context.Context, s trail) (step, error) {
		runs++
		if runs == 1 {
			go func() {
				defer close(done)
				<-begin
				late(ctx)
			}()
			return step{}, nil
		}
		close(begin)
		<-done
		return then(ctx, s)
	}
}

// Rule 17: a node that keeps its context cannot put a result of Once into a later step.
func TestALateOnceIsAnErrorAndDoesNotReachALaterStep(t *testing.T) {
	var told error
	paid := 0
	late := func(ctx context.Context) {
		_, told = graph.Once(ctx, "pay", func(context.Context) (int, error) { paid++; return 1, nil })
	}
	app := endless(t, lateBird(late, func(ctx context.Context, _ trail) (step, error) {
		_, err := graph.Once(ctx, "pay", func(context.Context) (int, error) { paid += 10; return 2, nil })
		return step{}, err
	}), graph.MaxSteps(2))
	_, err := app.Thread("t").Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	require.ErrorIs(t, told, graph.ErrNoTask)
	assert.Equal(t, 10, paid)
}

// Rule 18: nor a question.
func TestALateQuestionIsAnErrorAndDoesNotReachALaterStep(t *testing.T) {
	var told error
	late := func(ctx context.Context) { _, told = graph.Ask[int](ctx, "late", nil) }
	app := endless(t, lateBird(late, say("x")), graph.MaxSteps(2))
	res, err := app.Thread("t").Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	require.ErrorIs(t, told, graph.ErrNoTask)
	assert.Empty(t, res.Interrupts)
}
