package explore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/scenario/explore"
)

// order is the state of a shop: a payment that may fail, a parcel that may get lost, a person who may give up.
type order struct {
	Tries int
	Paid  bool
	Sent  bool
	Lost  int
	Gone  bool
}

type event struct {
	Tried, Paid, Sent, Lost, Gone bool
}

func (o order) Apply(e event) (order, error) {
	if e.Tried {
		o.Tries++
	}
	o.Paid, o.Sent, o.Gone = o.Paid || e.Paid, o.Sent || e.Sent, o.Gone || e.Gone
	if e.Lost {
		o.Lost++
	}
	return o, nil
}

type way string

// shop is the graph; fault is what is wrong with it.
func shop(t *testing.T, fault string) explore.Subject[order, event] {
	g := graph.New[order, event]("shop")
	pay := g.Node("pay", func(ctx context.Context, o order) (event, error) {
		switch explore.Choose(ctx, "bank", "accepted", "refused", "down") {
		case "accepted":
			return event{Tried: true, Paid: true}, nil
		case "down":
			if fault == "crash" {
				return event{}, errors.New("the bank is down")
			}
		}
		return event{Tried: true}, nil
	})
	ask := g.Node("ask", func(ctx context.Context, _ order) (event, error) {
		again, err := graph.Ask[bool](ctx, "again", "try again?")
		return event{Gone: !again}, err
	})
	send := g.Node("send", func(ctx context.Context, _ order) (event, error) {
		if explore.Choose(ctx, "post", "arrives", "loses it") == "arrives" {
			return event{Sent: true}, nil
		}
		return event{Lost: true}, nil
	})
	g.Start(pay)
	graph.Route(g, pay, func(o order) way {
		switch {
		case o.Paid, fault == "unpaid" && o.Tries == 2:
			return "send"
		case o.Tries < 2:
			return "ask"
		default:
			return "end"
		}
	}, graph.Case(way("send"), send), graph.Case(way("ask"), ask), graph.Case(way("end"), graph.End))
	graph.Route(g, ask, func(o order) way {
		if o.Gone {
			return "end"
		}
		return "pay"
	}, graph.Case(way("pay"), pay), graph.Case(way("end"), graph.End))
	graph.Route(g, send, func(o order) way {
		if o.Sent || o.Lost > 1 && fault != "endless" {
			return "end"
		}
		return "send"
	}, graph.Case(way("send"), send), graph.Case(way("end"), graph.End))
	app, err := g.Compile()
	require.NoError(t, err)
	return explore.Subject[order, event]{
		App: app, Inputs: map[string]event{"an order": {}},
		Canonical: func(o order) any {
			if fault == "endless" {
				o.Lost = 0 // a counter that the canonical form leaves out
			}
			return o
		},
		Answers: func(graph.Interrupt) map[string]any { return map[string]any{"yes": true, "no": false} },
		Invariants: []explore.Invariant[order]{{
			Name: "nothing is sent unpaid",
			State: func(o order) error {
				if o.Sent && !o.Paid {
					return errors.New("sent and not paid")
				}
				return nil
			},
		}},
	}
}

func TestEveryOutcomeOfTheEnvironmentIsTriedAndEqualStatesAreJoined(t *testing.T) {
	r, err := explore.Run(t.Context(), shop(t, ""), explore.Options{})
	require.NoError(t, err)
	assert.Empty(t, r.Violations)
	assert.Equal(t, explore.Coverage{Edges: 1, Machine: 1, Missing: []string{}}, r.Coverage)
	assert.Equal(t, []explore.Point{{Point: "bank", Options: []string{"accepted", "down", "refused"}}, {Point: "post", Options: []string{"arrives", "loses it"}}}, r.Alphabet)
	again, err := explore.Run(t.Context(), shop(t, ""), explore.Options{Parallel: 1})
	require.NoError(t, err)
	assert.Equal(t, []any{r.States, r.Transitions, r.Paths, r.Depth, r.Ends}, []any{again.States, again.Transitions, again.Paths, again.Depth, again.Ends}, "the same every time")
	// Paid at once: 3 (arrives, lost and arrives, lost twice). Not paid, in 2 ways: the person gives up, or tries again,
	// and is paid then, 3, or not, 2.
	assert.Equal(t, int64(3+2*(1+3+2)), r.Paths.Int64())
}

func TestAViolationComesWithItsShortestPath(t *testing.T) {
	r, err := explore.Run(t.Context(), shop(t, "unpaid"), explore.Options{})
	require.NoError(t, err)
	require.Len(t, r.Violations, 1)
	v := r.Violations[0]
	assert.Equal(t, "nothing is sent unpaid", v.Invariant)
	var names []string
	for _, s := range v.Path {
		names = append(names, s.Nodes...)
	}
	assert.Equal(t, []string{"pay", "ask", "ask", "pay", "send"}, names, "a node that asks runs again with the answer")
	assert.Equal(t, "yes", v.Path[2].Answer)
	var choices []string
	for _, c := range v.Choices() {
		choices = append(choices, c.String())
	}
	assert.Equal(t, []string{"bank: refused", "bank: refused", "post: arrives"}, choices)
}

func TestAStepThatFailsAndAPathThatNeedNotEndAreViolations(t *testing.T) {
	r, err := explore.Run(t.Context(), shop(t, "crash"), explore.Options{})
	require.NoError(t, err)
	require.Len(t, r.Violations, 1)
	assert.Equal(t, explore.NoError, r.Violations[0].Invariant)
	assert.Contains(t, r.Violations[0].Reason, "the bank is down")

	r, err = explore.Run(t.Context(), shop(t, "endless"), explore.Options{})
	require.NoError(t, err)
	require.Len(t, r.Violations, 1)
	v := r.Violations[0]
	assert.Equal(t, explore.Ends, v.Invariant)
	assert.Equal(t, "the last 1 steps lead back to where they began", v.Reason)
	last := v.Path[len(v.Path)-1]
	assert.Equal(t, []string{"send"}, last.Nodes)
	assert.Equal(t, "post: loses it", last.Choices[0].String(), "the step that leads back, not the one that led there first")
	assert.Zero(t, r.Paths.Sign())
}

func TestTooManyStatesAndACancelledExplorationAreErrors(t *testing.T) {
	r, err := explore.Run(t.Context(), shop(t, ""), explore.Options{MaxStates: 3})
	require.ErrorIs(t, err, explore.ErrTooMany)
	assert.False(t, r.Complete)
	assert.Positive(t, r.States, "what was seen is told")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err = explore.Run(ctx, shop(t, ""), explore.Options{})
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, r.Complete)
	_, err = explore.Run(t.Context(), explore.Subject[order, event]{}, explore.Options{})
	require.ErrorContains(t, err, "an input")
}

func TestOutsideAnExplorationChooseIsTheFirstOption(t *testing.T) {
	assert.Equal(t, "a", explore.Choose(t.Context(), "x", "a", "b"))
	assert.Panics(t, func() { explore.Choose(t.Context(), "x") })
}
