package graph_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// future makes a row one of a later version of the state.
func future(row string) string { return strings.Replace(row, `,"graph"`, `,"sv":9,"graph"`, 1) }

// Rule 28.
func TestARowOfALaterVersionOfTheStateIsRefusedAndNamed(t *testing.T) {
	for row, twist := range map[string]func(kind, row string) string{
		"snapshot 3": func(kind, row string) string {
			if kind == "snapshot" {
				return future(row)
			}
			return row
		},
		"entry 1": func(kind, row string) string {
			switch {
			case kind == "snapshot":
				return "" // the log has to be read from its beginning
			case strings.Contains(row, `"input"`):
				return future(row)
			}
			return row
		},
		"entry 3": func(kind, row string) string {
			switch {
			case kind == "snapshot":
				return ""
			case strings.Contains(row, `"fork"`):
				return future(row)
			}
			return row
		},
		"pending write work 4": func(kind, row string) string {
			return strings.Replace(row, `"pending","run"`, `"pending","sv":9,"run"`, 1)
		},
	} {
		t.Run(row, func(t *testing.T) {
			thread := askingText(t, new(graphtest.Journal)).Thread("t", graph.WithStore(undump(t, "state-v1.txt", twist)))
			_, err := thread.Resume(t.Context(), graph.Reply("this"))
			var bad *graph.RowError
			require.ErrorAs(t, err, &bad)
			require.ErrorIs(t, err, graph.ErrNewerFormat)
			assert.ErrorContains(t, err, row+": ")
			assert.ErrorContains(t, err, "state version 9, this graph knows 1")
		})
	}
}

func TestAnOlderAppRefusesWhatANewerOneHasStored(t *testing.T) {
	store := graph.NewMemoryStore()
	_, err := askingWords(t, new(graphtest.Journal), toLines, toWords).Thread("t", graph.WithStore(store)).
		Invoke(t.Context(), wordUpdate{[]string{"in"}})
	require.NoError(t, err)
	_, err = askingText(t, new(graphtest.Journal)).Thread("t", graph.WithStore(store)).Resume(t.Context(), graph.Reply("this"))
	assert.ErrorIs(t, err, graph.ErrNewerFormat)
}

func TestAMigrationThatFailsNamesTheRowAndChangesNothing(t *testing.T) {
	fail := func(json.RawMessage) (json.RawMessage, error) { return nil, errBoom }
	crash := func(json.RawMessage) (json.RawMessage, error) { panic("no idea") }
	babble := func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage("{"), nil }
	logOnly := func(kind, row string) string {
		if kind == "snapshot" {
			return ""
		}
		return row
	}
	for name, test := range map[string]struct {
		bad   graph.Migration
		twist func(kind, row string) string
		row   string
		cause error
	}{
		"a snapshot":      {graph.Migration{State: fail, Update: toLines.Update}, asIs, "snapshot 3", errBoom},
		"an entry":        {graph.Migration{State: toLines.State, Update: fail}, logOnly, "entry 1", errBoom},
		"a pending write": {graph.Migration{State: toLines.State, Update: fail}, asIs, "pending write work 4", errBoom},
		"a panic":         {graph.Migration{State: crash, Update: toLines.Update}, asIs, "snapshot 3", graph.ErrPanic},
		"no JSON":         {graph.Migration{State: babble, Update: toLines.Update}, asIs, "snapshot 3", graph.ErrMigration},
	} {
		t.Run(name, func(t *testing.T) {
			store := undump(t, "state-v1.txt", test.twist)
			before := dump(t, store)
			_, err := askingWords(t, new(graphtest.Journal), test.bad, toWords).Thread("t", graph.WithStore(store)).
				Resume(t.Context(), graph.Reply("this"))
			var bad *graph.RowError
			require.ErrorAs(t, err, &bad)
			require.ErrorIs(t, err, graph.ErrMigration)
			require.ErrorIs(t, err, test.cause)
			assert.ErrorContains(t, err, test.row+": ")
			assert.ErrorContains(t, err, "from version 1")
			assert.Equal(t, before, dump(t, store))
		})
	}
}

func TestAMigrationWithoutAFunctionLeavesThingsAsTheyAre(t *testing.T) {
	store := undump(t, "state-v1.txt", asIs)
	app := versioned[textState](t, new(graphtest.Journal), func(s string) textUpdate { return textUpdate{s} }, graph.StateVersion(2, graph.Migration{}))
	res, err := app.Thread("t", graph.WithStore(store)).Resume(t.Context(), graph.Reply("this"))
	require.NoError(t, err)
	assert.Equal(t, "in;begin;work;this;last", res.State.Text)
}

func TestCompileRefusesAStateVersionThatMakesNoSense(t *testing.T) {
	for name, opt := range map[string]graph.Option{
		"zero": graph.StateVersion(0), "too few": graph.StateVersion(3, toLines), "too many": graph.StateVersion(1, toLines),
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New[trail]("g")
			n := g.Node("n", say("n"))
			g.Start(n)
			g.Edge(n, graph.End)
			_, err := g.Compile(opt)
			assert.ErrorIs(t, err, graph.ErrStateVersion)
		})
	}
	_, err := chain(t, nil, "n").Invoke(t.Context(), step{}, graph.StateVersion(1))
	assert.ErrorIs(t, err, graph.ErrStateVersion, "it is no option of a call")
}

// asks is a graph of two nodes, the second of which asks; inlining puts a graph on the same state around it.
func asks(t testing.TB, opts ...graph.Option) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		one := g.Node("one", say("one"))
		two := g.Node("two", func(ctx context.Context, _ trail) (step, error) {
			answer, err := graph.Ask[string](ctx, "q", "?")
			return step{Path: []string{answer}}, err
		})
		g.Start(one)
		g.Edge(one, two)
		g.Edge(two, graph.End)
	}, opts...)
}

func inlining(child *graph.App[trail, step]) *graph.Graph[trail, step] {
	g := graph.New[trail]("around")
	n := graph.Inline(g, "child", child)
	g.Start(n)
	g.Edge(n, graph.End)
	return g
}

func TestTheThreadOfASubGraphIsMigratedToo(t *testing.T) {
	store := graph.NewMemoryStore()
	old, err := inlining(asks(t)).Compile()
	require.NoError(t, err)
	_, err = old.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)

	louder := func(data json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(strings.NewReplacer(`"one"`, `"ONE"`, `"in"`, `"IN"`).Replace(string(data))), nil
	}
	version := graph.StateVersion(2, graph.Migration{State: louder, Update: louder})
	app, err := inlining(asks(t, version)).Compile(version)
	require.NoError(t, err)
	res, err := app.Thread("t", graph.WithStore(store)).Resume(t.Context(), graph.Reply("yes"))
	require.NoError(t, err)
	assert.Equal(t, []string{"IN", "ONE", "yes"}, res.State.Path)
}

// Both store the same types, and only one of them would migrate them.
func TestCompileRefusesAnInlineGraphWhoseStateHasAnotherVersion(t *testing.T) {
	_, err := inlining(asks(t)).Compile(graph.StateVersion(2, graph.Migration{}))
	require.ErrorIs(t, err, graph.ErrStateVersion)
	assert.ErrorContains(t, err, `"child"`)
}
