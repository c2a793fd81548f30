package explore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/scenario/explore"
)

// pair is joined by One alone; Two decides.
type pair struct{ One, Two int }

func (p pair) Apply(u pair) (pair, error) { return pair{p.One + u.One, p.Two + u.Two}, nil }

func TestTheTwinOfAJoinedStateGoesElsewhere(t *testing.T) {
	g := graph.New[pair]("twins")
	first := g.Node("first", func(ctx context.Context, _ pair) (pair, error) {
		if explore.Choose(ctx, "coin", "head", "tail") == "head" {
			return pair{1, 0}, nil
		}
		return pair{1, 1}, nil
	})
	second := g.Node("second", func(_ context.Context, p pair) (pair, error) { return pair{One: p.Two}, nil })
	g.Start(first)
	g.Edge(first, second)
	g.Edge(second, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	subject := explore.Subject[pair, pair]{App: app, Inputs: map[string]pair{"": {}}, Canonical: func(p pair) any { return p.One }}
	r, err := explore.Run(t.Context(), subject, explore.Options{})
	require.NoError(t, err)
	require.Len(t, r.Violations, 1)
	assert.Equal(t, explore.JoinedAlike, r.Violations[0].Invariant)
	assert.Equal(t, "tail", r.Violations[0].Path[0].Choices[0].Option)

	r, err = explore.Run(t.Context(), subject, explore.Options{Twins: -1})
	require.NoError(t, err)
	assert.Empty(t, r.Violations, "nobody has looked")
	assert.Zero(t, r.Twins)

	subject.Canonical = func(p pair) any { return p }
	r, err = explore.Run(t.Context(), subject, explore.Options{})
	require.NoError(t, err)
	assert.Empty(t, r.Violations)
	assert.True(t, r.Complete)
}

// forgetful is a state that loses something when it is stored.
type forgetful struct {
	N      int
	Hidden int `json:"-"`
}

func (f forgetful) Apply(n int) (forgetful, error) { return forgetful{f.N + n, f.Hidden + n}, nil }

func TestAStateThatDoesNotSurviveItsCheckpointIsFound(t *testing.T) {
	g := graph.New[forgetful]("forgetful")
	a := g.Node("a", func(context.Context, forgetful) (int, error) { return 1, nil })
	b := g.Node("b", func(context.Context, forgetful) (int, error) { return 1, nil })
	g.Start(a)
	g.Edge(a, b)
	g.Edge(b, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	r, err := explore.Run(t.Context(), explore.Subject[forgetful, int]{
		App: app, Inputs: map[string]int{"": 1}, Canonical: func(f forgetful) any { return []int{f.N, f.Hidden} },
	}, explore.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, r.Violations)
	assert.Equal(t, explore.Survives, r.Violations[0].Invariant)
}

func TestEachInputIsABeginningOfItsOwn(t *testing.T) {
	s := shop(t, "unpaid")
	s.Inputs = map[string]event{"an order": {}, "an order that somebody tried before": {Tried: true}}
	r, err := explore.Run(t.Context(), s, explore.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, r.Violations)
	v := r.Violations[0]
	assert.Equal(t, "an order that somebody tried before", v.Path[0].Input, "from there the way is shorter")
	assert.Len(t, v.Path, 2)
}

func TestAnExplorationStopsAtTheInvariantThatIsLookedFor(t *testing.T) {
	s := shop(t, "unpaid")
	all, err := explore.Run(t.Context(), shop(t, ""), explore.Options{})
	require.NoError(t, err)
	s.Invariants = append(s.Invariants, explore.Invariant[order]{Name: "never", State: func(order) error { return errors.New("always") }})
	r, err := explore.Run(t.Context(), s, explore.Options{Until: "never"})
	require.NoError(t, err)
	assert.False(t, r.Complete)
	assert.LessOrEqual(t, r.States, all.States)
	assert.Equal(t, "never", r.Violations[0].Invariant)
}

func TestAScriptLeadsTheSameWay(t *testing.T) {
	r, err := explore.Run(t.Context(), shop(t, "unpaid"), explore.Options{})
	require.NoError(t, err)
	outcomes := r.Violations[0].Outcomes()
	assert.Equal(t, map[string][]string{"bank": {"refused", "refused"}, "post": {"arrives"}, explore.Person: {"yes"}}, outcomes)

	script := explore.NewScript(outcomes)
	ctx := script.Context(t.Context())
	assert.Equal(t, "refused", explore.Choose(ctx, "bank", "accepted", "refused"))
	assert.Equal(t, "arrives", explore.Choose(ctx, "post", "loses it", "arrives"))
	assert.Equal(t, "accepted", explore.Choose(ctx, "other", "accepted", "refused"), "a point without outcomes has its first option")
	assert.Equal(t, "refused", explore.Choose(ctx, "bank", "accepted", "refused"))
	assert.Equal(t, "accepted", explore.Choose(ctx, "bank", "accepted", "refused"), "and so has one whose outcomes are used up")
	require.NoError(t, script.Fault())

	script = explore.NewScript(map[string][]string{"bank": {"sleeps"}})
	explore.Choose(script.Context(t.Context()), "bank", "accepted")
	require.ErrorContains(t, script.Fault(), `bank has no option "sleeps"`)
}

func TestTheExploredGraphIsDrawnWithCounts(t *testing.T) {
	r, err := explore.Run(t.Context(), shop(t, ""), explore.Options{})
	require.NoError(t, err)
	dot, mermaid := r.Drawing().DOT(), r.Drawing().Mermaid()
	for _, want := range []string{`"pay (1)"`, `"ask (2)"`, `label="asks 1"`, `label="send 2"`, "color=green"} {
		assert.Contains(t, dot, want)
	}
	assert.Equal(t, strings.Count(dot, "->"), strings.Count(mermaid, "==>")+strings.Count(mermaid, "-->"))
	again, err := explore.Run(t.Context(), shop(t, ""), explore.Options{Parallel: 1})
	require.NoError(t, err)
	assert.Equal(t, dot, again.Drawing().DOT(), "the same every time")
}
