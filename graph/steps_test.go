package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 1.
func TestAllTasksOfAStepReadTheSameStateAndWritesShowInTheNext(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	look := func(name string) nodeFunc {
		return func(_ context.Context, s trail) (step, error) {
			mu.Lock()
			defer mu.Unlock()
			seen[name] = s.Count
			return step{Path: []string{name}}, nil
		}
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b, c := g.Node("a", look("a")), g.Node("b", look("b")), g.Node("c", look("c"))
		g.Start(a, b)
		g.Edge(a, c)
		g.Edge(b, c)
		g.Edge(c, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"a": 1, "b": 1, "c": 3}, seen, "the input counts as one update")
	assert.Equal(t, []string{"a", "b", "c"}, res.State.Path, "c was reached twice in one step and ran once")
	assert.Equal(t, 2, res.Steps)
}

// Rule 1.
func TestARouterSeesTheStateWithItsOwnTasksUpdateApplied(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		t.Run(fmt.Sprintf("parallel=%t", parallel), func(t *testing.T) {
			var routed []string
			app := compile(t, func(g *graph.Graph[trail, step]) {
				a, b := g.Node("a", say("a")), g.Node("b", say("b"))
				g.Start(a)
				if parallel {
					g.Start(b)
				} else {
					g.Edge(a, b)
				}
				g.Edge(b, graph.End)
				graph.Route(g, a, func(s trail) verdict {
					routed = s.Path
					return good
				}, graph.Case(good, graph.End))
			})
			_, err := app.Invoke(t.Context(), step{Path: []string{"in"}})
			require.NoError(t, err)
			assert.Equal(t, []string{"in", "a"}, routed, "its own update, not that of its sibling")
		})
	}
}

// Rule 2.
func TestUpdatesAreFoldedInTaskOrderWhateverTheOrderOfTheGoroutines(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		fetch := graph.Work(g, "fetch", func(_ context.Context, _ trail, i int) (step, error) {
			for range rand.IntN(4) {
				runtime.Gosched()
			}
			return step{Path: []string{fmt.Sprint(i)}}, nil
		})
		late := g.Node("late", say("late"))
		split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
			var c graph.Command[step]
			c.Goto = []graph.Node{late}
			for i := range 6 {
				c.Sends = append(c.Sends, fetch.Send(5-i))
			}
			return c, nil
		})
		g.Start(split)
		g.Targets(split, fetch.Node, late)
		g.Edge(fetch.Node, graph.End)
		g.Edge(late, graph.End)
	}, graph.MaxConcurrency(8))
	want, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, want.State.Path, "5", "4", "3", "2", "1", "0", "late")
	bytes, err := json.Marshal(want)
	require.NoError(t, err)
	for range 1000 {
		got, err := app.Invoke(t.Context(), step{})
		require.NoError(t, err)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, string(bytes), string(again))
	}
}

// Rule 4.
func TestAChainOfNNodesPassesWithLimitNAndTheLimitIsAnErrorOnlyWhenWorkRemains(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	_, err := chain(t, []graph.Option{graph.MaxSteps(4)}, names...).Invoke(t.Context(), step{})
	require.NoError(t, err)

	app := chain(t, []graph.Option{graph.MaxSteps(3)}, names...)
	res, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	graphtest.Path(t, res.Path, "a", "b", "c")
	assert.Equal(t, []string{"a", "b", "c"}, res.State.Path, "what was reached comes back with the error")

	_, err = app.Invoke(t.Context(), step{}, graph.MaxSteps(4))
	require.NoError(t, err)
	_, err = app.Invoke(t.Context(), step{}, graph.MaxSteps(0))
	require.ErrorIs(t, err, graph.ErrLimit)
}

// Rule 4.
func TestTheStateAtTheLimitIsSavedAndAResumeHasItsOwnAllowance(t *testing.T) {
	thread := chain(t, []graph.Option{graph.MaxSteps(2)}, "a", "b", "c", "d", "e").Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	graphtest.Path(t, res.Path, "a", "b")
	res, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrStepLimit)
	graphtest.Path(t, res.Path, "c", "d")
	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "e")
	graphtest.Path(t, res.State.Path, "a", "b", "c", "d", "e")
}

func TestAnInputThatDoesNotApplyRunsNothing(t *testing.T) {
	app := chain(t, nil, "a")
	_, err := app.Invoke(t.Context(), step{Path: []string{"poison"}})
	require.ErrorIs(t, err, errPoison)
	thread := app.Thread("t")
	_, err = thread.Invoke(t.Context(), step{Path: []string{"poison"}})
	require.ErrorIs(t, err, errPoison)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.False(t, head.Exists)
}
