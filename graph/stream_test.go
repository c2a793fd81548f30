package graph_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

const allSteps = graph.Values | graph.Updates | graph.Tasks | graph.Custom | graph.Edges

// tell writes an event as one line.
func tell(e graph.Event[trail, step]) string {
	line := fmt.Sprintf("%d %s", e.Step, e.Kind)
	switch e.Kind {
	case graph.TaskStart:
		line += fmt.Sprintf(" %s/%d", e.Task, e.Attempt)
	case graph.TaskEnd:
		line += fmt.Sprintf(" %s/%d %v %v", e.Task, e.Attempt, e.Update.Path, e.Err)
	case graph.UpdateKind:
		line += fmt.Sprintf(" %s %v", e.Task, e.Update.Path)
	case graph.CustomKind:
		line += fmt.Sprintf(" %s/%d %v", e.Task, e.Attempt, e.Custom)
	case graph.MessageKind:
		line += fmt.Sprintf(" %s/%d %s", e.Task, e.Attempt, e.Text)
	case graph.ChargeKind:
		line += fmt.Sprintf(" %s/%d %s %d", e.Task, e.Attempt, e.Name, e.Amount)
	case graph.RetryKind:
		line += fmt.Sprintf(" %s/%d %v", e.Task, e.Attempt, e.Delay)
	case graph.Committed:
		line += fmt.Sprintf(" %d", e.Entry)
	case graph.EdgeTaken:
		line += fmt.Sprintf(" %s->%s %s", e.Edge.From, e.Edge.To, e.Edge.Label)
	case graph.RunStart, graph.ValuesKind, graph.RunEnd:
		line += fmt.Sprintf(" %v", e.State.Path)
	}
	return strings.TrimSpace(line)
}

func linesOf(t *testing.T, app *graph.App[trail, step], modes graph.Mode) []string {
	t.Helper()
	var got []string
	var seq int64
	for e, err := range app.Thread("t").Stream(t.Context(), step{Path: []string{"in"}}, modes) {
		require.NoError(t, err)
		seq++
		assert.Equal(t, seq, e.Seq, "numbers have no gaps")
		assert.Equal(t, "t", e.Thread)
		got = append(got, tell(e))
	}
	return got
}

// talker emits, says and charges something, fails once, does so again, and goes on to b.
func talker(t testing.TB) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(ctx context.Context, _ trail) (step, error) {
			info, _ := graph.InfoFrom(ctx)
			graph.Emit(ctx, fmt.Sprint("word ", info.Attempt))
			graph.Say(ctx, "token")
			if err := graph.Charge(ctx, "tokens", 3); err != nil {
				return step{}, err
			}
			if info.Attempt == 1 {
				return step{Path: []string{"never"}}, errBoom
			}
			return step{Path: []string{"a"}}, nil
		}, graph.Retry(2, nil), graph.Backoff(1, 1))
		b := g.Node("b", say("b"))
		g.Start(a)
		graph.Route(g, a, func(trail) verdict { return good }, graph.Case(good, b), graph.Case(again, a))
		g.Edge(b, graph.End)
	})
}

// Rule 29.
func TestAStreamShowsARunInOrder(t *testing.T) {
	assert.Equal(t, []string{
		"0 run_start [in]",
		"0 checkpoint 1",
		"0 edge START->a",
		"1 task_start a/1",
		"1 custom a/1 word 1",
		"1 message a/1 token",
		"1 charge a/1 tokens 3",
		"1 task_end a/1 [] node a (step 1, attempt 1): boom",
		"1 retry a/1 0s",
		"1 task_start a/2",
		"1 custom a/2 word 2",
		"1 message a/2 token",
		"1 charge a/2 tokens 3",
		"1 task_end a/2 [a] <nil>",
		"1 checkpoint 2",
		"1 update a [a]",
		"1 edge a->b good",
		"1 values [in a]",
		"2 task_start b/1",
		"2 task_end b/1 [b] <nil>",
		"2 checkpoint 3",
		"2 update b [b]",
		"2 edge b->END",
		"2 values [in a b]",
		"2 run_end [in a b]",
	}, linesOf(t, talker(t), graph.Debug))
}

// Rule 29.
func TestEachModeDeliversItsEventsAndStartAndEndAlwaysCome(t *testing.T) {
	app := talker(t)
	kinds := map[graph.Mode]string{
		0: "", graph.Messages: "message message", graph.Checkpoints: "checkpoint checkpoint checkpoint", graph.Children: "",
		graph.Values: "values values", graph.Updates: "update update", graph.Custom: "custom custom",
		graph.Edges: "edge edge edge", graph.Tasks: "task_start task_end task_start task_end task_start task_end",
	}
	for mode, want := range kinds {
		var got []string
		for e, err := range app.Thread("t").Stream(t.Context(), step{}, mode) {
			require.NoError(t, err)
			got = append(got, e.Kind.String())
		}
		assert.Equal(t, strings.TrimSpace("run_start "+want)+" run_end", strings.Join(got, " "))
	}
}

// Rule 2, rule 29.
func TestAStreamShowsParallelTasksInTheOrderOfCompletionAndFoldsThemInTaskOrder(t *testing.T) {
	bDone := make(chan struct{})
	app := twins(t,
		func(context.Context, trail) (step, error) {
			<-bDone // closed by the consumer: the event comes while the step still runs
			return step{Path: []string{"a"}}, nil
		}, say("b"), graph.MaxConcurrency(2))
	var got []string
	for e, err := range app.Thread("t").Stream(t.Context(), step{}, graph.Tasks|graph.Updates|graph.Values) {
		require.NoError(t, err)
		if e.Step == 1 && e.Kind != graph.TaskStart {
			got = append(got, tell(e))
		}
		if e.Kind == graph.TaskEnd && e.Node == "b" {
			close(bDone)
		}
	}
	assert.Equal(t, []string{
		"1 task_end b/1 [b] <nil>", "1 task_end a/1 [a] <nil>", "1 update b [b]", "1 update a [a]", "1 values [a b]",
	}, got)
}

// Rule 29.
func TestASlowConsumerSlowsTheNodesDownAndLosesNothing(t *testing.T) {
	const words = 500
	said := 0
	app := single(t, func(ctx context.Context, _ trail) (step, error) {
		for i := range words {
			graph.Emit(ctx, i)
			said = i + 1
		}
		return step{}, nil
	})
	heard := 0
	for e, err := range app.Stream(t.Context(), step{}, graph.Custom) {
		require.NoError(t, err)
		if e.Kind == graph.CustomKind {
			require.Equal(t, heard, e.Custom)
			heard++
		}
	}
	assert.Equal(t, words, heard)
	assert.Equal(t, words, said)
}

// Rule 29.
func TestANodeMayEmitFromManyGoroutinesAndAfterItsTask(t *testing.T) {
	var leaked context.Context
	app := single(t, func(ctx context.Context, _ trail) (step, error) {
		leaked = ctx
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() { graph.Emit(ctx, i) })
		}
		wg.Wait()
		return step{}, nil
	})
	heard := map[any]bool{}
	for e, err := range app.Stream(t.Context(), step{}, graph.Custom) {
		require.NoError(t, err)
		if e.Kind == graph.CustomKind {
			heard[e.Custom] = true
		}
	}
	assert.Len(t, heard, 8)
	graph.Emit(leaked, "too late")            // returns
	graph.Emit(t.Context(), "of no task")     // returns
	_, err := app.Invoke(t.Context(), step{}) // nobody listens
	require.NoError(t, err)
}

// Rule 29.
func TestLeavingTheRangeCancelsTheRunAndWaitsForItsNodes(t *testing.T) {
	for _, modes := range []graph.Mode{graph.Tasks, graph.Tasks | graph.Custom} {
		var running, ended sync.WaitGroup
		running.Add(2)
		wait := func(ctx context.Context, _ trail) (step, error) {
			ended.Add(1)
			defer ended.Done()
			running.Done()
			<-ctx.Done()
			graph.Emit(ctx, "nobody hears this, and it does not block")
			return step{}, ctx.Err()
		}
		app := twins(t, wait, wait, graph.MaxConcurrency(2))
		starts := 0
		for e, err := range app.Thread("t").Stream(t.Context(), step{}, modes) {
			require.NoError(t, err)
			if e.Kind == graph.TaskStart {
				if starts++; starts == 2 {
					running.Wait()
					break
				}
			}
		}
		ended.Wait() // has nothing to wait for: goleak would find what is left
		head, err := app.Thread("t").Head(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, head.Next)
	}
}

// Rule 29.
func TestLeavingTheRangeBetweenStepsKeepsWhatIsCommitted(t *testing.T) {
	app := chain(t, nil, "a", "b", "c")
	thread := app.Thread("t")
	for e := range thread.Stream(t.Context(), step{}, graph.Values) {
		if e.Kind == graph.ValuesKind && e.Step == 2 {
			break
		}
	}
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"c"}, head.Next)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, res.State.Path)
}

// Rule 29.
func TestAConsumerThatPanicsGetsItsPanicAfterAllNodesHaveReturned(t *testing.T) {
	returned := 0
	var mu sync.Mutex
	wait := func(ctx context.Context, _ trail) (step, error) {
		<-ctx.Done()
		mu.Lock()
		defer mu.Unlock()
		returned++
		return step{}, ctx.Err()
	}
	app := twins(t, wait, wait, graph.MaxConcurrency(2))
	starts := 0
	assert.PanicsWithValue(t, "consumer", func() {
		for e := range app.Stream(t.Context(), step{}, graph.Tasks) {
			if e.Kind == graph.TaskStart {
				if starts++; starts == 2 {
					panic("consumer")
				}
			}
		}
	})
	assert.Equal(t, 2, returned)
}

// Rule 29.
func TestTheLastEventCarriesTheErrorOfTheRunAndItsState(t *testing.T) {
	broken := true
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a, b := g.Node("a", say("a")), g.Node("b", failing("b", &broken))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	})
	var got []string
	for e, err := range app.Stream(t.Context(), step{}, graph.Tasks) {
		if e.Kind == graph.RunEnd {
			require.ErrorIs(t, err, errBoom)
			require.Equal(t, err, e.Err)
		} else {
			require.NoError(t, err)
		}
		got = append(got, tell(e))
	}
	assert.Equal(t, []string{
		"0 run_start []", "1 task_start a/1", "1 task_end a/1 [a] <nil>",
		"2 task_start b/1", "2 task_end b/1 [] node b (step 2, attempt 1): boom", "1 run_end [a]",
	}, got)
}

// Rule 29.
func TestEveryRangeOverAStreamIsARunOfItsOwn(t *testing.T) {
	seq := chain(t, nil, "a").Thread("t").Stream(t.Context(), step{}, 0)
	var last trail
	for range 2 {
		for e, err := range seq {
			require.NoError(t, err)
			last = e.State
		}
	}
	assert.Equal(t, []string{"a", "a"}, last.Path)
}

// Rules 13 and 29.
func TestAResumedStreamShowsTheUpdatesOfTasksThatWereSavedBefore(t *testing.T) {
	broken := true
	thread := twins(t, say("a"), failing("b", &broken)).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	broken = false
	var got []string
	for e, err := range thread.ResumeStream(t.Context(), allSteps) {
		require.NoError(t, err)
		if e.Step == 1 {
			got = append(got, tell(e))
		}
	}
	assert.Equal(t, []string{
		"1 task_start b/1", "1 task_end b/1 [b] <nil>", "1 update a [a]", "1 update b [b]",
		"1 edge a->c", "1 edge b->c", "1 values [a b]",
	}, got)
}

func TestKindsHaveNames(t *testing.T) {
	assert.Equal(t, "run_end", graph.RunEnd.String())
	assert.Equal(t, "unknown", graph.Kind(0).String())
	assert.Equal(t, "unknown", graph.Kind(200).String())
}
