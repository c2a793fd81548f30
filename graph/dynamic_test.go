package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 6.
func TestGotoReplacesTheStaticEdgesAndWithoutItTheyFire(t *testing.T) {
	for _, jump := range []bool{false, true} {
		app := compile(t, func(g *graph.Graph[trail, step]) {
			usual, special := g.Node("usual", say("usual")), g.Node("special", say("special"))
			d := g.Dynamic("d", func(context.Context, trail) (c graph.Command[step], err error) {
				if jump {
					c.Goto = []graph.Node{special}
				}
				return c, nil
			})
			g.Start(d)
			g.Edge(d, usual)
			g.Targets(d, special)
			g.Edge(usual, graph.End)
			g.Edge(special, graph.End)
		})
		res, err := app.Invoke(t.Context(), step{})
		require.NoError(t, err)
		want := "usual"
		if jump {
			want = "special"
		}
		graphtest.Path(t, res.Path, "d", want)
	}
}

// Rule 6.
func TestATargetThatWasNotDeclaredFailsTheTask(t *testing.T) {
	foreign := graph.New[trail]("other").Node("x", say("x"))
	cases := map[string]func(b graph.Node, w graph.WorkNode[int]) graph.Command[step]{
		"a node of the graph": func(b graph.Node, _ graph.WorkNode[int]) graph.Command[step] {
			return graph.Command[step]{Goto: []graph.Node{b}}
		},
		"End": func(graph.Node, graph.WorkNode[int]) graph.Command[step] {
			return graph.Command[step]{Goto: []graph.Node{graph.End}}
		},
		"a node of another graph": func(graph.Node, graph.WorkNode[int]) graph.Command[step] {
			return graph.Command[step]{Goto: []graph.Node{foreign}}
		},
		"the zero Node": func(graph.Node, graph.WorkNode[int]) graph.Command[step] {
			return graph.Command[step]{Goto: []graph.Node{{}}}
		},
		"a Send": func(_ graph.Node, w graph.WorkNode[int]) graph.Command[step] {
			return graph.Command[step]{Sends: []graph.Send{w.Send(1)}}
		},
		"the zero Send": func(graph.Node, graph.WorkNode[int]) graph.Command[step] {
			return graph.Command[step]{Sends: []graph.Send{{}}}
		},
	}
	for name, command := range cases {
		t.Run(name, func(t *testing.T) {
			app := compile(t, func(g *graph.Graph[trail, step]) {
				b, ok := g.Node("b", say("b")), g.Node("ok", say("ok"))
				w := graph.Work(g, "w", func(context.Context, trail, int) (step, error) { return step{}, nil })
				d := g.Dynamic("d", func(context.Context, trail) (graph.Command[step], error) { return command(b, w), nil })
				g.Start(d, b)
				g.Start(spread(g, w, 1))
				g.Targets(d, ok)
				for _, n := range []graph.Node{b, ok, w.Node} {
					g.Edge(n, graph.End)
				}
			})
			_, err := app.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, graph.ErrUndeclaredTarget)
			var ne *graph.NodeError
			require.ErrorAs(t, err, &ne)
			assert.Equal(t, "d", ne.Node)
		})
	}
}

// Rule 6.
func TestADynamicNodeWithoutEdgesMustSayWhatFollows(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		d := g.Dynamic("d", func(context.Context, trail) (c graph.Command[step], err error) { return c, nil })
		g.Start(d)
		g.Targets(d, graph.End)
	})
	_, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrNoTarget)
}

// Rule 6.
func TestEverySendIsATaskWithItsOwnArgumentAlsoAfterAResume(t *testing.T) {
	type arg struct {
		URL  string
		Deep []int
	}
	broken, j := true, new(graphtest.Journal)
	app := compile(t, func(g *graph.Graph[trail, step]) {
		w := graph.Work(g, "w", func(ctx context.Context, _ trail, a *arg) (step, error) {
			j.Note(ctx)
			if broken {
				return step{}, errBoom
			}
			if a == nil {
				return step{Path: []string{"nil"}}, nil
			}
			return step{Path: []string{fmt.Sprint(a.URL, a.Deep)}}, nil
		})
		d := g.Dynamic("d", func(context.Context, trail) (c graph.Command[step], err error) {
			c.Sends = []graph.Send{w.Send(&arg{"a", []int{1, 2}}), w.Send(nil), w.Send(&arg{URL: "b"})}
			return c, nil
		})
		g.Start(d)
		g.Targets(d, w.Node)
		g.Edge(w.Node, graph.End)
	})
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"w", "w", "w"}, head.Next)
	broken = false
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a[1 2]", "nil", "b[]")
	var tasks []string
	for _, info := range j.Runs()[3:] {
		tasks = append(tasks, info.Task)
	}
	assert.ElementsMatch(t, []string{"w#1", "w#2", "w#3"}, tasks)
}
