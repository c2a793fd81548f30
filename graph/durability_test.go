package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

var durabilities = map[string]graph.ThreadOption{"sync": graph.Sync, "async": graph.Async, "exit": graph.Exit}

// logOf is the log of a thread without the times.
func logOf(t *testing.T, store graph.Store, thread string) (rows []string) {
	t.Helper()
	for e, err := range store.Log(t.Context(), thread, 0) {
		require.NoError(t, err)
		rows = append(rows, string(e.Data))
	}
	return rows
}

// Rule 24: whatever the durability, a run that ends has the same log.
func TestEveryDurabilityLeavesTheSameLogAtTheEnd(t *testing.T) {
	ctx := graph.WithClock(t.Context(), graphtest.NewClock(noon))
	var want []string
	for _, name := range []string{"sync", "async", "exit"} {
		store := graph.NewMemoryStore()
		res, err := mixed(t, new(graphtest.Journal)).Thread("t", graph.WithStore(store), durabilities[name]).Invoke(ctx, step{})
		require.NoError(t, err)
		rec, err := store.Load(t.Context(), "t")
		require.NoError(t, err)
		assert.Empty(t, rec.Pending, name)
		got := append(logOf(t, store, "t"), fmt.Sprint(res.State))
		if want == nil {
			want = got
		}
		assert.Equal(t, want, got, name)
	}
}

// Rules 13, 24, 25: a failed step keeps its finished tasks under every durability.
func TestEveryDurabilityKeepsWhatIsFinishedWhenACallFails(t *testing.T) {
	for name, durability := range durabilities {
		t.Run(name, func(t *testing.T) {
			broken := true
			j := new(graphtest.Journal)
			note := func(ctx context.Context, _ trail) (step, error) { j.Note(ctx); return step{Path: []string{"a"}}, nil }
			app := twins(t, note, failing("b", &broken))
			store := graph.NewMemoryStore()
			_, err := app.Thread("t", graph.WithStore(store), durability).Invoke(t.Context(), step{})
			require.ErrorIs(t, err, errBoom)
			broken = false
			_, err = app.Thread("t", graph.WithStore(store), durability).Resume(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 1, j.Count("a"))
		})
	}
}

// slowStore takes its time to commit.
type slowStore struct {
	graph.Store
	mu      sync.Mutex
	batches []int
	fail    func(graph.Entry) error
}

func (s *slowStore) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	time.Sleep(time.Second)
	s.mu.Lock()
	s.batches = append(s.batches, len(entries))
	s.mu.Unlock()
	for _, e := range entries {
		if s.fail != nil {
			if err := s.fail(e); err != nil {
				return err
			}
		}
	}
	return s.Store.Commit(ctx, thread, fence, entries)
}

// Rule 24: Sync waits for each commit, Async overlaps them with the steps and keeps their order, Exit commits once.
func TestTheDurabilitySaysWhenAStepIsCommitted(t *testing.T) {
	for name, want := range map[string]struct {
		took    time.Duration
		batches []int
	}{
		// ten steps of a second each, and the input
		"sync":  {21 * time.Second, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		"async": {12 * time.Second, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, // the last step's commit alone is waited for
		"exit":  {11 * time.Second, []int{11}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				app := endless(t, func(context.Context, trail) (step, error) {
					time.Sleep(time.Second)
					return step{Path: []string{"x"}}, nil
				}, graph.MaxSteps(10))
				store := &slowStore{Store: graph.NewMemoryStore()}
				begin := time.Now()
				_, err := app.Thread("t", graph.WithStore(store), durabilities[name]).Invoke(t.Context(), step{})
				require.ErrorIs(t, err, graph.ErrStepLimit)
				assert.Equal(t, want.took, time.Since(begin))
				assert.Equal(t, want.batches, store.batches)
			})
		})
	}
}

// Rule 24: Async gives the store several steps at once when it is slower than the nodes, and never an unbounded number.
func TestAsyncGroupsWhatHasPiledUpAndWaitsWhenItIsTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := endless(t, say("x"), graph.MaxSteps(2000))
		store := &slowStore{Store: graph.NewMemoryStore()}
		_, err := app.Thread("t", graph.WithStore(store), graph.Async).Invoke(t.Context(), step{})
		require.ErrorIs(t, err, graph.ErrStepLimit)
		assert.Len(t, logOf(t, store, "t"), 2001)
		assert.LessOrEqual(t, slices.Max(store.batches), 256)
		assert.Less(t, len(store.batches), 20)
	})
}

// Rule 14: a failed save stops the run with SaveError, under every durability.
func TestAFailedSaveEndsTheCallWithSaveErrorUnderEveryDurability(t *testing.T) {
	for name, durability := range durabilities {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := errors.New("disk full")
				store := &slowStore{Store: graph.NewMemoryStore(), fail: func(e graph.Entry) error {
					if e.Seq == 4 {
						return disk
					}
					return nil
				}}
				app := endless(t, func(context.Context, trail) (step, error) { time.Sleep(time.Second); return step{}, nil }, graph.MaxSteps(100))
				res, err := app.Thread("t", graph.WithStore(store), durability).Invoke(t.Context(), step{})
				var se *graph.SaveError
				require.ErrorAs(t, err, &se)
				require.ErrorIs(t, err, disk)
				stored := map[string]int{"sync": 3, "async": 3, "exit": 0}[name]
				assert.Len(t, logOf(t, store, "t"), stored, "a log without holes")
				if name != "exit" {
					assert.Less(t, res.Steps, 8)
					assert.Equal(t, int64(4), se.Seq)
				}
			})
		})
	}
}

// leased is a store whose claims run out.
type leased struct {
	graph.Store
	mu       sync.Mutex
	renewed  int
	released int
	lost     bool
}

func (l *leased) Lease() time.Duration { return 3 * time.Second }

func (l *leased) Renew(context.Context, string, int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed++
	if l.lost {
		return graph.ErrFenced
	}
	return nil
}

func (l *leased) Release(context.Context, string, int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released++
	return nil
}

// Rule 23: the claim is renewed by a timer and released at the end.
func TestARunRenewsItsLeaseAndReleasesItAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := withDone(t, func(context.Context, trail) (step, error) {
			time.Sleep(10*time.Second + time.Millisecond)
			return step{}, nil
		})
		store := &leased{Store: graph.NewMemoryStore()}
		_, err := app.Thread("t", graph.WithStore(graphtest.Faulty(store, func(graphtest.Op) graphtest.Verdict { return graphtest.Pass }))).Invoke(t.Context(), step{})
		require.NoError(t, err)
		assert.Equal(t, 10, store.renewed)
		assert.Equal(t, 1, store.released)
	})
}

// Rule 23: a run whose lease was lost ends at once, not only at its next commit.
func TestARunWhoseLeaseIsLostIsCancelledWithErrFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := withDone(t, func(ctx context.Context, _ trail) (step, error) { <-ctx.Done(); return step{}, ctx.Err() })
		store := &leased{Store: graph.NewMemoryStore(), lost: true}
		begin := time.Now()
		_, err := app.Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
		require.ErrorIs(t, err, graph.ErrFenced)
		assert.Equal(t, time.Second, time.Since(begin))
	})
}
