package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 29: a checkpoint event names the entry that the log has, and every event says run and call.
func TestCheckpointEventsNameTheEntriesOfTheLog(t *testing.T) {
	store := graph.NewMemoryStore()
	thread := chain(t, nil, "a", "b").Thread("t", graph.WithStore(store))
	var calls []int64
	for run := range int64(2) {
		var entries []int64
		for e, err := range thread.Stream(t.Context(), step{}, graph.Checkpoints) {
			require.NoError(t, err)
			assert.Equal(t, run+1, e.Run)
			if e.Kind == graph.Committed {
				entries = append(entries, e.Entry)
			}
			if e.Kind == graph.RunEnd {
				calls = append(calls, e.Call)
			}
		}
		assert.Equal(t, []int64{3*run + 1, 3*run + 2, 3*run + 3}, entries)
	}
	assert.Greater(t, calls[1], calls[0])
	assert.Positive(t, calls[0])
	n := 0
	for _, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		n++
	}
	assert.Equal(t, 6, n)
}

// Rule 29: a resumed run has committed no input, so it shows none.
func TestAResumedStreamShowsNoCheckpointOfTheInput(t *testing.T) {
	broken := true
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", failing("a", &broken))
		g.Start(a)
		g.Edge(a, graph.End)
	}).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	broken = false
	var got []string
	for e, err := range thread.ResumeStream(t.Context(), graph.Checkpoints) {
		require.NoError(t, err)
		got = append(got, tell(e))
	}
	assert.Equal(t, []string{"0 run_start []", "1 checkpoint 2", "1 run_end [a]"}, got)
}

// tellChild writes an event of a sub-graph, whatever is inside of it.
func tellChild(e graph.Event[trail, step]) string {
	line := strings.Join(e.Path, "/")
	for child := e.Child; ; {
		switch c := child.(type) {
		case graph.Event[trail, step]:
			line += " " + c.Kind.String()
			child = c.Child
		case graph.Event[count, int]:
			line += fmt.Sprintf(" %s %d", c.Kind, c.State.Sum)
			child = c.Child
		default:
			return line
		}
	}
}

// Rules 7 and 29: the events of sub-graphs, in the modes of the stream and only on demand, with the path of their task.
// (In LangGraph the events of a sub-graph's sub-graph carry a namespace string that has to be cut at "|" and ":".)
func TestEventsOfSubGraphsComeWithThePathOfTheirTask(t *testing.T) {
	middle := around(t, adder(t, one))
	outer := compile(t, func(g *graph.Graph[trail, step]) {
		n := graph.Inline(g, "outer", middle)
		g.Start(n)
		g.Edge(n, graph.End)
	})
	for name, stream := range map[string]func(graph.Mode) []graph.Event[trail, step]{
		"in memory": func(m graph.Mode) (events []graph.Event[trail, step]) {
			for e, err := range outer.Stream(t.Context(), step{}, m) {
				require.NoError(t, err)
				events = append(events, e)
			}
			return events
		},
		"on a thread": func(m graph.Mode) (events []graph.Event[trail, step]) {
			for e, err := range outer.Thread(fmt.Sprint(m)).Stream(t.Context(), step{}, m) {
				require.NoError(t, err)
				events = append(events, e)
			}
			return events
		},
	} {
		var got []string
		for i, e := range stream(graph.Children | graph.Values) {
			assert.Equal(t, int64(i+1), e.Seq, name)
			if e.Kind == graph.ChildKind {
				assert.Equal(t, "outer", e.Task)
				got = append(got, tellChild(e))
			}
		}
		assert.Equal(t, []string{
			"outer run_start", "outer values",
			"outer/child child run_start 11", "outer/child child values 22", "outer/child child values 23", "outer/child child run_end 23",
			"outer values", "outer values", "outer run_end",
		}, got, name)
		for _, e := range stream(graph.Values | graph.Tasks) {
			assert.NotEqual(t, graph.ChildKind, e.Kind, "only on demand")
		}
	}
}

// Rule 29.
func TestWhatANodeOfASubGraphSaysComesThroughItsParentsStream(t *testing.T) {
	child := adder(t, func(ctx context.Context, _ count) (int, error) {
		graph.Say(ctx, "hello")
		return 1, nil
	})
	var said []string
	for e, err := range around(t, child).Stream(t.Context(), step{}, graph.Messages|graph.Children) {
		require.NoError(t, err)
		if c, ok := e.Child.(graph.Event[count, int]); ok && c.Kind == graph.MessageKind {
			said = append(said, strings.Join(e.Path, "/")+" "+c.Text)
		}
	}
	assert.Equal(t, []string{"child/second hello"}, said)
}

// Rule 29: a front reads events by these names.
func TestEventsAsJSONHaveStableNames(t *testing.T) {
	var got []string
	for e, err := range talker(t).Thread("t").Stream(t.Context(), step{Path: []string{"in"}}, graph.Debug) {
		require.NoError(t, err)
		if e.Step < 2 {
			data, err := json.Marshal(e)
			require.NoError(t, err)
			got = append(got, string(data))
		}
	}
	head := func(seq int, kind string, step int) string {
		return fmt.Sprintf(`{"seq":%d,"kind":"%s","thread":"t","call":1,"run":1,"step":%d`, seq, kind, step)
	}
	task := func(attempt int) string { return fmt.Sprintf(`,"node":"a","task":"a","attempt":%d`, attempt) }
	assert.Equal(t, []string{
		head(1, "run_start", 0) + `,"state":{"path":["in"],"value":"","count":1}}`,
		head(2, "checkpoint", 0) + `,"entry":1}`,
		head(3, "edge", 0) + `,"edge":{"from":"START","to":"a"}}`,
		head(4, "task_start", 1) + task(1) + `}`,
		head(5, "custom", 1) + task(1) + `,"custom":"word 1"}`,
		head(6, "message", 1) + task(1) + `,"text":"token"}`,
		head(7, "charge", 1) + task(1) + `,"name":"tokens","amount":3}`,
		head(8, "task_end", 1) + task(1) + `,"error":"node a (step 1, attempt 1): boom"}`,
		head(9, "retry", 1) + task(1) + `,"delay_ms":0}`,
		head(10, "task_start", 1) + task(2) + `}`,
		head(11, "custom", 1) + task(2) + `,"custom":"word 2"}`,
		head(12, "message", 1) + task(2) + `,"text":"token"}`,
		head(13, "charge", 1) + task(2) + `,"name":"tokens","amount":3}`,
		head(14, "task_end", 1) + task(2) + `,"update":{"path":["a"]}}`,
		head(15, "checkpoint", 1) + `,"entry":2}`,
		head(16, "update", 1) + `,"node":"a","task":"a","update":{"path":["a"]}}`,
		head(17, "edge", 1) + `,"edge":{"from":"a","to":"b","label":"good"}}`,
		head(18, "values", 1) + `,"state":{"path":["in","a"],"value":"","count":2}}`,
	}, got)
}

// Rule 29.
func TestAnEventOfASubGraphAndAQuestionAreJSONToo(t *testing.T) {
	event := graph.Event[trail, step]{
		Kind: graph.ChildKind, Seq: 7, Step: 2, Node: "sub", Task: "sub", Attempt: 1, Path: []string{"sub", "x"},
		Child: graph.Event[count, int]{Kind: graph.UpdateKind, Seq: 3, Step: 1, Node: "x", Task: "x", Update: 0},
	}
	data, err := json.Marshal(event)
	require.NoError(t, err)
	assert.Equal(t, `{"seq":7,"kind":"child","step":2,"node":"sub","task":"sub","attempt":1,"path":["sub","x"],`+
		`"child":{"seq":3,"kind":"update","step":1,"node":"x","task":"x","update":0}}`, string(data))

	data, err = json.Marshal(graph.Event[trail, step]{
		Kind: graph.Interrupted, Seq: 8, Step: 1, Interrupt: graph.Interrupt{ID: "1.1/a/k", Kind: graph.Question, Node: "a", Step: 1},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"seq":8,"kind":"interrupted","step":1,"interrupt":{"id":"1.1/a/k","kind":"question","node":"a","step":1}}`, string(data))

	data, err = json.Marshal(graph.Event[trail, step]{Kind: graph.CustomKind})
	require.NoError(t, err)
	assert.Equal(t, `{"seq":0,"kind":"custom","step":0,"custom":null}`, string(data))

	_, err = json.Marshal(graph.Event[trail, step]{Kind: graph.CustomKind, Custom: func() {}})
	require.Error(t, err)
}

// waits is a clock that notes what it is asked to wait for, and does not.
type waits struct {
	graph.Clock
	list []time.Duration
}

func (w *waits) Wait(_ context.Context, d time.Duration) error {
	w.list = append(w.list, d)
	return nil
}

// Rule 12, rule 29: debugging shows how long a retry waits.
func TestARetryIsShownWithTheDelayThatTheClockIsAskedFor(t *testing.T) {
	clock := &waits{Clock: graphtest.NewClock(noon)}
	tries := 0
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) {
			if tries++; tries < 4 {
				return step{}, errBoom
			}
			return step{}, nil
		}, graph.Retry(4, nil), graph.Backoff(time.Second, time.Minute))
		g.Start(a)
		g.Edge(a, graph.End)
	})
	var shown []time.Duration
	for e, err := range app.Stream(graph.WithClock(t.Context(), clock), step{}, graph.Debug) {
		require.NoError(t, err)
		if e.Kind == graph.RetryKind {
			shown = append(shown, e.Delay)
		}
	}
	assert.Equal(t, clock.list, shown)
	require.Len(t, shown, 3)
	assert.GreaterOrEqual(t, shown[2], 2*time.Second)
}

// Rules 11 and 29: a run that is cancelled while it waits for the next attempt shows the end of the last one once.
func TestARunThatIsCancelledBetweenTwoAttemptsShowsEachEndOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) { return step{}, errBoom },
			graph.Retry(4, nil), graph.Backoff(time.Hour, time.Hour))
		g.Start(a)
		g.Edge(a, graph.End)
	})
	var got []string
	for e, err := range app.Stream(ctx, step{}, graph.Debug) {
		if e.Kind == graph.RunEnd {
			require.ErrorIs(t, err, context.Canceled)
		}
		if e.Kind == graph.RetryKind {
			cancel()
		}
		got = append(got, e.Kind.String())
	}
	assert.Equal(t, []string{"run_start", "edge", "task_start", "task_end", "retry", "run_end"}, got)
}
