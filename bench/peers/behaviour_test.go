package peers_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	lgraph "github.com/smallnest/langgraphgo/graph"

	"github.com/kbagent/kbagent/graph"
)

// These tests record how the runtimes behave, at the versions of go.mod, where a rule of the runtime design says how they
// should. They assert what was seen, so that a page may cite it: a failure means that a peer has changed, not that it
// is wrong. Run them with -v to read the observations.

var errBoom = errors.New("boom")

// Rule 2: the same inputs give the same state, 1,000 times out of 1,000.
func TestInWhatOrderTheUpdatesOfParallelNodesAreMerged(t *testing.T) {
	var f fork
	for _, name := range strings.Split("abcdefgh", "") {
		f = append(f, forkNode{name: name, run: func() error {
			runtime.Gosched()
			return nil
		}})
	}
	for name, wantOne := range map[string]bool{"kbagent": true, "eino": false, "langgraphgo": false, "trpc": false} {
		t.Run(name, func(t *testing.T) {
			orders := map[string]int{}
			for range 1000 {
				got, err := forks[name](t, f)()
				check(t, err)
				if len(got.Names) != len(f) {
					t.Fatalf("%v", got)
				}
				orders[strings.Join(got.Names, "")]++
			}
			t.Logf("%d different orders in 1,000 runs", len(orders))
			if (len(orders) == 1) != wantOne {
				t.Errorf("seen before: one order %t", wantOne)
			}
		})
	}
}

// Rule 3: two tasks of one step that set the same plain value are an error.
func TestWhatHappensWhenTwoParallelNodesSetTheSamePlainValue(t *testing.T) {
	f := fork{{name: "a", last: "from a"}, {name: "b", last: "from b"}}
	for name, wantError := range map[string]bool{"kbagent": true, "eino": false, "langgraphgo": false, "trpc": false} {
		t.Run(name, func(t *testing.T) {
			winners := map[string]int{}
			var last error
			for range 200 {
				got, err := forks[name](t, f)()
				if last = err; err != nil {
					break
				}
				winners[got.Last]++
			}
			t.Logf("error: %v; what remained, of 200 runs: %v", last, winners)
			if (last != nil) != wantError {
				t.Errorf("seen before: an error %t", wantError)
			}
			if name == "kbagent" && !errors.Is(last, graph.ErrConcurrentUpdate) {
				t.Error("not ErrConcurrentUpdate")
			}
		})
	}
}

// Rule 13: when one task of a step fails, its siblings' updates are kept, and a resume runs only what did not finish.
func TestHowOftenTheSiblingsOfAFailedNodeRun(t *testing.T) {
	for name, want := range map[string]int32{"kbagent": 1, "eino": 2, "langgraphgo": 2, "adk": 2, "trpc": 2} {
		t.Run(name, func(t *testing.T) {
			var sibling, failing atomic.Int32
			done := make(chan struct{})
			run := forks[name](t, fork{
				{name: "sibling", run: func() error {
					if sibling.Add(1) == 1 {
						close(done)
					}
					return nil
				}},
				{name: "failing", run: func() error {
					<-done // the sibling has done its work
					if failing.Add(1) == 1 {
						return errBoom
					}
					return nil
				}},
			})
			_, first := run()
			if first == nil {
				t.Fatal("the failure was not reported")
			}
			got, second := run()
			t.Logf("first: %v; second: %v, %v; the sibling ran %d times, the failing node %d times", first, got.Names, second, sibling.Load(), failing.Load())
			if sibling.Load() != want {
				t.Errorf("seen before: %d runs of the sibling", want)
			}
		})
	}
}

// Rule 11: cancelling ends a graph that never ends.
func TestWhetherCancellingEndsALoop(t *testing.T) {
	const tooFar = 10_000
	for name, wantEnd := range map[string]bool{"kbagent": true, "eino": true, "langgraphgo": false, "adk": true, "trpc": false} {
		t.Run(name, func(t *testing.T) {
			steps, err := runUntilCancelled(t, name, tooFar)
			t.Logf("cancelled at step 10, ended after %d steps with: %v", steps, err)
			if (steps < tooFar) != wantEnd {
				t.Errorf("seen before: it ends %t", wantEnd)
			}
		})
	}
}

// Rule 14: a save that fails stops the run.
func TestWhatAFailedSaveDoes(t *testing.T) {
	for name, wantError := range map[string]bool{"kbagent": true, "langgraphgo": false, "adk": true, "trpc": false} {
		t.Run(name, func(t *testing.T) {
			err := failingSave[name](t)
			t.Logf("the run ended with: %v", err)
			if (err != nil) != wantError {
				t.Errorf("seen before: an error %t", wantError)
			}
		})
	}
}

// Rule 4: the limit is an error when work remains, a chain of N nodes passes with limit N.
func TestWhatTheStepLimitDoes(t *testing.T) {
	type seen struct{ exact, short bool } // whether a chain of 4 is an error with limit 4, and with 3
	for name, want := range map[string]seen{"kbagent": {false, true}, "eino": {false, true}, "trpc": {false, false}} {
		t.Run(name, func(t *testing.T) {
			exact, exactErr := chains[name](t, 4)
			short, shortErr := chains[name](t, 3)
			t.Logf("limit 4: %v, %v; limit 3: %v, %v", exact, exactErr, short, shortErr)
			if got := (seen{exactErr != nil, shortErr != nil}); got != want {
				t.Errorf("seen before: %+v, now: %+v", want, got)
			}
			if exactErr == nil && len(exact) != 4 {
				t.Errorf("no error, and %v has run", exact)
			}
		})
	}
	t.Run("langgraphgo and adk", func(t *testing.T) { t.Skip("neither has a limit: their options have none, at these versions") })
}

// Rule 18: each question of a node has its own answer.
func TestWhatASecondQuestionInANodeGets(t *testing.T) {
	t.Run("kbagent", func(t *testing.T) {
		g := graph.New[kbJoined]("ask")
		ask := g.Node("ask", func(ctx context.Context, _ kbJoined) (kbUpdate, error) {
			first, err := graph.Ask[string](ctx, "first", "first?")
			if err != nil {
				return kbUpdate{}, err
			}
			second, err := graph.Ask[string](ctx, "second", "second?")
			return kbUpdate{Names: []string{first, second}}, err
		})
		g.Start(ask)
		g.Edge(ask, graph.End)
		thread := must[*graph.App[kbJoined, kbUpdate]](t)(g.Compile()).Thread("t")
		res, err := thread.Invoke(context.Background(), kbUpdate{})
		check(t, err)
		for _, answer := range []string{"one", "two"} {
			res, err = thread.Resume(context.Background(), graph.Answer(res.Interrupts[0].ID, answer))
			check(t, err)
		}
		t.Logf("the answers: %q", res.State.Names)
		if !slices.Equal(res.State.Names, []string{"one", "two"}) {
			t.Error("seen before: each its own")
		}
	})
	t.Run("langgraphgo", func(t *testing.T) {
		g := lgraph.NewStateGraph[joined]()
		g.AddNode("ask", "", func(ctx context.Context, _ joined) (joined, error) {
			var j joined
			for _, question := range []string{"first?", "second?"} {
				answer, err := lgraph.Interrupt(ctx, question)
				if err != nil {
					return j, err
				}
				j.Names = append(j.Names, answer.(string))
			}
			return j, nil
		})
		g.SetEntryPoint("ask")
		g.AddEdge("ask", lgraph.END)
		app := must[*lgraph.StateRunnable[joined]](t)(g.Compile())
		_, err := app.Invoke(context.Background(), joined{})
		var asked *lgraph.GraphInterrupt
		if !errors.As(err, &asked) || asked.InterruptValue != "first?" {
			t.Fatalf("not asked: %v", err)
		}
		j, err := app.InvokeWithConfig(context.Background(), joined{}, &lgraph.Config{ResumeFrom: []string{"ask"}, ResumeValue: "one"})
		t.Logf("after one answer, \"one\": %q, %v", j.Names, err)
		if err != nil || !slices.Equal(j.Names, []string{"one", "one"}) {
			t.Error("seen before: the answer to the first question answers the second too")
		}
	})
}
