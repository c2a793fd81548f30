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

// roller is a parent whose first node says something else each time it runs, and whose child repeats what it is told.
func roller(t testing.TB) *graph.App[trail, step] {
	child := compile(t, func(g *graph.Graph[trail, step]) {
		repeat := g.Node("repeat", func(_ context.Context, s trail) (step, error) {
			return step{Path: []string{"child of " + s.Value}}, nil
		})
		g.Start(repeat)
		g.Edge(repeat, graph.End)
	})
	rolls := 0
	return compile(t, func(g *graph.Graph[trail, step]) {
		roll := g.Node("roll", func(context.Context, trail) (step, error) {
			rolls++
			return step{Value: graph.To(fmt.Sprint(rolls))}, nil
		})
		sub := graph.Sub(g, "child", child,
			func(s trail) (step, error) { return step{Value: graph.To(s.Value)}, nil },
			func(s, c trail) (graph.Command[step], error) {
				return graph.Command[step]{Update: step{Path: []string{"parent " + s.Value, c.Path[0]}}}, nil
			})
		g.Start(roll)
		g.Edge(roll, sub)
		g.Edge(sub, graph.End)
	})
}

// Rules 7 and 24: what a call under Exit has lost has not happened, in its children either.
func TestAChildOfACallThatWasLostIsNotTakenForThatOfTheNext(t *testing.T) {
	store := graph.NewMemoryStore()
	lost := graphtest.Faulty(store, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Commit" && op.Thread == "t" {
			return graphtest.FailBefore
		}
		return graphtest.Pass
	})
	app := roller(t)
	_, err := app.Thread("t", graph.WithStore(lost), graph.Exit).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graphtest.ErrInjected)
	res, err := app.Thread("t", graph.WithStore(store), graph.Exit).Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, []string{"parent 2", "child of 2"}, res.State.Path)
}

// Rules 7 and 24: under Async a crash loses the last steps, never one from the middle: no child is stored whose input is lost.
func TestAChildIsNotStoredBeforeTheStepsThatLedToIt(t *testing.T) {
	store := graph.NewMemoryStore()
	commits := 0
	lost := graphtest.Faulty(store, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Commit" && op.Thread == "t" {
			if commits++; commits > 1 { // the input is stored, "roll" is not
				return graphtest.FailBefore
			}
		}
		return graphtest.Pass
	})
	app := roller(t)
	_, err := app.Thread("t", graph.WithStore(lost), graph.Async).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graphtest.ErrInjected)
	rec, err := store.Load(t.Context(), "t"+graph.ChildMark+"1.2.child")
	require.NoError(t, err)
	require.Zero(t, rec.Seq())
	res, err := app.Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"parent 2", "child of 2"}, res.State.Path)
}

// Rule 7: a run that goes on while its thread is deleted leaves no child behind.
func TestADeletedThreadGetsNoChild(t *testing.T) {
	store := graph.NewMemoryStore()
	deleted := false
	slow := graphtest.Faulty(store, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Claim" && op.Thread != "t" && !deleted {
			deleted = true
			if err := store.Delete(context.Background(), "t"); err != nil {
				t.Error(err)
			}
		}
		return graphtest.Pass
	})
	app := roller(t)
	_, err := app.Thread("t", graph.WithStore(slow)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrFenced)
	rec, err := store.Load(t.Context(), "t"+graph.ChildMark+"1.2.child")
	require.NoError(t, err)
	require.Zero(t, rec.Seq())
	res, err := app.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, []string{"parent 2", "child of 2"}, res.State.Path)
}

// Rules 7 and 23: a run that has lost its thread takes no child from the run that has it.
func TestARunThatHasLostItsThreadDoesNotTouchTheChildOfTheOneThatHasIt(t *testing.T) {
	store, app := graph.NewMemoryStore(), roller(t)
	stopped, wake, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { // it stops behind the commit of "roll"
		lost := &afterCommit{Store: store, then: map[string]func(){"t2": func() { close(stopped); <-wake }}}
		_, err := app.Thread("t", graph.WithStore(lost)).Invoke(context.Background(), step{})
		ended <- err
	}()
	<-stopped
	holder := &afterCommit{Store: store, then: map[string]func(){"t" + graph.ChildMark + "1.2.child1": func() {
		close(wake) // while the child is under way
		assert.ErrorIs(t, <-ended, graph.ErrFenced)
	}}}
	res, err := app.Thread("t", graph.WithStore(holder)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"parent 1", "child of 1"}, res.State.Path)
}

// afterCommit calls what belongs to a thread and a number once that entry is stored.
type afterCommit struct {
	graph.Store
	then map[string]func()
}

func (s *afterCommit) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	err := s.Store.Commit(ctx, thread, fence, entries)
	if then := s.then[fmt.Sprint(thread, entries[0].Seq)]; err == nil && then != nil {
		then()
	}
	return err
}

// Rules 7, 18, 24: an answer that was lost with its call is not known to the child either.
func TestAnAnswerThatWasNotStoredIsNotKnownToTheChild(t *testing.T) {
	for name, durability := range durabilities {
		t.Run(name, func(t *testing.T) {
			ask := func(ctx context.Context, _ count) (int, error) { return graph.Ask[int](ctx, "n", nil) }
			store := graph.NewMemoryStore()
			app := around(t, adder(t, ask))
			res, err := app.Thread("t", graph.WithStore(store), durability).Invoke(t.Context(), step{})
			require.NoError(t, err)
			id := res.Interrupts[0].ID
			lost := graphtest.Faulty(store, func(op graphtest.Op) graphtest.Verdict {
				if op.Thread == "t" && (op.Name == "Commit" || op.Name == "Pend") {
					return graphtest.FailBefore
				}
				return graphtest.Pass
			})
			_, err = app.Thread("t", graph.WithStore(lost), durability).Resume(t.Context(), graph.Answer(id, 1))
			require.ErrorIs(t, err, graphtest.ErrInjected)
			res, err = app.Thread("t", graph.WithStore(store), durability).Resume(t.Context(), graph.Answer(id, 2))
			require.NoError(t, err)
			assert.Equal(t, []string{"first", "[11 11 2]", "last"}, res.State.Path)
		})
	}
}
