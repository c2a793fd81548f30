package graph_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Rule 10: nodes get a snapshot that they may not change. LangGraph hands the same mutable objects to all tasks of a step.
func TestIsolateFindsANodeThatWritesIntoItsStateAndNamesTheField(t *testing.T) {
	for name, misdeed := range misdeeds {
		t.Run(name, func(t *testing.T) {
			withChange(t, "fill", func(s *rich) { *s = newRich() })
			app := richNode(t, func(_ context.Context, s rich) (change, error) { misdeed.do(&s); return change{}, nil })
			_, err := app.Invoke(t.Context(), change{"fill"})
			var failed *graph.NodeError
			require.ErrorAs(t, err, &failed)
			require.ErrorIs(t, err, graph.ErrStateChanged)
			assert.Equal(t, "n", failed.Node)
			assert.ErrorContains(t, err, ": "+misdeed.field)
		})
	}
}

func TestIsolateFindsAnApplyThatWritesIntoItsReceiverAndNamesTheField(t *testing.T) {
	for name, misdeed := range misdeeds {
		t.Run(name, func(t *testing.T) {
			withChange(t, "fill", func(s *rich) { *s = newRich() })
			withChange(t, "harm", misdeed.do)
			app := richNode(t, func(context.Context, rich) (change, error) { return change{"harm"}, nil })
			_, err := app.Invoke(t.Context(), change{"fill"})
			require.ErrorIs(t, err, graph.ErrImpureApply)
			assert.ErrorContains(t, err, "writes to "+misdeed.field)
		})
	}
}

func TestIsolateAcceptsEverythingThatWritesNewMemoryOnly(t *testing.T) {
	withChange(t, "fill", func(s *rich) { *s = newRich() })
	withChange(t, "good", func(s *rich) {
		s.List = graph.Append(s.List, "x", "")
		s.Nested = slices.Concat(s.Nested, []richPart{{}})
		s.Table = maps.Clone(s.Table)
		s.Table["u"] = graph.Append(s.Table["t"], 1)
		s.Link, s.Free, s.Raw, s.Time = &richPart{Seen: true}, []any{1.0}, json.RawMessage(`1`), s.Time.Add(1)
		s.Pair[1] = 7 // an array is a value
	})
	app := richNode(t, func(_ context.Context, s rich) (change, error) {
		assert.Equal(t, newRich(), s, "the copy is the state")
		s.List, s.Link, s.Pair[0] = nil, nil, 9 // its own variable
		return change{"good"}, nil
	})
	res, err := app.Invoke(t.Context(), change{"fill"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "x", ""}, res.State.List)
	assert.Equal(t, map[string][]int{"t": {1}, "u": {1, 1}}, res.State.Table)
}

func TestIsolateFindsAnApplyThatIsNotDeterministic(t *testing.T) {
	n := 0
	withChange(t, "fill", func(s *rich) { *s = newRich() })
	withChange(t, "count", func(s *rich) { n++; s.Pair[1] = float64(n) })
	app := richNode(t, func(context.Context, rich) (change, error) { return change{"count"}, nil })
	_, err := app.Invoke(t.Context(), change{"fill"})
	require.ErrorIs(t, err, graph.ErrImpureApply)
	assert.ErrorContains(t, err, "differ in Pair[1]")
}

func TestIsolateChecksTheApplyOfTheInput(t *testing.T) {
	withChange(t, "fill", func(s *rich) { *s = newRich() })
	withChange(t, "harm", func(s *rich) { s.List[0] = "x" })
	thread := richNode(t, func(context.Context, rich) (change, error) { return change{}, nil }).Thread("t")
	_, err := thread.Invoke(t.Context(), change{"fill"})
	require.NoError(t, err)
	_, err = thread.Invoke(t.Context(), change{"harm"})
	assert.ErrorIs(t, err, graph.ErrImpureApply)
}

func TestIsolateFindsARouteThatWritesIntoItsState(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", say("n"))
		g.Start(n)
		graph.Route(g, n, func(s trail) verdict { s.Path[0] = "x"; return good }, graph.Case(good, graph.End))
	}, graph.Isolate())
	_, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStateChanged)
	assert.ErrorContains(t, err, "by the route: Path[0]")
}

// What Isolate finds is a bug, and a run that hides it would go on with it.
func TestNeitherARetryNorAHandlerNorAQuestionHidesWhatIsolateFinds(t *testing.T) {
	calls := 0
	harm := func(s trail) { calls++; s.Path[0] = "x" }
	for name, body := range map[string]nodeFunc{
		"success": func(_ context.Context, s trail) (step, error) { harm(s); return step{}, nil },
		"failure": func(_ context.Context, s trail) (step, error) { harm(s); return step{}, errBoom },
		"question": func(ctx context.Context, s trail) (step, error) {
			harm(s)
			_, err := graph.Ask[bool](ctx, "k", "?")
			return step{}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			app := compile(t, func(g *graph.Graph[trail, step]) {
				n := g.Node("n", body, graph.Retry(3, nil))
				h := graph.Work(g, "h", func(context.Context, trail, graph.Failure) (step, error) { return step{}, nil })
				g.Start(n)
				g.Edge(n, graph.End)
				g.OnError(n, h)
				g.Edge(h.Node, graph.End)
			}, graph.Isolate())
			_, err := app.Thread("t").Invoke(t.Context(), step{Path: []string{"in"}})
			require.ErrorIs(t, err, graph.ErrStateChanged)
			assert.Equal(t, 1, calls)
		})
	}
}

func TestIsolateOfACallHoldsInItsSubGraphs(t *testing.T) {
	child := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("inner", func(_ context.Context, s trail) (step, error) { s.Path[0] = "x"; return step{}, nil })
		g.Start(n)
		g.Edge(n, graph.End)
	})
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := graph.Inline(g, "outer", child)
		g.Start(n)
		g.Edge(n, graph.End)
	})
	in := step{Path: []string{"in"}}
	_, err := app.Invoke(t.Context(), in)
	require.NoError(t, err, "without it nobody looks")
	_, err = app.Invoke(t.Context(), in, graph.Isolate())
	require.ErrorIs(t, err, graph.ErrStateChanged)
	_, err = app.Thread("t").Invoke(t.Context(), in, graph.Isolate())
	require.ErrorIs(t, err, graph.ErrStateChanged)
}

func TestIsolateFindsAChangeOfASimpleState(t *testing.T) {
	for name, do := range map[string]func([]string){
		"an element": func(l []string) { l[0] = "x" },
		"an append":  func(l []string) { _ = append(l, "x") },
	} {
		t.Run(name, func(t *testing.T) {
			app := compile(t, func(g *graph.Graph[graph.Simple[[]string], []string]) {
				n := g.Node("n", func(_ context.Context, s graph.Simple[[]string]) ([]string, error) { do(s.Value); return nil, nil })
				g.Start(n)
				g.Edge(n, graph.End)
			}, graph.Isolate())
			_, err := app.Invoke(t.Context(), []string{"a"})
			require.ErrorIs(t, err, graph.ErrStateChanged)
			assert.ErrorContains(t, err, "Value")
		})
	}
}

func TestIsolateRefusesAStateThatItsCodecDoesNotBringBack(t *testing.T) {
	withChange(t, "fill", func(s *rich) { s.Raw = json.RawMessage("{ }"); s.Free = unstable{} })
	app := richNode(t, func(context.Context, rich) (change, error) { return change{}, nil })
	_, err := app.Invoke(t.Context(), change{"fill"})
	assert.ErrorIs(t, err, graph.ErrCodec)
}

// unstable is written as something that reads back as something else.
type unstable struct{}

func (unstable) MarshalJSON() ([]byte, error) { return []byte(`{"b":1,"a":2}`), nil }
