package graph_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 33: another engine that knows nothing but the log plans the same run.
func TestThePlannerReproducesARunFromItsLoggedOutcomesAlone(t *testing.T) {
	store := graph.NewMemoryStore()
	app := mixed(t, new(graphtest.Journal))
	_, err := app.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err)
	var taken []graph.Edge
	for e, err := range app.Stream(t.Context(), step{}, graph.Edges) {
		require.NoError(t, err)
		if e.Kind == graph.EdgeTaken && e.Step > 0 {
			taken = append(taken, e.Edge)
		}
	}

	position := app.Planner().Start()
	var planned []graph.Edge
	steps := 0
	for entry, err := range store.Log(t.Context(), "t", 1) {
		require.NoError(t, err)
		var row struct {
			Writes   []struct{ Outcome graph.Outcome }
			Position json.RawMessage
		}
		require.NoError(t, json.Unmarshal(entry.Data, &row))
		var outcomes []graph.Outcome
		for _, w := range row.Writes {
			outcomes = append(outcomes, w.Outcome)
		}
		before, err := json.Marshal(position)
		require.NoError(t, err)
		next, edges, err := app.Planner().Next(position, outcomes)
		require.NoError(t, err)
		unchanged, err := json.Marshal(position)
		require.NoError(t, err)
		require.Equal(t, string(before), string(unchanged), "the planner changes no argument")

		got, err := json.Marshal(next)
		require.NoError(t, err)
		require.JSONEq(t, string(row.Position), string(got))
		position = graph.Position{}
		require.NoError(t, json.Unmarshal(got, &position)) // a position travels as JSON
		planned = append(planned, edges...)
		steps++
	}
	assert.True(t, position.Done())
	assert.Greater(t, steps, 5)
	assert.Equal(t, taken, planned)
}

// Rule 33.
func TestThePlannerRefusesOutcomesAndPositionsThatDoNotFit(t *testing.T) {
	p := zoo(t).Planner()
	start := p.Start()
	_, _, err := p.Next(start, []graph.Outcome{{Route: "surprise"}})
	require.ErrorIs(t, err, graph.ErrUnknownOutcome)
	_, _, err = p.Next(start, []graph.Outcome{{Route: "good", Goto: []string{"side"}}})
	require.ErrorIs(t, err, graph.ErrUndeclaredTarget)
	_, _, err = p.Next(start, nil)
	require.ErrorIs(t, err, graph.ErrOutcomes)
	_, _, err = p.Next(graph.Position{Next: []graph.Task{{Node: "gone"}}}, []graph.Outcome{{}})
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	_, _, err = p.Next(graph.Position{Joins: []graph.JoinWait{{Node: "merge", Arrived: []string{"side"}}}}, nil)
	require.ErrorIs(t, err, graph.ErrJoinUnreachable)
	require.ErrorIs(t, p.Check(graph.Position{Joins: []graph.JoinWait{{Node: "tidy"}}}), graph.ErrGraphChanged)

	split := graph.Position{Next: []graph.Task{{Node: "split"}}}
	_, _, err = p.Next(split, []graph.Outcome{{Goto: []string{"fetch"}}})
	require.ErrorIs(t, err, graph.ErrUndeclaredTarget, "a Work node is reached by Send only")
	_, _, err = p.Next(split, []graph.Outcome{{}})
	require.ErrorIs(t, err, graph.ErrNoTarget)
	next, edges, err := p.Next(split, []graph.Outcome{{Goto: []string{"END"}}})
	require.NoError(t, err)
	assert.True(t, next.Done())
	assert.Equal(t, []graph.Edge{{From: "split", To: "END", Label: "goto"}}, edges)
}

// Rule 33.
func TestThePlannerImportsNothingThatCouldMakeItImpure(t *testing.T) {
	pure := map[string]bool{"cmp": true, "encoding/json": true, "fmt": true, "slices": true, "strconv": true}
	for _, name := range []string{"plan.go", "plan_next.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			assert.True(t, pure[path], "%s imports %s", name, path)
		}
	}
}
