package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// branched is a thread of a → b → c with three branches: 1 2 3 4 | 5 (of 2) 6 7 | 8 (of 3) 9.
func branched(t testing.TB, store graph.Store) *graph.Thread[trail, step] {
	thread := chain(t, nil, "a", "b", "c").Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	for _, seq := range []int64{2, 3} {
		_, err = thread.Fork(t.Context(), seq)
		require.NoError(t, err)
		_, err = thread.Resume(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, []int64{9, 8, 7, 6, 5, 4, 3, 2, 1}, seqs(history(t, thread)))
	return thread
}

// wholePast is all that can be seen of a thread's past.
func wholePast(t require.TestingT, thread *graph.Thread[trail, step]) ([]graph.Checkpoint, map[int64]trail) {
	list, states := history(t, thread), map[int64]trail{}
	for _, c := range list {
		got, s, err := thread.At(context.Background(), c.Seq)
		require.NoError(t, err)
		require.Equal(t, c, got)
		states[c.Seq] = s
	}
	return list, states
}

// Rule 27: what stays is exactly as it was.
func TestPruningLeavesWhatIsKeptExactlyAsItWas(t *testing.T) {
	for name, tc := range map[string]struct {
		keep graph.Keep
		want []int64
	}{
		"the head alone":              {graph.Keep{Last: 1}, []int64{9}},
		"a fork":                      {graph.Keep{Last: 2}, []int64{9, 8}},
		"a fork and its parent":       {graph.Keep{Last: 3}, []int64{9, 8, 7, 6, 5, 4, 3}},
		"the same, without branches":  {graph.Keep{Last: 3, OneBranch: true}, []int64{9, 8, 3}},
		"one branch, as a whole":      {graph.Keep{OneBranch: true}, []int64{9, 8, 3, 2, 1}},
		"the whole branch by number":  {graph.Keep{Last: 5}, []int64{9, 8, 7, 6, 5, 4, 3, 2, 1}},
		"more than there is":          {graph.Keep{Last: 99}, []int64{9, 8, 7, 6, 5, 4, 3, 2, 1}},
		"the young ones":              {graph.Keep{Younger: time.Hour}, []int64{9, 8, 7, 6, 5, 4, 3, 2, 1}},
		"old ones, but one by number": {graph.Keep{Younger: time.Nanosecond, Last: 2}, []int64{9, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			store := graph.NewMemoryStore()
			thread := branched(t, store)
			before, states := wholePast(t, thread)
			bytes := size(t, store)
			ctx := graph.WithClock(t.Context(), graphtest.NewClock(time.Now().Add(time.Minute)))

			dry := tc.keep
			dry.DryRun = true
			promised, err := thread.Prune(ctx, dry)
			require.NoError(t, err)
			require.Len(t, history(t, thread), 9, "a dry run removes nothing")
			pruned, err := thread.Prune(ctx, tc.keep)
			require.NoError(t, err)
			assert.Equal(t, promised, pruned)
			assert.Equal(t, graph.Pruned{Entries: 9 - len(tc.want), Bytes: bytes - size(t, store)}, pruned)

			after, kept := wholePast(t, thread)
			require.Equal(t, tc.want, seqs(after))
			for _, c := range after {
				i := slices.IndexFunc(before, func(b graph.Checkpoint) bool { return b.Seq == c.Seq })
				want := before[i]
				if !slices.Contains(tc.want, want.Parent) {
					want.Parent = 0
				}
				assert.Equal(t, want, c)
				assert.Equal(t, states[c.Seq], kept[c.Seq])
			}
			again, err := thread.Prune(ctx, tc.keep)
			require.NoError(t, err)
			assert.Zero(t, again, "a second time there is nothing left to do")
			for _, seq := range tc.want {
				_, err := thread.Fork(t.Context(), seq)
				require.NoError(t, err)
				res, err := thread.Resume(t.Context())
				require.NoError(t, err)
				graphtest.Path(t, res.State.Path, "in", "a", "b", "c")
			}
		})
	}
}

// size is the number of bytes in the log of t.
func size(t testing.TB, store graph.Store) (n int64) {
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		n += int64(len(e.Data))
	}
	return n
}

// A branch may have lost the checkpoint that it began at, and be older than none of the others.
func TestPruningABranchWithoutARootLeavesOlderOnesUnlessOneBranchIsWanted(t *testing.T) {
	thread := chain(t, nil, "a").Thread("t")
	_, err := thread.Invoke(t.Context(), step{}) // 1 2
	require.NoError(t, err)
	for _, seq := range []int64{1, 2} { // 3 (of 1) 4, 5 (of 2)
		_, err = thread.Fork(t.Context(), seq)
		require.NoError(t, err)
		_, err = thread.Resume(t.Context())
		require.NoError(t, err)
	}
	prune := func(keep graph.Keep) []int64 {
		_, err := thread.Prune(t.Context(), keep)
		require.NoError(t, err)
		return seqs(history(t, thread))
	}
	require.Equal(t, []int64{5, 4, 3, 2}, prune(graph.Keep{Last: 2}))
	_, err = thread.Fork(t.Context(), 4) // 6: it goes back to 4 and 3, whose parent is gone
	require.NoError(t, err)
	assert.Equal(t, []int64{6, 5, 4, 3, 2}, prune(graph.Keep{Last: 99}))
	assert.Equal(t, []int64{6, 4, 3}, prune(graph.Keep{Last: 99, OneBranch: true}))
}

func TestPruningByAgeGoesByTheClockOfTheContext(t *testing.T) {
	clock := graphtest.NewClock(noon)
	ctx := graph.WithClock(t.Context(), clock)
	thread := chain(t, nil, "a").Thread("t")
	for range 3 {
		_, err := thread.Invoke(ctx, step{})
		require.NoError(t, err)
		clock.Advance(24 * time.Hour)
	}
	pruned, err := thread.Prune(ctx, graph.Keep{Younger: 48 * time.Hour})
	require.NoError(t, err)
	assert.Equal(t, 2, pruned.Entries, "those of the first day")
	pruned, err = thread.Prune(ctx, graph.Keep{Younger: time.Hour})
	require.NoError(t, err)
	assert.Equal(t, 3, pruned.Entries, "the head stays, however old it is")
	head, err := thread.Head(ctx)
	require.NoError(t, err)
	assert.Equal(t, 6, head.State.Count)
}

// Rule 27: pruning is safe with open questions and with finished tasks of an unfinished step.
func TestPruningTouchesNeitherOpenQuestionsNorPendingWrites(t *testing.T) {
	var j graphtest.Journal
	app := twins(t, asking(&j, "word"), func(ctx context.Context, _ trail) (step, error) {
		j.Note(ctx)
		return step{Path: []string{"b"}}, nil
	})
	thread := app.Thread("t")
	for range 2 {
		_, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
	}
	before, err := thread.Head(t.Context())
	require.NoError(t, err)
	pruned, err := thread.Prune(t.Context(), graph.Keep{Last: 1})
	require.NoError(t, err)
	assert.Equal(t, 1, pruned.Entries)
	after, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before, after)
	runs := j.Count("b")
	res, err := thread.Resume(t.Context(), graph.Reply("hello"))
	require.NoError(t, err)
	assert.Equal(t, []string{"word=hello", "b", "c"}, res.State.Path)
	assert.Equal(t, runs, j.Count("b"), "its pending write is still there")
}

// Rule 27: a run goes on while its thread is pruned.
func TestAThreadMayBePrunedWhileItRuns(t *testing.T) {
	var thread *graph.Thread[trail, step]
	app := endlessUntil(t, 100, func(ctx context.Context, s trail) error {
		_, err := thread.Prune(ctx, graph.Keep{Last: 3})
		return err
	})
	thread = app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, 101, res.State.Count)
	assert.Len(t, history(t, thread), 4)
}

// endlessUntil is one node that calls fn and loops until the state counts n.
func endlessUntil(t testing.TB, n int, fn func(context.Context, trail) error) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		loop := g.Node("loop", func(ctx context.Context, s trail) (step, error) { return step{}, fn(ctx, s) })
		g.Start(loop)
		graph.Route(g, loop, func(s trail) verdict {
			if s.Count <= n {
				return again
			}
			return good
		}, graph.Case(again, loop), graph.Case(good, graph.End))
	}, graph.MaxSteps(n+1))
}

// Rules 7 and 27: the threads of sub-graphs go with the steps that they ran in.
func TestPruningTakesTheThreadsOfSubGraphsAlong(t *testing.T) {
	store := graph.NewMemoryStore()
	broken := true
	thread := around(t, adder(t, func(_ context.Context, c count) (int, error) {
		if broken {
			return 0, errBoom
		}
		return 1, nil
	})).Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{}) // 1, 2: given up in the child 1.2
	require.ErrorIs(t, err, errBoom)
	broken = false
	for range 2 {
		_, err := thread.Invoke(t.Context(), step{}) // 3 4 5 6, 7 8 9 10
		require.NoError(t, err)
	}
	child := func(place string) bool {
		rec, err := store.Load(t.Context(), "t"+graph.ChildMark+place)
		require.NoError(t, err)
		return rec.Seq() > 0
	}
	require.True(t, child("1.2.child") && child("2.2.child") && child("3.2.child"))
	_, err = thread.Prune(t.Context(), graph.Keep{Last: 6})
	require.NoError(t, err)
	assert.False(t, child("1.2.child"), "its step was given up")
	assert.True(t, child("2.2.child"), "its step is the oldest that stays")
	_, err = thread.Prune(t.Context(), graph.Keep{Last: 4})
	require.NoError(t, err)
	assert.False(t, child("2.2.child"), "its step was the first of a pruned log")
	assert.True(t, child("3.2.child"))
	_, err = thread.Prune(t.Context(), graph.Keep{Last: 2})
	require.NoError(t, err)
	assert.True(t, child("3.2.child"), "its step is the oldest that stays")

	require.NoError(t, thread.Copy(t.Context(), "u"))
	require.NoError(t, thread.Delete(t.Context()))
	assert.False(t, child("3.2.child"))
	rec, err := store.Load(t.Context(), "u"+graph.ChildMark+"3.2.child")
	require.NoError(t, err)
	assert.NotZero(t, rec.Seq())
}

func TestAKeepThatSaysNothingIsAnError(t *testing.T) {
	thread := chain(t, nil, "a").Thread("t")
	for _, keep := range []graph.Keep{{}, {DryRun: true}, {Last: -1}, {Last: 1, Younger: -1}} {
		_, err := thread.Prune(t.Context(), keep)
		require.ErrorIs(t, err, graph.ErrKeep)
	}
	pruned, err := thread.Prune(t.Context(), graph.Keep{Last: 1})
	require.NoError(t, err, "a thread that does not exist has nothing to prune")
	assert.Zero(t, pruned)
}

// Rule 27: of a pruning that comes between, one of the two is told.
func TestAPruningThatMeetsAnotherOneHasChangedNothing(t *testing.T) {
	inner := graph.NewMemoryStore()
	thread := branched(t, inner)
	meanwhile := false
	store := graphtest.Faulty(inner, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Trim" && !meanwhile {
			meanwhile = true
			_, err := thread.Prune(t.Context(), graph.Keep{Last: 1})
			require.NoError(t, err)
		}
		return graphtest.Pass
	})
	other := chain(t, nil, "a", "b", "c").Thread("t", graph.WithStore(store))
	_, err := other.Prune(t.Context(), graph.Keep{Last: 3})
	require.ErrorIs(t, err, graph.ErrConflict)
	assert.Equal(t, []int64{9}, seqs(history(t, thread)))
}

// Rules 25 and 27: after a crash at any store call the thread is as before or as after, and the call can be made again.
func TestAfterACrashInsideOfAForkAnEditOrAPruningTheThreadIsAsBeforeOrAsAfter(t *testing.T) {
	for name, call := range map[string]func(*graph.Thread[trail, step]) error{
		"fork": func(th *graph.Thread[trail, step]) error { _, err := th.Fork(t.Context(), 4); return err },
		"edit": func(th *graph.Thread[trail, step]) error {
			_, err := th.UpdateState(t.Context(), step{Path: []string{"edit"}})
			return err
		},
		"prune": func(th *graph.Thread[trail, step]) error {
			_, err := th.Prune(t.Context(), graph.Keep{Last: 3})
			return err
		},
		"copy": func(th *graph.Thread[trail, step]) error { return th.Copy(t.Context(), "u") },
	} {
		for _, when := range []graphtest.Verdict{graphtest.FailBefore, graphtest.FailAfter} {
			for n := 1; ; n++ {
				inner := graph.NewMemoryStore()
				thread := branched(t, inner)
				before, states := wholePast(t, thread)
				err := call(chain(t, nil, "a", "b", "c").Thread("t", graph.WithStore(graphtest.CrashAt(inner, n, when))))
				if err == nil {
					require.Greater(t, n, 1, name)
					break
				}
				require.ErrorIs(t, err, graphtest.ErrInjected, name)
				after, now := wholePast(t, thread)
				for seq, s := range now {
					if want, ok := states[seq]; ok {
						require.Equal(t, want, s, "%s, crash at call %d", name, n)
					}
				}
				if when == graphtest.FailBefore {
					require.Equal(t, before, after, "%s, crash at call %d", name, n)
				}
				_, err = thread.Resume(t.Context())
				require.NoError(t, err)
				if err := call(thread); err != nil {
					require.ErrorIs(t, err, graph.ErrThreadExists, "the reply of the copy was lost")
				}
			}
		}
	}
}

func TestAPrunedBranchThatWasForkedMeanwhileCanStillBeRead(t *testing.T) {
	inner := graph.NewMemoryStore()
	thread := branched(t, inner)
	store := graphtest.Faulty(inner, func(op graphtest.Op) graphtest.Verdict {
		if op.Name == "Trim" {
			_, err := thread.Fork(t.Context(), 6) // which is about to go
			require.NoError(t, err)
		}
		return graphtest.Pass
	})
	other := chain(t, nil, "a", "b", "c").Thread("t", graph.WithStore(store))
	_, err := other.Prune(t.Context(), graph.Keep{Last: 3, OneBranch: true})
	require.NoError(t, err)
	list, states := wholePast(t, thread)
	assert.Equal(t, []int64{10, 9, 8, 3}, seqs(list))
	assert.Equal(t, "in a b", strings.Join(states[10].Path, " "))
	assert.Zero(t, list[0].Parent)
}
