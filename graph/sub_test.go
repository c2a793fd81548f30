package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// count is the state of a child: numbers.
type count struct {
	Seen []int `json:"seen"`
	Sum  int   `json:"sum"`
}

func (c count) Apply(n int) (count, error) {
	c.Seen, c.Sum = graph.Append(c.Seen, n), c.Sum+n
	return c, nil
}

// adder is a child graph of two nodes; the second one is given.
func adder(t testing.TB, second graph.NodeFunc[count, int], opts ...graph.Option) *graph.App[count, int] {
	return compile(t, func(g *graph.Graph[count, int]) {
		a := g.Node("double", func(_ context.Context, c count) (int, error) { return c.Sum, nil })
		b := g.Node("second", second)
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}, opts...)
}

func one(context.Context, count) (int, error) { return 1, nil }

// around is a parent: a node, the child, a node.
func around(t testing.TB, child *graph.App[count, int], opts ...graph.NodeOption) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		first, last := g.Node("first", say("first")), g.Node("last", say("last"))
		sub := graph.Sub(g, "child", child,
			func(s trail) (int, error) { return 10 + len(s.Path), nil },
			func(_ trail, c count) (graph.Command[step], error) {
				return graph.Command[step]{Update: step{Path: []string{fmt.Sprint(c.Seen)}}}, nil
			}, opts...)
		g.Start(first)
		g.Edge(first, sub)
		g.Edge(sub, last)
		g.Edge(last, graph.End)
	})
}

// Rule 7: a node may be another compiled graph with a mapped state; what it hands to its parent never loses the child's own
// updates. (In LangGraph a child that returns Command(graph=PARENT) loses what it wrote before.)
func TestASubGraphWithAStateOfItsOwnHandsItsResultToTheParent(t *testing.T) {
	app := around(t, adder(t, one))
	for name, invoke := range map[string]func() (graph.Result[trail], error){
		"in memory":   func() (graph.Result[trail], error) { return app.Invoke(t.Context(), step{}) },
		"on a thread": func() (graph.Result[trail], error) { return app.Thread("t").Invoke(t.Context(), step{}) },
	} {
		res, err := invoke()
		require.NoError(t, err, name)
		assert.Equal(t, []string{"first", "[11 11 1]", "last"}, res.State.Path, name)
		assert.Equal(t, []string{"first", "child", "last"}, res.Path)
	}
}

// Rule 7: a sub-graph may command its parent.
func TestASubGraphMayCommandItsParent(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		var left, right graph.Node
		sub := graph.Sub(g, "child", adder(t, one), func(trail) (int, error) { return 1, nil },
			func(_ trail, c count) (graph.Command[step], error) {
				return graph.Command[step]{Update: step{Path: []string{"child"}}, Goto: []graph.Node{right}}, nil
			})
		left, right = g.Node("left", say("left")), g.Node("right", say("right"))
		g.Start(sub)
		g.Targets(sub, left, right)
		g.Edge(left, graph.End)
		g.Edge(right, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, []string{"child", "right"}, res.State.Path)
}

// inlined is a parent whose child works on the same state.
func inlined(t testing.TB, child *graph.App[trail, step]) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		first, last := g.Node("first", say("first")), g.Node("last", say("last"))
		sub := graph.Inline(g, "child", child)
		g.Start(first)
		g.Edge(first, sub)
		g.Edge(sub, last)
		g.Edge(last, graph.End)
	})
}

// Rule 7: a child on the same state begins with the parent's state, and all its updates become the parent's.
func TestAnInlinedGraphWorksOnTheParentsStateAndLosesNoUpdate(t *testing.T) {
	child := chain(t, nil, "x", "y", "z")
	app := inlined(t, child)
	want, err := app.Invoke(t.Context(), step{Value: graph.To("v")})
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "x", "y", "z", "last"}, want.State.Path)
	assert.Equal(t, 6, want.State.Count, "each update was folded by itself")
	store := graph.NewMemoryStore()
	res, err := app.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{Value: graph.To("v")})
	require.NoError(t, err)
	assert.Equal(t, want.State, res.State)
	head, err := app.Thread("t", graph.WithStore(store)).Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want.State, head.State, "as it is stored")
	var updates []string
	for _, ev := range streamOf(t, app, graph.Updates) {
		if ev.Kind == graph.UpdateKind {
			updates = append(updates, ev.Node+":"+strings.Join(ev.Update.Path, ""))
		}
	}
	assert.Equal(t, []string{"first:first", "child:x", "child:y", "child:z", "last:last"}, updates)
}

// Rule 3: the updates of an inlined graph take part in the search for conflicts.
func TestAnInlinedGraphConflictsWithASiblingThatSetsTheSameValue(t *testing.T) {
	set := func(context.Context, trail) (step, error) { return step{Value: graph.To("x")}, nil }
	child := withDone(t, set)
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b := graph.Inline(g, "a", child), g.Node("b", set)
		g.Start(a, b)
		g.Edge(a, graph.End)
		g.Edge(b, graph.End)
	})
	_, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
}

// Rules 7, 25: a child has its own checkpoints: when it fails, it goes on where it stopped.
func TestAChildThatFailedGoesOnWhereItStopped(t *testing.T) {
	broken, ran := true, 0
	child := compile(t, func(g *graph.Graph[count, int]) {
		a := g.Node("a", func(context.Context, count) (int, error) { ran++; return 5, nil })
		b := g.Node("b", func(context.Context, count) (int, error) {
			if broken {
				return 0, errBoom
			}
			return 1, nil
		})
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	})
	store := graph.NewMemoryStore()
	_, err := around(t, child).Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	var ne *graph.NodeError
	require.ErrorAs(t, err, &ne)
	assert.Equal(t, "child", ne.Node)
	require.ErrorAs(t, ne.Err, &ne)
	assert.Equal(t, "b", ne.Node)
	broken = false
	res, err := around(t, child).Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "[11 5 1]", "last"}, res.State.Path)
	assert.Equal(t, 1, ran)
	for info, err := range store.Threads(t.Context()) {
		require.NoError(t, err)
		assert.Equal(t, "t", info.Thread, "children are no threads of their own in a list")
	}
}

// Rules 7, 18: a question of a child is one of its parent, over two levels and over processes.
func TestAQuestionOfAChildIsOneOfItsParent(t *testing.T) {
	ran := 0
	ask := func(ctx context.Context, _ count) (int, error) {
		n, err := graph.Ask[int](ctx, "n", "a number")
		if err != nil {
			return 0, err
		}
		ran++
		return n, nil
	}
	build := func() *graph.App[trail, step] { return inlined(t, around(t, adder(t, ask))) }
	store := graph.NewMemoryStore()
	res, err := build().Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	q := res.Interrupts[0]
	assert.Equal(t, "1.2/child/1.2/child/1.2/second/n", q.ID)
	assert.Equal(t, "a number", q.Text())
	assert.Equal(t, "number", q.Want)

	thread := build().Thread("t", graph.WithStore(store))
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.Interrupts, head.Interrupts)
	_, err = thread.Resume(t.Context(), graph.Answer(q.ID, "many"))
	require.ErrorIs(t, err, graph.ErrAnswerType)
	_, err = thread.Resume(t.Context(), graph.Answer(q.ID, 1.5)) // a number, but not an int: found in the child
	require.ErrorIs(t, err, graph.ErrAnswerType)
	head, err = thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.Interrupts, head.Interrupts, "nothing was consumed")
	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	res, err = thread.Resume(t.Context(), graph.Answer(q.ID, 7))
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "first", "[12 12 7]", "last", "last"}, res.State.Path)
	assert.Equal(t, 1, ran)
	_, err = thread.Resume(t.Context(), graph.Answer(q.ID, 7))
	require.ErrorIs(t, err, graph.ErrAlreadyAnswered)
}

// Rules 7, 18: a stop of a child is one of its parent, and Resume goes on.
func TestAStopOfAChildIsOneOfItsParent(t *testing.T) {
	g := graph.New[count]("stopping")
	a, b := g.Node("a", one), g.Node("b", one)
	g.Start(a)
	g.Edge(a, b)
	g.Edge(b, graph.End)
	child, err := g.Compile(graph.StopBefore(b))
	require.NoError(t, err)
	thread := around(t, child).Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	assert.Equal(t, graph.Before, res.Interrupts[0].Kind)
	_, err = thread.Resume(t.Context(), graph.Answer(res.Interrupts[0].ID, 1))
	require.ErrorIs(t, err, graph.ErrUnknownQuestion)
	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Empty(t, res.Interrupts)
	assert.Equal(t, []string{"first", "[11 1 1]", "last"}, res.State.Path)
	_, err = around(t, child).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrNeedsThread)
}

// Rules 7, 25: killed at every call of the store, a run with children ends as if nothing had happened.
func TestACrashAtAnyPointOfAChildChangesNothing(t *testing.T) {
	for _, d := range []string{"sync", "async", "exit"} {
		t.Run(d, func(t *testing.T) {
			want, err := inlined(t, around(t, adder(t, one))).Invoke(t.Context(), step{})
			require.NoError(t, err)
			for n := 1; ; n++ {
				inner := graph.NewMemoryStore()
				dying := graphtest.CrashAt(inner, n, graphtest.Verdict(1+n%2))
				app := inlined(t, around(t, adder(t, one)))
				_, err := app.Thread("t", graph.WithStore(dying), durabilities[d]).Invoke(t.Context(), step{})
				if err == nil {
					require.Greater(t, n, 5)
					return
				}
				require.ErrorIs(t, err, graphtest.ErrInjected)
				thread := app.Thread("t", graph.WithStore(inner), durabilities[d])
				res, err := thread.Resume(t.Context())
				if errors.Is(err, graph.ErrNothingToResume) {
					res, err = thread.Invoke(t.Context(), step{})
				}
				require.NoError(t, err)
				assert.Equal(t, want.State, res.State, "call %d", n)
			}
		})
	}
}

// Rules 7, 15: what a child charges counts for its parent, whose budget ends the child too.
func TestAChildChargesTheBudgetOfItsParent(t *testing.T) {
	charge := func(ctx context.Context, _ count) (int, error) { return 1, ignore(graph.Charge(ctx, "tokens", 3)) }
	child := compile(t, func(g *graph.Graph[count, int]) {
		n := g.Node("n", charge)
		g.Start(n)
		graph.Route(g, n, func(count) verdict { return again }, graph.Case(again, n), graph.Case(good, graph.End))
	})
	res, err := around(t, child).Invoke(t.Context(), step{}, graph.Budget("tokens", 10))
	var be *graph.BudgetError
	require.ErrorAs(t, err, &be)
	assert.Equal(t, graph.BudgetError{Name: "tokens", Used: 12, Limit: 10}, *be)
	assert.Equal(t, int64(12), res.Charged["tokens"])
}

// Rule 8: a sub-graph without its parts is a mistake.
func TestCompileRefusesASubGraphWithoutItsParts(t *testing.T) {
	g := graph.New[trail]("g")
	n := graph.Inline[trail, step](g, "child", nil)
	g.Start(n)
	g.Edge(n, graph.End)
	_, err := g.Compile()
	require.ErrorIs(t, err, graph.ErrNilFunc)
}
