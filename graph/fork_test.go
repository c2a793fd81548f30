package graph_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 26: fork and replay from any checkpoint; the old branch stays.
func TestAForkReplaysFromAnyCheckpointAndTheOldBranchStays(t *testing.T) {
	thread := chain(t, nil, "a", "b", "c").Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	before := history(t, thread)
	for seq := int64(1); seq <= 4; seq++ {
		want := at(t, thread, seq)
		c, err := thread.Fork(t.Context(), seq)
		require.NoError(t, err)
		assert.Equal(t, seq, c.Parent)
		assert.Equal(t, graph.FromFork, c.Origin)
		assert.EqualValues(t, seq-1, c.Step)
		assert.Equal(t, seq == 4, c.Done)
		assert.Equal(t, want, at(t, thread, c.Seq))
		assert.Equal(t, c.Seq, history(t, thread)[0].Seq)
		res, err := thread.Resume(t.Context())
		require.NoError(t, err)
		graphtest.Path(t, res.State.Path, "in", "a", "b", "c")
	}
	now := history(t, thread)
	for i, old := range before {
		old.Current = true // the last fork is of the last one of the first branch
		assert.Equal(t, old, now[len(now)-len(before)+i])
	}
}

func TestTheHistoryShowsWhichCheckpointsAreOnThePresentBranch(t *testing.T) {
	thread := chain(t, nil, "a", "b").Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	_, err = thread.Fork(t.Context(), 2) // 4
	require.NoError(t, err)
	_, err = thread.Resume(t.Context()) // 5
	require.NoError(t, err)
	_, err = thread.Fork(t.Context(), 1) // 6
	require.NoError(t, err)
	parents, current := map[int64]int64{}, []int64{}
	for _, c := range history(t, thread) {
		parents[c.Seq] = c.Parent
		if c.Current {
			current = append(current, c.Seq)
		}
	}
	assert.Equal(t, map[int64]int64{1: 0, 2: 1, 3: 2, 4: 2, 5: 4, 6: 1}, parents)
	assert.Equal(t, []int64{6, 1}, current)
}

// Rule 26: replaying over an answered question asks again. (LangGraph gave the old answer back until its
// pull request 7038 of March 2026.)
func TestReplayingOverAnAnsweredQuestionAsksAgainUnderAnotherID(t *testing.T) {
	j := new(graphtest.Journal)
	thread := withDone(t, asking(j, "word")).Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	first := res.Interrupts[0].ID
	_, err = thread.Resume(t.Context(), graph.Answer(first, "one"))
	require.NoError(t, err)

	c, err := thread.Fork(t.Context(), 1)
	require.NoError(t, err)
	assert.False(t, c.Discarded, "the old branch was not in the middle of anything")
	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	second := res.Interrupts[0].ID
	assert.NotEqual(t, first, second)
	_, err = thread.Resume(t.Context(), graph.Answer(first, "one"))
	require.ErrorIs(t, err, graph.ErrAlreadyAnswered)
	res, err = thread.Resume(t.Context(), graph.Answer(second, "two"))
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "word=two", "done")
	assert.Equal(t, []string{"word=one", "done"}, at(t, thread, 3), "the old branch has its answer")

	keys := map[string]int{}
	for _, run := range j.Runs() {
		keys[run.Key]++
	}
	assert.Len(t, keys, 2, "the idempotency keys of the branches differ")
}

func TestAForkInTheMiddleOfAQuestionGivesItUpAndSaysSo(t *testing.T) {
	thread := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	c, err := thread.Fork(t.Context(), 1)
	require.NoError(t, err)
	assert.True(t, c.Discarded)
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Empty(t, head.Interrupts)
	_, err = thread.Resume(t.Context(), graph.Answer(res.Interrupts[0].ID, "late"))
	require.ErrorIs(t, err, graph.ErrUnknownQuestion)
}

func TestAForkOfAFinishedThreadCanBeEditedOrGivenAnInput(t *testing.T) {
	thread := chain(t, nil, "a").Thread("t")
	for _, in := range []string{"one", "two"} {
		_, err := thread.Invoke(t.Context(), step{Path: []string{in}})
		require.NoError(t, err)
	}
	_, err := thread.Fork(t.Context(), 2) // the end of the first run
	require.NoError(t, err)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "one", "a")
	res, err = thread.Invoke(t.Context(), step{Path: []string{"three"}})
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "one", "a", "three", "a")
	assert.False(t, res.Discarded)
}

// Rules 22 and 26: Sends and joins that wait come along with a fork, as data.
func TestAForkTakesSendsJoinsAndDeferredNodesAlong(t *testing.T) {
	app := mixed(t, new(graphtest.Journal))
	thread := app.Thread("t")
	want, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	for _, c := range history(t, thread) {
		_, err := thread.Fork(t.Context(), c.Seq)
		require.NoError(t, err)
		res, err := thread.Resume(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want.State, res.State, "from checkpoint %d", c.Seq)
	}
}

func TestAForkOfWhatIsNotThereTakesTheThreadFromNobody(t *testing.T) {
	store := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
	thread := chain(t, nil, "a").Thread("t", graph.WithStore(store))
	_, err := thread.Fork(t.Context(), 1)
	require.ErrorIs(t, err, graph.ErrNoCheckpoint)
	_, err = thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	calls := len(store.Ops())
	_, err = thread.Fork(t.Context(), 9)
	require.ErrorIs(t, err, graph.ErrNoCheckpoint)
	assert.False(t, slices.ContainsFunc(store.Ops()[calls:], func(op graphtest.Op) bool { return op.Name == "Claim" }))
}

// Rule 23: a fork takes the thread from a run that is going on.
func TestAForkFencesARunThatIsGoingOn(t *testing.T) {
	store := graph.NewMemoryStore()
	var thread *graph.Thread[trail, step]
	forked := false
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) {
		if !forked {
			forked = true
			_, err := thread.Fork(ctx, 1)
			return step{Path: []string{"lost"}}, err
		}
		return step{Path: []string{"again"}}, nil
	})
	thread = app.Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrFenced)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "again", "done")
}

// Rule 23: what is done outside of a run does not keep its claim, also when it fails.
func TestAForkAndAnEditReleaseTheirClaim(t *testing.T) {
	store := &leased{Store: graph.NewMemoryStore()}
	thread := chain(t, nil, "a").Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	before := store.released
	_, err = thread.Fork(t.Context(), 1)
	require.NoError(t, err)
	_, err = thread.UpdateState(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, before+2, store.released)
}

// Rule 22: the head loads in O(state) also behind forks, since each comes with a snapshot.
func TestLoadingAThreadBehindAForkReadsNothingOlder(t *testing.T) {
	store := graph.NewMemoryStore()
	thread := chain(t, nil, "a", "b").Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	c, err := thread.Fork(t.Context(), 2)
	require.NoError(t, err)
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, c.Seq, rec.SnapshotSeq)
	assert.Empty(t, rec.Log)
}

// forgetful is a store that has lost its snapshots, and gives the log instead.
type forgetful struct{ graph.Store }

func (f forgetful) Load(ctx context.Context, thread string) (graph.Record, error) {
	rec, err := f.Store.Load(ctx, thread)
	rec.SnapshotSeq, rec.Snapshot, rec.Log = 0, nil, nil
	for e, logErr := range f.Log(ctx, thread, 0) {
		rec.Log, err = append(rec.Log, e), errors.Join(err, logErr)
	}
	return rec, err
}

// tagged is a state whose encoding leaves things out.
type tagged struct {
	Tags map[string]bool `json:"tags,omitempty"`
}

func (s tagged) Apply(tag string) (tagged, error) {
	tags := map[string]bool{tag: true}
	maps.Copy(tags, s.Tags)
	return tagged{tags}, nil
}

// Rules 22 and 26: the log alone holds all there is, also over branches.
func TestAThreadWithForksCanBeReadFromItsLogAlone(t *testing.T) {
	store := graph.NewMemoryStore()
	app := compile(t, func(g *graph.Graph[tagged, string]) {
		n := g.Node("n", func(context.Context, tagged) (string, error) { return "n", nil })
		g.Start(n)
		g.Edge(n, graph.End)
	})
	thread := app.Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), "in")
	require.NoError(t, err)
	_, err = thread.Fork(t.Context(), 1)
	require.NoError(t, err)
	want, err := thread.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, tagged{map[string]bool{"in": true}}, want.State)
	got, err := app.Thread("t", graph.WithStore(forgetful{store})).Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// Rule 28: the fingerprint of a fork is that of its checkpoint.
func TestAForkOfACheckpointOfAnotherGraphIsNotResumedUnlessAllowed(t *testing.T) {
	store := graph.NewMemoryStore()
	_, err := chain(t, nil, "a", "b").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err)
	other := chain(t, nil, "a", "b", "c")
	thread := other.Thread("t", graph.WithStore(store))
	_, err = thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	_, err = thread.Fork(t.Context(), 2)
	require.NoError(t, err)
	_, err = thread.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	res, err := other.Thread("t", graph.WithStore(store), graph.AllowGraphChange()).Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b", "c")
}

// Rules 7 and 26. (LangGraph went on with the newest checkpoint of the sub-graph until its pull request 7038.)
func TestAForkBeforeASubGraphRunsItAnewAndTheOldOneStays(t *testing.T) {
	second := 1
	store := graph.NewMemoryStore()
	thread := around(t, adder(t, func(context.Context, count) (int, error) { return second, nil })).Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	second = 5
	_, err = thread.Fork(t.Context(), 2)
	require.NoError(t, err)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "first", "[11 11 5]", "last")
	for _, place := range []string{"1.2.child", "2.2.child"} {
		rec, err := store.Load(t.Context(), "t"+graph.ChildMark+place)
		require.NoError(t, err)
		assert.EqualValues(t, 3, rec.Seq(), place)
	}
}

// Rule 27.
func TestACopyGoesItsOwnWayWithOpenQuestionsAndHistory(t *testing.T) {
	app := withDone(t, asking(new(graphtest.Journal), "word"))
	thread := app.Thread("t")
	require.ErrorIs(t, thread.Copy(t.Context(), "u"), graph.ErrNoThread)
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.ErrorIs(t, thread.Copy(t.Context(), "t"), graph.ErrThreadExists)
	require.ErrorIs(t, thread.Copy(t.Context(), ""), graph.ErrThreadID)
	require.ErrorIs(t, thread.Copy(t.Context(), "a"+graph.ChildMark), graph.ErrThreadID)
	require.NoError(t, thread.Copy(t.Context(), "u"))
	require.ErrorIs(t, thread.Copy(t.Context(), "u"), graph.ErrThreadExists)
	other := app.Thread("u")
	assert.Equal(t, history(t, thread), history(t, other))
	for thread, word := range map[*graph.Thread[trail, step]]string{thread: "one", other: "two"} {
		res, err := thread.Resume(t.Context(), graph.Answer(res.Interrupts[0].ID, word))
		require.NoError(t, err)
		graphtest.Path(t, res.State.Path, "word="+word, "done")
	}
}

// Rule 27.
func TestADeletedThreadIsGoneAndItsRunIsFenced(t *testing.T) {
	var thread *graph.Thread[trail, step]
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) { return step{}, thread.Delete(ctx) })
	thread = app.Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrFenced)
	assert.Empty(t, history(t, thread))
	require.NoError(t, thread.Delete(t.Context()), "twice is no error")
}
