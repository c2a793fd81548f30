package graph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/graph"
)

// setChecks sets the number of random graphs unless the command line does.
func setChecks(t *testing.T, n string) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		require.NoError(t, checks.Value.Set(n))
		t.Cleanup(func() { require.NoError(t, checks.Value.Set(checks.DefValue)) })
	}
}

// drawWorld is a shape that Compile accepts, built; nil when it was none.
func drawWorld(t *rapid.T) (*world, *graph.App[trail, step]) {
	w := &world{shape: genShape(t)}
	w.fails = maps.Clone(w.shape.fails)
	app := w.build(t)
	if app == nil {
		return nil, nil
	}
	return w, app
}

// tasksOf lists attempts as the interpreter does.
func tasksOf(runs []graph.TaskInfo) []string {
	var list []string
	for _, r := range runs {
		list = append(list, fmt.Sprintf("%d/%s@%d", r.Step, r.Task, r.Attempt))
	}
	return list
}

func waitsOf(list []graph.Interrupt) []string {
	var waits []string
	for _, i := range list {
		if i.Kind == graph.Question {
			waits = append(waits, fmt.Sprintf("%d/%s/%s", i.Step, i.Task, i.Key))
		} else {
			waits = append(waits, fmt.Sprint(i.Kind, " ", i.Node))
		}
	}
	return waits
}

// answersTo draws some of the open questions, and answers them.
func answersTo(t *rapid.T, open []graph.Interrupt, least int, tell func(task, key string)) []graph.Option {
	var opts []graph.Option
	if len(open) == 0 {
		return nil
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.SampledFrom(open), least, len(open), func(i graph.Interrupt) string { return i.ID }).Draw(t, "answered") {
		task := fmt.Sprintf("%d/%s", i.Step, i.Task)
		opts = append(opts, graph.Answer(i.ID, answerTo(task, i.Key)))
		tell(task, i.Key)
	}
	return opts
}

func (w *world) drawNodes(t *rapid.T, label string) (nodes []graph.Node, names []string) {
	if rare(t, label, 4) {
		nodes = rapid.SliceOfNDistinct(rapid.SampledFrom(w.handles), 1, 2, graph.Node.Name).Draw(t, "at")
	}
	for _, n := range nodes {
		names = append(names, n.Name())
	}
	return nodes, names
}

func drawDurability(t *rapid.T) graph.ThreadOption {
	return []graph.ThreadOption{graph.Sync, graph.Async, graph.Exit}[rapid.IntRange(0, 2).Draw(t, "durability")]
}

// Random graphs with routes, Sends, joins, deferred nodes, questions, static stops, retries, failures and handlers, under random
// schedules, against the interpreter: every call has to run exactly the attempts that the interpreter runs, and to leave
// the thread where the interpreter is, on disk as well as in memory.
func TestAnyGraphBehavesLikeTheInterpreter(t *testing.T) {
	setChecks(t, "1500") // one shape in three or four is a graph that Compile accepts
	ran, ended := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w, app := drawWorld(t)
		if app == nil {
			return
		}
		ran++
		thread := app.Thread("t", drawDurability(t))
		m := newModel(w.shape)
		var open []graph.Interrupt
		for call := range 12 {
			limit := rapid.IntRange(1, 12).Draw(t, "limit")
			before, beforeNames := w.drawNodes(t, "before")
			after, afterNames := w.drawNodes(t, "after")
			opts := []graph.Option{
				graph.MaxSteps(limit), graph.MaxConcurrency(rapid.IntRange(1, 8).Draw(t, "at once")),
				graph.StopBefore(before...), graph.StopAfter(after...),
			}
			if rare(t, "isolate", 7) {
				opts = append(opts, graph.Isolate())
			}
			opts = append(opts, answersTo(t, open, 0, m.answer)...)
			seen := len(w.journal.Runs())
			waits, want := m.call(limit, beforeNames, afterNames)

			invoke := func() (graph.Result[trail], error) { return thread.Resume(context.Background(), opts...) }
			if call == 0 {
				invoke = func() (graph.Result[trail], error) { return thread.Invoke(context.Background(), step{}, opts...) }
			}
			res, err := invoke()
			require.ErrorIs(t, err, want)
			require.Equal(t, m.state, res.State)
			require.Equal(t, waits, waitsOf(res.Interrupts))
			require.ElementsMatch(t, m.ran, tasksOf(w.journal.Runs()[seen:]))
			head, err := thread.Head(context.Background())
			require.NoError(t, err)
			require.Equal(t, m.state, head.State, "what is stored is what was returned")
			require.Equal(t, m.names(), head.Next)
			require.Equal(t, m.step, head.Step)
			if !errors.Is(want, graph.ErrJoinUnreachable) {
				require.Equal(t, m.questions(), waitsOf(head.Interrupts))
			}
			open = head.Interrupts
			end := fmt.Sprint(want)
			if len(waits) > 0 && want == nil {
				end = "waiting"
			}
			if ended[end]++; end == "<nil>" {
				break
			}
		}
	})
	t.Logf("%d graphs; calls ended in %v", ran, ended)
	if testing.Short() { // the rarest end comes in one graph of thirty
		return
	}
	for _, end := range []string{"<nil>", "waiting", errBoom.Error(), graph.ErrStepLimit.Error(), graph.ErrJoinUnreachable.Error()} {
		require.NotZero(t, ended[end], "no call ended in %v: the test has become blind", end)
	}
}
