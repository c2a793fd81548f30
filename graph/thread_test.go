package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

func TestAThreadKeepsItsStateFromInputToInput(t *testing.T) {
	thread := chain(t, nil, "a", "b").Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"one"}})
	require.NoError(t, err)
	res, err := thread.Invoke(t.Context(), step{Path: []string{"two"}})
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "one", "a", "b", "two", "a", "b")
	graphtest.Path(t, res.Path, "a", "b")
	assert.False(t, res.Discarded)
}

// Rule 19.
func TestResumingAFinishedThreadIsANoOpThatReturnsItsState(t *testing.T) {
	store := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
	thread := chain(t, nil, "a").Thread("t", graph.WithStore(store))
	want, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	calls := len(store.Ops())
	got, err := thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, graph.Result[trail]{State: want.State}, got)
	require.Len(t, store.Ops(), calls+1)
	assert.Equal(t, "Load", store.Ops()[calls].Name, "it does not even claim the thread")

	var kinds []graph.Kind
	for e, err := range thread.ResumeStream(t.Context(), graph.Values) {
		require.NoError(t, err)
		kinds = append(kinds, e.Kind)
		assert.Equal(t, want.State, e.State)
	}
	assert.Equal(t, []graph.Kind{graph.RunStart, graph.RunEnd}, kinds)
}

// Rule 19.
func TestResumingWhatNeverStartedIsAnError(t *testing.T) {
	thread := chain(t, nil, "a").Thread("t")
	_, err := thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrNothingToResume)
	n := 0
	for e, err := range thread.ResumeStream(t.Context(), 0) {
		n++
		require.ErrorIs(t, err, graph.ErrNothingToResume)
		assert.Equal(t, graph.RunEnd, e.Kind)
	}
	assert.Equal(t, 1, n)
	_, err = chain(t, nil, "a").Thread("").Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrThreadID)
}

func TestHeadSaysWhereAThreadStands(t *testing.T) {
	broken := true
	thread := compile(t, func(g *graph.Graph[trail, step]) {
		a, b := g.Node("a", say("a")), g.Node("b", failing("b", &broken))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}).Thread("t")
	head := func() graph.Head[trail] {
		h, err := thread.Head(t.Context())
		require.NoError(t, err)
		return h
	}
	assert.Equal(t, graph.Head[trail]{}, head())
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, graph.Head[trail]{Exists: true, State: trail{Path: []string{"a"}, Count: 2}, Seq: 2, Step: 1, Next: []string{"b"}}, head())
	broken = false
	_, err = thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, graph.Head[trail]{Exists: true, State: trail{Path: []string{"a", "b"}, Count: 3}, Seq: 3, Step: 2, Done: true}, head())
}

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
		add(r, w.Task)
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

// Rule 23.
func TestOfTwoRunsOnOneThreadTheLaterOneTakesItAndTheEarlierIsFenced(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	app := compile(t, func(g *graph.Graph[trail, step]) {
		slow := g.Node("slow", func(context.Context, trail) (step, error) {
			first := false
			once.Do(func() { first = true })
			if first {
				close(entered)
				<-release
			}
			return step{Path: []string{fmt.Sprint("first=", first)}}, nil
		})
		g.Start(slow)
		g.Edge(slow, graph.End)
	})
	thread := app.Thread("t")
	lost := make(chan error)
	go func() {
		_, err := thread.Invoke(t.Context(), step{Path: []string{"in 1"}})
		lost <- err
	}()
	<-entered
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	close(release)
	err = <-lost
	require.ErrorIs(t, err, graph.ErrFenced)
	var save *graph.SaveError
	require.ErrorAs(t, err, &save)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.State, head.State, "the loser has changed nothing")
	graphtest.Path(t, head.State.Path, "in 1", "first=false")
}

// Rule 28.
func TestResumingOnAChangedTopologyIsRefusedUnlessAllowed(t *testing.T) {
	store := graph.NewMemoryStore()
	broken := true
	build := func(label verdict, name string) *graph.App[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			a, b := g.Node("a", say("a")), g.Node(name, failing(name, &broken))
			g.Start(a)
			g.Edge(a, b)
			graph.Route(g, b, func(trail) verdict { return label }, graph.Case(label, graph.End))
		})
	}
	old := build(good, "b").Thread("t", graph.WithStore(store))
	_, err := old.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)

	changed := build(again, "b")
	_, err = changed.Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	assert.ErrorContains(t, err, changed.Fingerprint())

	renamed := build(good, "bb").Thread("t", graph.WithStore(store), graph.AllowGraphChange())
	_, err = renamed.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	assert.ErrorContains(t, err, `no node "b"`)

	allowed := changed.Thread("t", graph.WithStore(store), graph.AllowGraphChange())
	_, err = allowed.Resume(t.Context())
	require.ErrorIs(t, err, errBoom)
	broken = false
	res, err := allowed.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b")

	res, err = build(good, "other").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err, "a new input needs no permission")
	graphtest.Path(t, res.State.Path, "a", "b", "a", "other")
}

// Rule 28.
func TestAStepOnAnAllowedChangedGraphRecordsTheNewFingerprint(t *testing.T) {
	store := graph.NewMemoryStore()
	build := func(name string) *graph.App[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			a, b := g.Node("a", say("a")), g.Node(name, say(name))
			g.Start(a)
			graph.Route(g, a, func(trail) verdict { return again }, graph.Case(again, a), graph.Case(good, b))
			g.Edge(b, graph.End)
		}, graph.MaxSteps(2))
	}
	_, err := build("b").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	_, err = build("c").Thread("t", graph.WithStore(store), graph.AllowGraphChange()).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrStepLimit)
	_, err = build("c").Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrStepLimit, "the thread is of graph c now")
	_, err = build("b").Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
}

// Rule 28.
func TestUnknownVersionsAndDamagedRowsAreTypedErrorsThatNameTheRow(t *testing.T) {
	app := twins(t, say("a"), func(context.Context, trail) (step, error) { return step{}, errBoom })
	cases := []struct {
		name  string
		plant func(t *testing.T, s graph.Store, fence, seq int64) error
		want  error
		row   string
	}{
		{"an entry that is not JSON", plantEntry(`{"v":1,`), graph.ErrDamaged, "entry 2"},
		{"an entry without a version", plantEntry(`{"kind":"step"}`), graph.ErrDamaged, "entry 2"},
		{"an entry of a later version", plantEntry(`{"v":2,"news":true}`), graph.ErrNewerFormat, "entry 2"},
		{"an entry of an unknown kind", plantEntry(`{"v":1,"kind":"surprise"}`), graph.ErrDamaged, "entry 2"},
		{"an update of another type", plantEntry(`{"v":1,"kind":"step","writes":[{"task":"a","node":"a","update":{"path":7}}]}`), graph.ErrDamaged, "entry 2"},
		{"an update that does not apply any more", plantEntry(`{"v":1,"kind":"step","writes":[{"task":"a","node":"a","update":{"path":["poison"]}}]}`), errPoison, "entry 2"},
		{"a snapshot of a later version", plantSnapshot(`{"v":9}`), graph.ErrNewerFormat, "snapshot 2"},
		{"a snapshot without a state", plantSnapshot(`{"v":1}`), graph.ErrDamaged, "snapshot 2"},
		{"a pending write that is not JSON", plantPending(`oops`), graph.ErrDamaged, "pending write a 2"},
		{"a pending write of a later version", plantPending(`{"v":2}`), graph.ErrNewerFormat, "pending write a 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := graph.NewMemoryStore()
			thread := app.Thread("t", graph.WithStore(store))
			_, err := thread.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, errBoom)
			fence, err := store.Claim(t.Context(), "t")
			require.NoError(t, err)
			require.NoError(t, c.plant(t, store, fence, 2))
			for _, use := range []func() error{
				func() error { _, err := thread.Resume(t.Context()); return err },
				func() error { _, err := thread.Head(t.Context()); return err },
				func() error { _, err := thread.Invoke(t.Context(), step{}); return err },
			} {
				err := use()
				require.ErrorIs(t, err, c.want)
				var row *graph.RowError
				require.ErrorAs(t, err, &row)
				assert.Equal(t, "t", row.Thread)
				assert.ErrorContains(t, err, c.row)
			}
		})
	}
}

func plantEntry(data string) func(*testing.T, graph.Store, int64, int64) error {
	return func(t *testing.T, s graph.Store, fence, seq int64) error {
		return s.Commit(t.Context(), "t", fence, graph.Entry{Seq: seq, Data: []byte(data), Settles: true})
	}
}

func plantSnapshot(data string) func(*testing.T, graph.Store, int64, int64) error {
	return func(t *testing.T, s graph.Store, fence, seq int64) error {
		return s.Commit(t.Context(), "t", fence, graph.Entry{Seq: seq, Data: []byte(`{"v":1,"kind":"step"}`), Snapshot: []byte(data)})
	}
}

func plantPending(data string) func(*testing.T, graph.Store, int64, int64) error {
	return func(t *testing.T, s graph.Store, fence, seq int64) error {
		return s.Pend(t.Context(), "t", fence, graph.PendingWrite{Seq: seq, Task: "a", Data: []byte(data)})
	}
}

// Rule 22.
func TestStorageIsLinearInWhatIsAppended(t *testing.T) {
	const steps, size = 400, 500
	app := endless(t, func(_ context.Context, s trail) (step, error) {
		return step{Path: []string{strings.Repeat("x", size-10) + fmt.Sprintf("%010d", s.Count)}}, nil
	}, graph.MaxSteps(steps))
	store := graph.NewMemoryStore()
	thread := app.Thread("t", graph.WithStore(store))
	res, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	total := len(rec.Snapshot)
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		total += len(e.Data)
	}
	content := steps * size
	t.Logf("%d bytes for %d bytes of content: %.2f", total, content, float64(total)/float64(content))
	assert.Less(t, float64(total), 2.5*float64(content))
	assert.Less(t, len(rec.Log), steps*3/4, "a load does not read the whole log")
	require.NotZero(t, rec.SnapshotSeq)

	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.State, head.State, "snapshot and log fold to the state of the run")
}

// Rule 22.
func TestASnapshotAtTheHeadIsEnoughToGoOn(t *testing.T) {
	blob := strings.Repeat("y", 40<<10) // outweighs every snapshot before it
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) { return step{Value: graph.To(blob)}, nil })
		b := g.Node("b", say("b"))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}, graph.MaxSteps(1))
	store := graph.NewMemoryStore()
	thread := app.Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	require.Empty(t, rec.Log)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "b")
	assert.Equal(t, blob, res.State.Value)
}

func TestInfoFromTellsANodeItsTask(t *testing.T) {
	var got []graph.TaskInfo
	app := compile(t, func(g *graph.Graph[trail, step]) {
		w := graph.Work(g, "w", func(ctx context.Context, _ trail, _ int) (step, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			info, ok := graph.InfoFrom(ctx)
			require.True(t, ok)
			got = append(got, info)
			return step{}, nil
		})
		g.Start(spread(g, w, 2))
		g.Edge(w.Node, graph.End)
	}, graph.MaxConcurrency(1))
	thread := app.Thread("thread")
	for range 2 {
		_, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
	}
	_, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, got, 6)
	assert.Equal(t, graph.TaskInfo{Thread: "thread", Run: 2, Step: 2, Node: "w", Task: "w#2", Attempt: 1, Key: "thread/2/2/w#2"}, got[3])
	assert.Equal(t, graph.TaskInfo{Run: 1, Step: 2, Node: "w", Task: "w#1", Attempt: 1}, got[4], "without a thread no key could be unique")
	_, ok := graph.InfoFrom(t.Context())
	assert.False(t, ok)
}
