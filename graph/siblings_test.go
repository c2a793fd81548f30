package graph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// twins runs a and b in one step, then c.
func twins(t testing.TB, a, b nodeFunc, opts ...graph.Option) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		na, nb, c := g.Node("a", a), g.Node("b", b), g.Node("c", say("c"))
		g.Start(na, nb)
		g.Join(c, na, nb)
		g.Edge(c, graph.End)
	}, opts...)
}

// Rule 13.
func TestWhenOneTaskFailsItsSiblingsFinishAndAResumeRunsOnlyTheFailedOne(t *testing.T) {
	var j graphtest.Journal
	type reply = graphtest.Reply[step]
	app := twins(t,
		graphtest.Script[trail](&j, reply{Update: step{Path: []string{"a"}, Value: graph.To("kept")}}),
		graphtest.Script[trail](&j, reply{Err: errBoom}, reply{Panic: "worse"}, reply{Update: step{Path: []string{"b"}}}))
	thread := app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.ErrorIs(t, err, errBoom)
	graphtest.Path(t, res.State.Path, "in")
	assert.Empty(t, res.Path)
	_, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrPanic)
	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "in", "a", "b", "c")
	assert.Equal(t, "kept", res.State.Value)
	assert.Equal(t, 1, j.Count("a"))
	keys := map[string]bool{}
	for _, run := range j.Runs() {
		if run.Node == "b" {
			keys[run.Key] = true
		}
	}
	assert.Len(t, keys, 1, "the idempotency key is stable over resumes")
}

// Rule 13.
func TestAllFailuresOfAStepAreReportedInTaskOrder(t *testing.T) {
	other := errors.New("other")
	_, err := twins(t,
		func(context.Context, trail) (step, error) { return step{}, errBoom },
		func(context.Context, trail) (step, error) { return step{}, other }).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	require.ErrorIs(t, err, other)
	assert.Regexp(t, `(?s)node a .*boom.*node b .*other`, err.Error())
}

// Rule 13.
func TestANewInputGivesUpTheUnfinishedStepAndSaysSo(t *testing.T) {
	broken := true
	app := twins(t, say("a"), failing("b", &broken))
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"first"}})
	require.ErrorIs(t, err, errBoom)
	broken = false
	res, err := thread.Invoke(t.Context(), step{Path: []string{"second"}})
	require.NoError(t, err)
	assert.True(t, res.Discarded)
	graphtest.Path(t, res.State.Path, "first", "second", "a", "b", "c")

	broken = true
	_, err = thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	broken = false
	var kinds []graph.Kind
	for e, err := range thread.Stream(t.Context(), step{}, 0) {
		require.NoError(t, err)
		assert.True(t, e.Discarded)
		kinds = append(kinds, e.Kind)
	}
	assert.Equal(t, []graph.Kind{graph.RunStart, graph.RunEnd}, kinds)
	res, err = thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.False(t, res.Discarded, "the run before had ended")
}

// Rules 3 and 13.
func TestAThreadWithAConflictStaysReadableAndItsTasksRunAgain(t *testing.T) {
	both := true
	runs := map[string]int{}
	set := func(name string, always bool) nodeFunc {
		return func(context.Context, trail) (step, error) {
			runs[name]++
			u := step{Path: []string{name}}
			if always || both {
				u.Value = graph.To(name)
			}
			return u, nil
		}
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b, c := g.Node("a", set("a", true)), g.Node("b", set("b", false)), g.Node("c", say("c"))
		d := g.Node("d", func(context.Context, trail) (step, error) { runs["d"]++; return step{Path: []string{"d"}}, nil })
		g.Start(a, b, d)
		g.Join(c, a, b, d)
		g.Edge(c, graph.End)
	}, graph.MaxConcurrency(1))
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "d"}, head.Next)
	both = false
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b", "d", "c")
	assert.Equal(t, "a", res.State.Value)
	assert.Equal(t, map[string]int{"a": 2, "b": 2, "d": 1}, runs)
}

// Rules 12 and 13.
func TestAnUpdateThatDoesNotApplyFailsItsTaskAndRunsAgain(t *testing.T) {
	for name, build := range map[string]func(nodeFunc) *graph.App[trail, step]{
		"alone":    func(fn nodeFunc) *graph.App[trail, step] { return single(t, fn) },
		"parallel": func(fn nodeFunc) *graph.App[trail, step] { return twins(t, say("a"), fn) },
	} {
		t.Run(name, func(t *testing.T) {
			path := "poison"
			thread := build(func(context.Context, trail) (step, error) { return step{Path: []string{path}}, nil }).Thread("t")
			_, err := thread.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, errPoison)
			var ne *graph.NodeError
			require.ErrorAs(t, err, &ne)
			assert.Contains(t, []string{"n", "b"}, ne.Node)
			path = "fine"
			res, err := thread.Resume(t.Context())
			require.NoError(t, err)
			assert.Contains(t, res.State.Path, "fine")
		})
	}
}
