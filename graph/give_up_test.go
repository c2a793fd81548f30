package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Rule 12: a panic becomes a NodeError, also that of what decides about the retry.
func TestAPanicOfARetryPredicateIsAFailureOfItsNode(t *testing.T) {
	bad := func(context.Context, trail) (step, error) { return step{}, errBoom }
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", bad, graph.Retry(3, func(error) bool { panic("predicate") }))
		g.Start(a)
		g.Edge(a, graph.End)
	})
	_, err := app.Invoke(t.Context(), step{})
	var ne *graph.NodeError
	require.ErrorAs(t, err, &ne)
	require.ErrorIs(t, err, graph.ErrPanic)
	require.ErrorIs(t, err, errBoom)
	assert.NotEmpty(t, ne.Stack)
}

// badJSON is an update that cannot be encoded when it is 13.
type badJSON struct{ N int }

func (b badJSON) MarshalJSON() ([]byte, error) {
	if b.N == 13 {
		panic("marshal")
	}
	return json.Marshal(b.N)
}

func (b *badJSON) UnmarshalJSON(d []byte) error { return json.Unmarshal(d, &b.N) }

type badState struct{ L []badJSON }

func (s badState) Apply(u badJSON) (badState, error) { s.L = graph.Append(s.L, u); return s, nil }

// Rules 12, 14: user code that panics while a result is encoded does not take the process with it.
func TestAPanicOfTheCodecIsASaveError(t *testing.T) {
	for _, n := range []int{1, 2} {
		app := compile(t, func(g *graph.Graph[badState, badJSON]) {
			for i := range n {
				a := g.Node(fmt.Sprint("n", i), func(context.Context, badState) (badJSON, error) { return badJSON{13}, nil })
				g.Start(a)
				g.Edge(a, graph.End)
			}
		}, graph.MaxConcurrency(1))
		func() {
			defer func() { assert.Nil(t, recover(), n) }()
			_, err := app.Thread("t").Invoke(t.Context(), badJSON{1})
			var se *graph.SaveError
			require.ErrorAs(t, err, &se)
			require.ErrorIs(t, err, graph.ErrPanic)
		}()
	}
}

// Rules 12, 16.
func TestAPanicOfTheCodecOfACacheIsAFailureOfItsNode(t *testing.T) {
	app := compile(t, func(g *graph.Graph[badState, badJSON]) {
		n := g.Node("n", func(context.Context, badState) (badJSON, error) { return badJSON{13}, nil },
			graph.Cache(func(badState) string { return "k" }, 0))
		g.Start(n)
		g.Edge(n, graph.End)
	})
	_, err := app.Invoke(t.Context(), badJSON{1})
	var ne *graph.NodeError
	require.ErrorAs(t, err, &ne)
	require.ErrorIs(t, err, graph.ErrPanic)
}

// Rules 14, 24, 29: what was finished is kept, and the goroutine that writes it ends: TestMain looks for it.
func TestAConsumerThatPanicsLeavesNoWriterBehindUnderAsync(t *testing.T) {
	thread := chain(t, nil, "a", "b", "c").Thread("t", graph.Async)
	func() {
		defer func() { recover() }()
		for e := range thread.Stream(t.Context(), step{}, graph.Values) {
			if e.Kind == graph.ValuesKind && e.Step == 2 {
				panic("consumer")
			}
		}
	}()
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, head.Step)
}

// Rule 13: to cancel a sibling that waits for its turn is not to start it.
func TestATaskThatHasNotBegunIsNotStartedWhenASiblingFails(t *testing.T) {
	started := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		broken := true
		a := g.Node("a", failing("a", &broken))
		b := g.Node("b", func(context.Context, trail) (step, error) { started++; return step{}, nil })
		g.Start(a, b)
		g.Edge(a, graph.End)
		g.Edge(b, graph.End)
	}, graph.MaxConcurrency(1), graph.CancelSiblings())
	_, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, 0, started)
}

// Rule 11: cancelling keeps what finished and starts nothing.
func TestATaskThatHasNotBegunIsNotStartedWhenTheCallIsCancelled(t *testing.T) {
	started := 0
	ctx, cancel := context.WithCancel(t.Context())
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) { cancel(); return step{Path: []string{"a"}}, nil })
		b := g.Node("b", func(context.Context, trail) (step, error) { started++; return step{}, nil })
		g.Start(a, b)
		g.Edge(a, graph.End)
		g.Edge(b, graph.End)
	}, graph.MaxConcurrency(1))
	_, err := app.Invoke(ctx, step{})
	assert.Equal(t, 0, started)
	require.ErrorIs(t, err, context.Canceled)
}

// Rule 15: another attempt would only spend more.
func TestACallWhoseBudgetIsUsedUpDoesNotRetry(t *testing.T) {
	calls := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(ctx context.Context, _ trail) (step, error) { calls++; return step{}, graph.Charge(ctx, "usd", 5) }, graph.Retry(5, nil))
		g.Start(a)
		g.Edge(a, graph.End)
	}, graph.Budget("usd", 4))
	_, err := app.Invoke(graph.WithClock(t.Context(), instant{}), step{})
	require.ErrorIs(t, err, graph.ErrBudget)
	assert.Equal(t, 1, calls)
}
