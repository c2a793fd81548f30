package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// mixed has a loop, parallel tasks, Sends, a join and a deferred node; every node notes its run.
func mixed(t testing.TB, j *graphtest.Journal) *graph.App[trail, step] {
	note := func(name string) nodeFunc {
		return func(ctx context.Context, _ trail) (step, error) {
			j.Note(ctx)
			return step{Path: []string{name}}, nil
		}
	}
	return compile(t, func(g *graph.Graph[trail, step]) {
		begin := g.Node("begin", note("begin"))
		fetch := graph.Work(g, "fetch", func(ctx context.Context, _ trail, i int) (step, error) {
			j.Note(ctx)
			return step{Path: []string{fmt.Sprint("fetch ", i)}}, nil
		})
		split := g.Dynamic("split", func(ctx context.Context, s trail) (c graph.Command[step], err error) {
			j.Note(ctx)
			c.Update.Path = []string{"split"}
			c.Sends = []graph.Send{fetch.Send(s.Count), fetch.Send(s.Count + 1)}
			return c, nil
		})
		side, sum, last := g.Node("side", note("side")), g.Node("sum", note("sum")), g.Node("last", note("last"), graph.Deferred())
		g.Start(begin)
		g.Edge(begin, split)
		g.Edge(begin, side)
		g.Edge(begin, last)
		g.Targets(split, fetch.Node)
		g.Join(sum, side, fetch.Node)
		graph.Route(g, sum, func(s trail) verdict {
			if s.Count < 10 {
				return again
			}
			return good
		}, graph.Case(again, begin), graph.Case(good, graph.End))
		g.Edge(last, graph.End)
	}, graph.MaxConcurrency(2))
}

// Rule 25, over every boundary between the engine and its store; the store's own tests kill a process.
func TestAfterACrashAtAnyStoreOperationAResumeEndsInTheStateOfAnUndisturbedRun(t *testing.T) {
	var undisturbed graphtest.Journal
	want, err := mixed(t, &undisturbed).Thread("t").Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	for _, when := range []graphtest.Verdict{graphtest.FailBefore, graphtest.FailAfter} {
		for n := 1; ; n++ {
			var j graphtest.Journal
			app, inner := mixed(t, &j), graph.NewMemoryStore()
			crashing := graphtest.CrashAt(inner, n, when)
			_, err := app.Thread("t", graph.WithStore(crashing)).Invoke(t.Context(), step{Path: []string{"in"}})
			if err == nil {
				require.Greater(t, n, 15, "the run has more boundaries than that")
				break
			}
			require.ErrorIs(t, err, graphtest.ErrInjected)
			stored := committed(t, inner)
			before := len(j.Runs())

			thread := app.Thread("t", graph.WithStore(inner))
			res, err := thread.Resume(t.Context())
			if errors.Is(err, graph.ErrNothingToResume) {
				res, err = thread.Invoke(t.Context(), step{Path: []string{"in"}})
			}
			require.NoError(t, err, "crash at call %d", n)
			require.Equal(t, want.State, res.State, "crash at call %d", n)
			for _, run := range j.Runs()[before:] {
				require.NotContains(t, stored, run.Key, "crash at call %d: a task whose write was stored ran again", n)
			}
		}
	}
}

// committed lists the keys of the tasks whose writes are stored, pending ones included.
func committed(t *testing.T, store graph.Store) []string {
	type row struct {
		Kind      string
		Run, Step int
		Task      string
		Writes    []struct{ Task string }
	}
	var keys []string
	add := func(r row, task string) { keys = append(keys, fmt.Sprintf("t/%d/%d/%s", r.Run, r.Step, task)) }
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		var r row
		require.NoError(t, json.Unmarshal(e.Data, &r))
		for _, w := range r.Writes {
			add(r, w.Task)
		}
	}
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	for _, w := range rec.Pending {
		var r row
		require.NoError(t, json.Unmarshal(w.Data, &r))
		add(r, w.Key)
	}
	return keys
}

// Rule 14.
func TestAFailedSaveStopsTheRunAndNothingUnsavedIsReportedAsDone(t *testing.T) {
	for n := 3; n <= 6; n++ { // after Claim and Load: the input and three steps
		store := graphtest.CrashAt(graph.NewMemoryStore(), n, graphtest.FailBefore)
		thread := chain(t, nil, "a", "b", "c").Thread("t", graph.WithStore(store))
		var done []string
		var last error
		var final trail
		for e, err := range thread.Stream(t.Context(), step{Path: []string{"in"}}, graph.Tasks|graph.Updates|graph.Values|graph.Edges) {
			switch e.Kind {
			case graph.TaskEnd:
				require.NoError(t, e.Err)
				done = append(done, e.Node)
			case graph.RunEnd:
				last, final = err, e.State
			}
		}
		var save *graph.SaveError
		require.ErrorAs(t, last, &save)
		require.ErrorIs(t, last, graphtest.ErrInjected)
		assert.EqualValues(t, n-2, save.Seq)
		want := []string{"a", "b", "c"}[:max(0, n-4)]
		if n == 3 {
			want = nil
			assert.Empty(t, final.Path, "an input that is not saved is not in the state")
		}
		assert.Equal(t, len(want), len(done))
		assert.Subset(t, want, done)
	}
}

// Rule 14.
func TestAPendingWriteThatCannotBeSavedFailsTheRunAndItsTaskIsNotDone(t *testing.T) {
	inner := graph.NewMemoryStore()
	store := graphtest.Faulty(inner, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Pend" {
			return graphtest.FailBefore
		}
		return graphtest.Pass
	})
	app := twins(t, say("a"), say("b"))
	ended := 0
	var last error
	for e, err := range app.Thread("t", graph.WithStore(store)).Stream(t.Context(), step{}, graph.Tasks) {
		if e.Kind == graph.TaskEnd {
			ended++
		}
		last = err
	}
	var save *graph.SaveError
	require.ErrorAs(t, last, &save)
	assert.Contains(t, []string{"task a", "task b"}, save.What)
	assert.Zero(t, ended)
	res, err := app.Thread("t", graph.WithStore(inner)).Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b", "c")
}

type floaty struct{ F float64 }

func (s floaty) Apply(f float64) (floaty, error) { return floaty{f}, nil }

// Rule 14.
func TestAnUpdateThatCannotBeEncodedIsASaveErrorAndTheThreadGoesOnFromBefore(t *testing.T) {
	zero, nan := 0.0, true
	app := compile(t, func(g *graph.Graph[floaty, float64]) {
		n := g.Node("n", func(context.Context, floaty) (float64, error) {
			if nan {
				return zero / zero, nil
			}
			return 1.5, nil
		})
		g.Start(n)
		g.Edge(n, graph.End)
	})
	thread := app.Thread("t")
	_, err := thread.Invoke(t.Context(), 7)
	var save *graph.SaveError
	require.ErrorAs(t, err, &save)
	nan = false
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1.5, res.State.F)
}
