package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 26: UpdateState as the node that ran last.
func TestAnEditStandsForTheNodeThatRanLastUnlessItNamesAnother(t *testing.T) {
	var nodes []graph.Node
	broken := true
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		nodes = []graph.Node{g.Node("a", say("a")), g.Node("b", failing("b", &broken)), g.Node("c", say("c"))}
		g.Start(nodes[0])
		g.Edge(nodes[0], nodes[1])
		g.Edge(nodes[1], nodes[2])
		g.Edge(nodes[2], graph.End)
	}).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)

	c, err := thread.UpdateState(t.Context(), step{Path: []string{"by hand"}})
	require.NoError(t, err)
	at := c.At
	assert.Equal(t, graph.Checkpoint{
		Seq: 3, Parent: 2, Origin: graph.FromEdit, Run: 2, Step: 1, At: at, Nodes: []string{"a"}, Next: []string{"b"}, Current: true,
	}, c)
	assert.Equal(t, c, history(t, thread)[0])

	c, err = thread.UpdateState(t.Context(), step{Path: []string{"instead of b"}}, nodes[1])
	require.NoError(t, err)
	assert.Equal(t, []string{"c"}, c.Next)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "by hand", "instead of b", "c")
	assert.Equal(t, []string{"c"}, res.Path)
}

// Rule 26. (In LangGraph the second edit of a fresh thread is ambiguous with aupdate_state: its issue 8714.)
func TestAnEditBeforeTheFirstStepChangesTheInput(t *testing.T) {
	app := chain(t, nil, "a")
	for _, invoked := range []bool{true, false} {
		thread := app.Thread("t", graph.WithStore(graph.NewMemoryStore()))
		if invoked {
			_, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
			require.NoError(t, err)
			_, err = thread.Fork(t.Context(), 1)
			require.NoError(t, err)
		}
		for range 2 {
			c, err := thread.UpdateState(t.Context(), step{Path: []string{"edit"}})
			require.NoError(t, err)
			assert.Equal(t, []string{"a"}, c.Next)
		}
		res, err := thread.Resume(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "edit edit a", strings.TrimPrefix(strings.Join(res.State.Path, " "), "in "), "on a new thread: %t", !invoked)
	}
}

// Rule 26: an ambiguous node is an error, and so is one that cannot have run.
func TestAnEditThatDoesNotSayWhatItStandsForIsAnError(t *testing.T) {
	var a, b, jump graph.Node
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b = g.Node("a", say("a")), g.Node("b", say("b"))
		jump = g.Dynamic("jump", func(context.Context, trail) (c graph.Command[step], err error) {
			c.Goto = []graph.Node{graph.End}
			return c, nil
		})
		g.Start(a, b)
		g.Join(jump, a, b)
		g.Targets(jump, graph.End)
	}, graph.MaxSteps(1))
	store := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
	thread := app.Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	calls := len(store.Ops())

	_, err = thread.UpdateState(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrAmbiguousNode)
	require.ErrorContains(t, err, "a, b")
	_, err = thread.UpdateState(t.Context(), step{}, jump)
	require.ErrorIs(t, err, graph.ErrNoTarget, "only the code of jump could say what follows")
	_, err = thread.UpdateState(t.Context(), step{Path: []string{"poison"}}, a)
	require.ErrorIs(t, err, errPoison)
	var other graph.Node
	compile(t, func(g *graph.Graph[trail, step]) {
		other = g.Node("a", say("a"))
		g.Start(other)
		g.Edge(other, graph.End)
	})
	for _, n := range []graph.Node{other, graph.End, {}} {
		_, err = thread.UpdateState(t.Context(), step{}, n)
		require.ErrorIs(t, err, graph.ErrForeignNode)
	}
	for _, op := range store.Ops()[calls:] {
		assert.Equal(t, "Load", op.Name, "a mistake takes the thread from nobody")
	}

	c, err := thread.UpdateState(t.Context(), step{Path: []string{"both"}}, b, a, b)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, c.Nodes)
	assert.Equal(t, []string{"jump"}, c.Next)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "both"}, res.State.Path)
}

// Rules 3 and 26: a thread whose step cannot be committed is repaired by hand.
func TestAnEditRepairsAThreadWhoseStepEndsInAConcurrentUpdate(t *testing.T) {
	var a, b graph.Node
	set := func(v string) nodeFunc {
		return func(context.Context, trail) (step, error) { return step{Path: []string{v}, Value: graph.To(v)}, nil }
	}
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		a, b = g.Node("a", set("a")), g.Node("b", set("b"))
		sum, left := g.Node("sum", say("sum")), g.Node("left", say("left"))
		g.Start(a, b)
		g.Join(sum, a, b)
		g.Edge(a, left)
		g.Edge(left, graph.End)
		g.Edge(sum, graph.End)
	}).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)
	_, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrConcurrentUpdate)

	c, err := thread.UpdateState(t.Context(), step{Path: []string{"a and b"}, Value: graph.To("both")}, a, b)
	require.NoError(t, err)
	assert.True(t, c.Discarded, "the pending writes of a and b")
	assert.Equal(t, []string{"left", "sum"}, sorted(c.Next))
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "both", res.State.Value)
	graphtest.Path(t, res.State.Path, "a and b", "sum", "left")
}

func sorted(list []string) []string {
	out := strings.Fields(strings.Join(list, " "))
	if len(out) == 2 && out[0] > out[1] {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// Rules 7 and 26: what an edit stands for is one step; what waits for other steps goes on waiting.
func TestAnEditKeepsJoinsAndDeferredNodesThatWaitOrAreDue(t *testing.T) {
	thread := func(limit int) *graph.Thread[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			a, b, c := g.Node("a", say("a")), g.Node("b", say("b")), g.Node("c", say("c"))
			sum, last := g.Node("sum", say("sum")), g.Node("last", say("last"), graph.Deferred())
			g.Start(a, b)
			g.Edge(b, c)
			g.Edge(a, last)
			g.Join(sum, a, c)
			g.Edge(sum, graph.End)
			g.Edge(last, graph.End)
		}, graph.MaxSteps(limit)).Thread("t")
	}
	for limit, want := range map[int]string{
		2: "a b c edit sum last", // behind c, which has made the join due
		3: "a b c sum edit last", // behind sum: last is due
		4: "a b c sum last edit",
	} {
		th := thread(limit)
		_, err := th.Invoke(t.Context(), step{})
		if limit < 4 {
			require.ErrorIs(t, err, graph.ErrStepLimit)
		}
		_, err = th.UpdateState(t.Context(), step{Path: []string{"edit"}})
		require.NoError(t, err)
		res, err := th.Resume(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(res.State.Path, " "), "after %d steps", limit)
	}
}

// Rule 26: the route of the node is asked in the edited state.
func TestAnEditIsFollowedByWhatTheRouteSaysInTheEditedState(t *testing.T) {
	var grade graph.Node
	pick := func(s trail) verdict {
		switch s.Value {
		case "panic":
			panic("at the disco")
		case "":
			return again
		default:
			return verdict(s.Value)
		}
	}
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		grade = g.Node("grade", say("grade"))
		g.Start(grade)
		graph.Route(g, grade, pick, graph.Case(again, grade), graph.Case(good, graph.End))
	}, graph.MaxSteps(2)).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	_, err = thread.UpdateState(t.Context(), step{Value: graph.To("panic")})
	require.ErrorIs(t, err, graph.ErrPanic)
	_, err = thread.UpdateState(t.Context(), step{Value: graph.To("nowhere")})
	require.ErrorIs(t, err, graph.ErrUnknownOutcome)
	c, err := thread.UpdateState(t.Context(), step{Value: graph.To(string(good))})
	require.NoError(t, err)
	assert.True(t, c.Done)
}

func TestAnEditGivesUpOpenQuestionsAndSaysSo(t *testing.T) {
	var asks, done graph.Node
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		asks, done = g.Node("asks", asking(new(graphtest.Journal), "word")), g.Node("done", say("done"))
		g.Start(asks)
		g.Edge(asks, done)
		g.Edge(done, graph.End)
	}).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	c, err := thread.UpdateState(t.Context(), step{Path: []string{"by hand"}}, asks)
	require.NoError(t, err)
	assert.True(t, c.Discarded)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "by hand", "done")
}

// Rule 22: edits count for snapshots as steps do.
func TestManyEditsStayLinearAndTheirSnapshotsKnowWhoMadeThem(t *testing.T) {
	store := graph.NewMemoryStore()
	thread := chain(t, nil, "a", "b").Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	big := strings.Repeat("x", 1<<10)
	for range 40 {
		_, err := thread.UpdateState(t.Context(), step{Value: graph.To(big)})
		require.NoError(t, err, "of b, also when a snapshot has to say so")
	}
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	assert.Greater(t, rec.SnapshotSeq, int64(3))
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 43, head.State.Count)
	for _, c := range history(t, thread)[:40] {
		assert.Equal(t, []string{"b"}, c.Nodes)
	}
}

func TestAnEditOfAnUnfinishedThreadOfAnotherGraphIsRefusedUnlessAllowed(t *testing.T) {
	store := graph.NewMemoryStore()
	_, err := chain(t, []graph.Option{graph.MaxSteps(1)}, "a", "b").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	app := chain(t, nil, "a", "z")
	_, err = app.Thread("t", graph.WithStore(store)).UpdateState(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	thread := app.Thread("t", graph.WithStore(store), graph.AllowGraphChange())
	_, err = thread.UpdateState(t.Context(), step{})
	require.NoError(t, err)
	res, err := app.Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err, "it is a thread of this graph now")
	graphtest.Path(t, res.State.Path, "a", "z")
}
