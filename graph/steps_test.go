package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
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

// Rule 3.
func TestTwoTasksOfOneStepThatSetTheSamePlainValueAreAnError(t *testing.T) {
	set := func(name string, u step) func(*graph.Graph[trail, step]) graph.Node {
		return func(g *graph.Graph[trail, step]) graph.Node {
			return g.Node(name, func(context.Context, trail) (step, error) { return u, nil })
		}
	}
	run := func(nodes ...func(*graph.Graph[trail, step]) graph.Node) error {
		_, err := compile(t, func(g *graph.Graph[trail, step]) {
			for _, add := range nodes {
				n := add(g)
				g.Start(n)
				g.Edge(n, graph.End)
			}
		}).Invoke(t.Context(), step{})
		return err
	}
	one := 1
	value, other, none := step{Value: graph.To("")}, step{Other: &one}, step{Path: []string{"x"}}

	err := run(set("a", value), set("b", none), set("c", value))
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	var c *graph.ConcurrentUpdateError
	require.ErrorAs(t, err, &c)
	assert.Equal(t, graph.ConcurrentUpdateError{Field: "Value", First: "a", Second: "c", Step: 1}, *c)
	assert.ErrorContains(t, err, "a and c both set Value")

	err = run(set("a", other), set("b", other))
	require.ErrorAs(t, err, &c)
	assert.Equal(t, "Other", c.Field, "a pointer is a plain value too")

	assert.NoError(t, run(set("a", value), set("b", other), set("c", none), set("d", none)))
}

type nested struct {
	Part struct {
		Deep graph.Set[int]
	}
}

type nestedState struct{ N int }

func (s nestedState) Apply(u nested) (nestedState, error) {
	s.N = u.Part.Deep.Or(s.N)
	return s, nil
}

// Rule 3.
func TestAConflictInANestedFieldNamesItsPath(t *testing.T) {
	app := compile(t, func(g *graph.Graph[nestedState, nested]) {
		for _, name := range []string{"a", "b"} {
			n := g.Node(name, func(context.Context, nestedState) (u nested, err error) {
				u.Part.Deep = graph.To(0)
				return u, nil
			})
			g.Start(n)
			g.Edge(n, graph.End)
		}
	})
	_, err := app.Invoke(t.Context(), nested{})
	var c *graph.ConcurrentUpdateError
	require.ErrorAs(t, err, &c)
	assert.Equal(t, "Part.Deep", c.Field)
}

// Rule 3.
func TestAnyTwoUpdatesOfASimpleStateConflict(t *testing.T) {
	build := func(nodes int) *graph.App[graph.Simple[string], string] {
		return compile(t, func(g *graph.Graph[graph.Simple[string], string]) {
			for i := range nodes {
				n := g.Node(fmt.Sprint(i), func(_ context.Context, s graph.Simple[string]) (string, error) { return s.Value + "!", nil })
				g.Start(n)
				g.Edge(n, graph.End)
			}
		})
	}
	res, err := build(1).Thread("t").Invoke(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, "hello!", res.State.Value)
	_, err = build(2).Invoke(t.Context(), "hello")
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	assert.ErrorContains(t, err, "the whole state")
}

// Rule 4.
func TestAChainOfNNodesPassesWithLimitNAndTheLimitIsAnErrorOnlyWhenWorkRemains(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	_, err := chain(t, []graph.CompileOption{graph.MaxSteps(4)}, names...).Invoke(t.Context(), step{})
	require.NoError(t, err)

	app := chain(t, []graph.CompileOption{graph.MaxSteps(3)}, names...)
	res, err := app.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	graphtest.Path(t, res.Path, "a", "b", "c")
	assert.Equal(t, []string{"a", "b", "c"}, res.State.Path, "what was reached comes back with the error")

	_, err = app.Invoke(t.Context(), step{}, graph.StepLimit(4))
	require.NoError(t, err)
	_, err = app.Invoke(t.Context(), step{}, graph.StepLimit(0))
	require.ErrorIs(t, err, graph.ErrLimit)
}

// Rule 4.
func TestTheStateAtTheLimitIsSavedAndAResumeHasItsOwnAllowance(t *testing.T) {
	thread := chain(t, []graph.CompileOption{graph.MaxSteps(2)}, "a", "b", "c", "d", "e").Thread("t")
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

func goroutine() string {
	var buf [64]byte
	return strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))[1]
}

// Rule 5.
func TestAStepWithOneTaskRunsOnTheCallersGoroutine(t *testing.T) {
	var ran string
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("a", func(context.Context, trail) (step, error) {
			ran = goroutine()
			return step{}, nil
		})
		g.Start(n)
		g.Edge(n, graph.End)
	})
	_, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, goroutine(), ran)
	for range app.Stream(t.Context(), step{}, graph.Values|graph.Updates|graph.Tasks|graph.Edges) {
	}
	assert.Equal(t, goroutine(), ran, "also with a consumer, unless it wants custom events")
}

// Rule 5.
func TestParallelTasksStayWithinMaxConcurrencyAndNoneIsDropped(t *testing.T) {
	for _, limit := range []int{1, 3, 100} {
		var now, most atomic.Int64
		app := compile(t, func(g *graph.Graph[trail, step]) {
			fetch := graph.Work(g, "fetch", func(_ context.Context, _ trail, i int) (step, error) {
				defer now.Add(-1)
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				return step{Path: []string{fmt.Sprint(i)}}, nil
			})
			g.Start(spread(g, fetch, 20))
			g.Edge(fetch.Node, graph.End)
		}, graph.MaxConcurrency(limit))
		res, err := app.Invoke(t.Context(), step{})
		require.NoError(t, err)
		assert.Len(t, res.State.Path, 20)
		assert.LessOrEqual(t, int(most.Load()), limit)
	}
}

// spread is a node that sends 0, 1, …, n-1.
func spread(g *graph.Graph[trail, step], to graph.WorkNode[int], n int) graph.Node {
	split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
		var c graph.Command[step]
		for i := range n {
			c.Sends = append(c.Sends, to.Send(i))
		}
		return c, nil
	})
	g.Targets(split, to.Node)
	return split
}

// Rule 5.
func TestParallelTasksReallyRunAtTheSameTime(t *testing.T) {
	var meet sync.WaitGroup
	meet.Add(3)
	app := compile(t, func(g *graph.Graph[trail, step]) {
		fetch := graph.Work(g, "fetch", func(context.Context, trail, int) (step, error) {
			meet.Done()
			meet.Wait() // passes only when all three are here
			return step{}, nil
		})
		g.Start(spread(g, fetch, 3))
		g.Edge(fetch.Node, graph.End)
	}, graph.MaxConcurrency(3))
	_, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
}

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
	broken := true
	app := compile(t, func(g *graph.Graph[trail, step]) {
		w := graph.Work(g, "w", func(_ context.Context, _ trail, a *arg) (step, error) {
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
}

// Rule 7.
func TestADeferredNodeRunsOnceWhenNoOtherWorkIsLeft(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		last := g.Node("last", say("last"), graph.Deferred())
		a, b, c := g.Node("a", say("a")), g.Node("b", say("b")), g.Node("c", say("c"))
		g.Start(a, b)
		for _, n := range []graph.Node{a, b} {
			g.Edge(n, last)
		}
		g.Edge(b, c)
		g.Edge(c, last)
		g.Edge(last, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a", "b", "c", "last")
}

// Rule 7.
func TestAJoinWaitsForAllItsSources(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		sum := g.Node("sum", say("sum"))
		a, b, b2 := g.Node("a", say("a")), g.Node("b", say("b")), g.Node("b2", say("b2"))
		g.Start(a, b)
		g.Edge(b, b2)
		g.Join(sum, a, b2)
		g.Edge(sum, graph.End)
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a", "b", "b2", "sum")
}

// Rule 7.
func TestAJoinWhoseSourceNeverComesEndsTheRunWithItsName(t *testing.T) {
	app := compile(t, func(g *graph.Graph[trail, step]) {
		sum, a, b := g.Node("sum", say("sum")), g.Node("a", say("a")), g.Node("b", say("b"))
		g.Start(a)
		graph.Route(g, a, func(trail) verdict { return good }, graph.Case(good, graph.End), graph.Case(again, b))
		g.Join(sum, a, b)
		g.Edge(sum, graph.End)
	})
	thread := app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrJoinUnreachable)
	assert.ErrorContains(t, err, `sum waits for ["b"]`)
	graphtest.Path(t, res.State.Path, "a")
	_, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrJoinUnreachable, "a resume finds the same and runs nothing")
	res, err = thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrJoinUnreachable)
	assert.True(t, res.Discarded)
}

// Rule 7.
func TestAJoinThatHasRunWaitsForAllItsSourcesAgain(t *testing.T) {
	rounds := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		sum, a, b := g.Node("sum", say("sum")), g.Node("a", say("a")), g.Node("b", say("b"))
		g.Start(a, b)
		g.Join(sum, a, b)
		graph.Route(g, sum, func(trail) verdict {
			if rounds++; rounds < 3 {
				return again
			}
			return good
		}, graph.Case(again, a, b), graph.Case(good, graph.End))
	})
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a", "b", "sum", "a", "b", "sum", "a", "b", "sum")
}

// Rule 9.
func TestOneAppServesManyThreadsAtOnce(t *testing.T) {
	app := chain(t, nil, "a", "b", "c")
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			thread := app.Thread(fmt.Sprint("thread ", i))
			for round := range 5 {
				res, err := thread.Invoke(t.Context(), step{Path: []string{fmt.Sprint(i)}})
				if err != nil || len(res.State.Path) != 4*(round+1) || res.State.Path[0] != fmt.Sprint(i) {
					t.Errorf("thread %d: %v %v", i, res.State.Path, err)
				}
			}
		})
	}
	wg.Wait()
}

// Rule 9.
func TestAGraphThatChangesAfterCompileDoesNotChangeTheApp(t *testing.T) {
	g := graph.New[trail]("g")
	a := g.Node("a", say("a"))
	g.Start(a)
	g.Edge(a, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	before := app.Fingerprint() + app.Topology().Mermaid()
	b := g.Node("b", say("b"))
	g.Edge(a, b)
	g.Edge(b, graph.End)
	app.Topology().Nodes[0] = "changed"
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a")
	assert.Equal(t, before, app.Fingerprint()+app.Topology().Mermaid())
	second, err := g.Compile()
	require.NoError(t, err)
	assert.NotEqual(t, app.Fingerprint(), second.Fingerprint())
}

// Rule 10: a plain append into spare capacity would write into what a sibling sees.
func TestAppendNeverWritesMemoryThatAnotherStateCanSee(t *testing.T) {
	base := make([]string, 1, 8)
	left := append(base, "left")
	right := append(base, "right")
	require.Equal(t, "right", left[1], "this is the corruption that Append prevents")
	clear(base[:cap(base)])
	left = graph.Append(base, "left")
	right = graph.Append(base, "right")
	assert.Equal(t, []string{"", "left"}, left)
	assert.Equal(t, []string{"", "right"}, right)
	assert.Empty(t, base[:2][1], "the spare capacity is as it was")
	assert.Nil(t, graph.Append[string](nil))
}

// Rule 10.
func TestAnEarlierStateOfTheStreamStaysAsItWas(t *testing.T) {
	var states []trail
	for e, err := range chain(t, nil, "a", "b", "c", "d").Stream(t.Context(), step{Path: []string{"in"}}, graph.Values) {
		require.NoError(t, err)
		if e.Kind == graph.ValuesKind {
			states = append(states, e.State)
		}
	}
	require.Len(t, states, 4)
	for i, s := range states {
		assert.Equal(t, []string{"in", "a", "b", "c", "d"}[:i+2], s.Path)
	}
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
