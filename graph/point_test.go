package graph_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// walk takes steps from a point to the end, through the codec after each one when asked to.
func walk(t *testing.T, app *graph.App[trail, step], p graph.Point[trail, step], encoded bool) (end graph.Point[trail, step], edges []graph.Edge) {
	t.Helper()
	for !p.Done() {
		s, err := p.Step(t.Context())
		require.NoError(t, err)
		p, edges = s.Point, append(edges, s.Edges...)
		if encoded {
			data, err := p.Encode()
			require.NoError(t, err)
			p, err = app.Point(data)
			require.NoError(t, err)
		}
	}
	return p, edges
}

// wideGraph is a graph with everything that a position can hold: parallel tasks, Sends, a join, a deferred node, a loop.
func wideGraph(t *testing.T) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		work := graph.Work(g, "work", func(_ context.Context, _ trail, n int) (step, error) {
			return step{Path: []string{string(rune('0' + n))}}, nil
		})
		split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
			return graph.Command[step]{Update: step{Path: []string{"split"}}, Sends: []graph.Send{work.Send(1), work.Send(2)}}, nil
		})
		g.Targets(split, work.Node)
		a, b := g.Node("a", say("a")), g.Node("b", say("b"))
		last := g.Node("last", say("last"), graph.Deferred())
		sum := g.Node("sum", say("sum"))
		g.Start(a, b)
		g.Join(sum, a, b)
		g.Edge(work.Node, last)
		graph.Route(g, sum, func(s trail) string {
			if s.Count < 6 {
				return "again"
			}
			return "on"
		}, graph.Case("again", sum), graph.Case("on", split))
		g.Edge(last, graph.End)
	})
}

func TestStepsFromPointsLeadWhereARunLeads(t *testing.T) {
	app := wideGraph(t)
	want, err := app.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	var wantEdges []graph.Edge
	for e, err := range app.Stream(t.Context(), step{Path: []string{"in"}}, graph.Edges) {
		require.NoError(t, err)
		if e.Kind == graph.EdgeTaken && e.Edge.From != "START" {
			wantEdges = append(wantEdges, e.Edge)
		}
	}
	for name, encoded := range map[string]bool{"in memory": false, "through the codec": true} {
		t.Run(name, func(t *testing.T) {
			p, err := app.Begin("", step{Path: []string{"in"}})
			require.NoError(t, err)
			end, edges := walk(t, app, p, encoded)
			assert.Equal(t, want.State, end.State())
			assert.Equal(t, want.Steps, end.Steps())
			assert.Equal(t, wantEdges, edges)
		})
	}
}

func TestStepsFromOnePointDoNotSeeEachOther(t *testing.T) {
	app := wideGraph(t)
	p, err := app.Begin("p", step{})
	require.NoError(t, err)
	p2, err := p.Step(t.Context())
	require.NoError(t, err)
	before, err := json.Marshal(p2.Point.State())
	require.NoError(t, err)
	ends := make([]trail, 8)
	var wg sync.WaitGroup
	for i := range ends {
		wg.Go(func() {
			end, _ := walk(t, app, p2.Point.Named(string(rune('a'+i))), i%2 == 0)
			ends[i] = end.State()
		})
	}
	wg.Wait()
	for _, end := range ends {
		assert.Equal(t, ends[0], end)
	}
	after, err := json.Marshal(p2.Point.State())
	require.NoError(t, err)
	assert.JSONEq(t, string(before), string(after))
}

// askingTwice asks twice, and does something once.
func askingTwice(t *testing.T, did *int) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(ctx context.Context, _ trail) (step, error) {
			if _, err := graph.Once(ctx, "effect", func(context.Context) (int, error) { *did++; return *did, nil }); err != nil {
				return step{}, err
			}
			first, err := graph.Ask[bool](ctx, "first", "go on?")
			if err != nil {
				return step{}, err
			}
			second, err := graph.Ask[string](ctx, "second", "how?")
			if err != nil || !first {
				return step{Path: []string{"no"}}, err
			}
			return step{Path: []string{second}}, nil
		})
		g.Start(n)
		g.Edge(n, graph.End)
	})
}

func TestAPointWaitsForAnswersAndEachAnswerIsAWayOfItsOwn(t *testing.T) {
	var did int
	app := askingTwice(t, &did)
	p, err := app.Begin("", step{})
	require.NoError(t, err)
	first, err := p.Step(t.Context())
	require.NoError(t, err)
	require.Len(t, first.Point.Interrupts(), 1)
	assert.Equal(t, []any{"first", "go on?", 0}, []any{first.Point.Interrupts()[0].Key, first.Point.Interrupts()[0].Text(), len(first.Nodes)})

	data, err := first.Point.Encode()
	require.NoError(t, err)
	read, err := app.Point(data)
	require.NoError(t, err)
	assert.Equal(t, first.Point.Interrupts(), read.Interrupts(), "questions survive the codec")

	for answer, want := range map[bool]string{true: "slowly", false: "no"} {
		second, err := read.Step(t.Context(), graph.Reply(answer))
		require.NoError(t, err)
		require.Len(t, second.Point.Interrupts(), 1)
		end, err := second.Point.Step(t.Context(), graph.Answer(second.Point.Interrupts()[0].ID, "slowly"))
		require.NoError(t, err)
		assert.True(t, end.Point.Done())
		assert.Equal(t, []string{want}, end.Point.State().Path)
	}
	assert.Equal(t, 1, did, "what is done once is done once, on all ways from here")

	again, err := first.Point.Step(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first.Point.Interrupts(), again.Point.Interrupts(), "without an answer it waits on")
	_, err = first.Point.Step(t.Context(), graph.Reply("perhaps"))
	require.ErrorIs(t, err, graph.ErrAnswerType)
	_, err = p.Step(t.Context(), graph.Reply(true))
	require.ErrorIs(t, err, graph.ErrUnknownQuestion)
}

func TestAPointSaysWhatItCannotDo(t *testing.T) {
	beside := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(ctx context.Context, _ trail) (step, error) {
			_, err := graph.Ask[bool](ctx, "k", "?")
			return step{}, err
		})
		b := g.Node("b", say("b"))
		g.Start(a, b)
		g.Edge(a, graph.End)
		g.Edge(b, graph.End)
	})
	p, err := beside.Begin("", step{})
	require.NoError(t, err)
	_, err = p.Step(t.Context())
	require.ErrorIs(t, err, graph.ErrNeedsThread, "a question beside other tasks")

	_, err = graph.Point[trail, step]{}.Step(t.Context())
	require.ErrorIs(t, err, graph.ErrNothingToResume)
	_, err = beside.Begin("", step{Path: []string{"poison"}})
	require.ErrorIs(t, err, errPoison)

	data, err := p.Encode()
	require.NoError(t, err)
	_, err = wideGraph(t).Point(data)
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	_, err = beside.Point([]byte("{"))
	require.ErrorIs(t, err, graph.ErrDamaged)

	broken := true
	failed := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", failing("n", &broken))
		g.Start(n)
		g.Edge(n, graph.End)
	})
	p, err = failed.Begin("", step{})
	require.NoError(t, err)
	s, err := p.Step(t.Context())
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, []string{"n"}, s.Point.Next(), "a step that fails can be taken again")
	broken = false
	s, err = s.Point.Step(t.Context())
	require.NoError(t, err)
	assert.True(t, s.Point.Done())
	s, err = s.Point.Step(t.Context())
	require.NoError(t, err)
	assert.True(t, s.Point.Done(), "a step from the end does nothing")
}

func TestANodeKnowsTheNameOfItsPoint(t *testing.T) {
	var info graph.TaskInfo
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("n", func(ctx context.Context, _ trail) (step, error) {
			info, _ = graph.InfoFrom(ctx)
			return step{}, nil
		})
		g.Start(n)
		g.Edge(n, graph.End)
	})
	p, err := app.Begin("ada", step{})
	require.NoError(t, err)
	_, err = p.Step(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{"ada", "", 1}, []any{info.Thread, info.Key, info.Step}, "a name is no key: it need not be unique")
}
