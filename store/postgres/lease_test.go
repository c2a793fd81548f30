package postgres_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// leased is a store whose leases end when the test says so.
type leased struct {
	*postgres.Checkpoints
	expire func() // all leases
}

func openLeased(t *testing.T) leased {
	t.Helper()
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema, Lease: time.Hour}).Checkpoints()
	beside := session(t, url, schema)
	return leased{store, func() {
		_, err := beside.Exec(t.Context(), `UPDATE graph_threads SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`)
		require.NoError(t, err)
	}}
}

func (l leased) take(t *testing.T, limit int) []string {
	t.Helper()
	threads, err := l.TakeAbandoned(t.Context(), limit)
	require.NoError(t, err)
	slices.Sort(threads)
	return threads
}

func TestAThreadIsAbandonedWhenItsLeaseHasRunOutAndNotBefore(t *testing.T) {
	s := openLeased(t)
	commitOne(t, s, "t")
	require.Empty(t, s.take(t, 10))
	s.expire()
	require.Equal(t, []string{"t"}, s.take(t, 10))
	require.Empty(t, s.take(t, 10), "it is reserved")
	s.expire()
	require.Equal(t, []string{"t"}, s.take(t, 10), "who took it has died, too")
}

func TestALeaseRunsOutByItself(t *testing.T) {
	store := open(t, postgres.Options{Lease: 50 * time.Millisecond}).Checkpoints()
	require.Equal(t, 50*time.Millisecond, store.Lease())
	commitOne(t, store, "t")
	require.Eventually(t, func() bool {
		threads, err := store.TakeAbandoned(t.Context(), 1)
		require.NoError(t, err)
		return len(threads) == 1
	}, time.Minute, 10*time.Millisecond)
}

func TestARenewalKeepsOthersOff(t *testing.T) {
	s := openLeased(t)
	fence := commitOne(t, s, "t")
	s.expire()
	require.NoError(t, s.Renew(t.Context(), "t", fence))
	require.Empty(t, s.take(t, 10))
	later, err := s.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.ErrorIs(t, s.Renew(t.Context(), "t", fence), graph.ErrFenced)
	require.ErrorIs(t, s.Renew(t.Context(), "nobody", later), graph.ErrFenced)
}

func TestAClaimBeginsALeaseAnew(t *testing.T) {
	s := openLeased(t)
	commitOne(t, s, "t")
	s.expire()
	fence, err := s.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.Empty(t, s.take(t, 10), "after one that has run out")
	require.NoError(t, s.Release(t.Context(), "t", fence))
	_, err = s.Claim(t.Context(), "t")
	require.NoError(t, err)
	s.expire()
	require.Equal(t, []string{"t"}, s.take(t, 10), "after a release")
}

func TestAReleasedThreadIsNotAbandonedAndItsFenceStillWrites(t *testing.T) {
	s := openLeased(t)
	fence := commitOne(t, s, "t")
	require.NoError(t, s.Release(t.Context(), "t", fence))
	s.expire()
	require.Empty(t, s.take(t, 10))
	require.NoError(t, s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 2, Data: []byte("b")}}))
}

func TestAReleaseAfterALaterClaimDoesNothing(t *testing.T) {
	s := openLeased(t)
	fence := commitOne(t, s, "t")
	_, err := s.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.NoError(t, s.Release(t.Context(), "t", fence))
	s.expire()
	require.Equal(t, []string{"t"}, s.take(t, 10), "the later claim stands")
}

func TestAClaimThatHasRunOutWritesUntilTheNextOne(t *testing.T) {
	s := openLeased(t)
	fence := commitOne(t, s, "t")
	s.expire()
	require.Equal(t, []string{"t"}, s.take(t, 1))
	require.NoError(t, s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 2, Data: []byte("b")}}))
	_, err := s.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.ErrorIs(t, s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 3, Data: []byte("c")}}), graph.ErrFenced)
}

func TestOnlyThreadsWithEntriesThatAreNobodysChildAreAbandoned(t *testing.T) {
	s := openLeased(t)
	commitOne(t, s, "t")
	commitOne(t, s, "t"+graph.ChildMark+"child")
	_, err := s.Claim(t.Context(), "claimed only")
	require.NoError(t, err)
	s.expire()
	require.Equal(t, []string{"t"}, s.take(t, 10))
	_, err = s.TakeAbandoned(t.Context(), 0)
	require.Error(t, err)
}

func TestADismissedThreadIsNotTakenAgainUnlessItWasClaimedSince(t *testing.T) {
	s := openLeased(t)
	commitOne(t, s, "ended")
	commitOne(t, s, "resumed")
	fence := commitOne(t, s, "still alive")
	s.expire()
	require.Len(t, s.take(t, 10), 3)
	_, err := s.Claim(t.Context(), "resumed")
	require.NoError(t, err)
	require.NoError(t, s.Renew(t.Context(), "still alive", fence))
	for _, id := range []string{"ended", "resumed", "still alive", "nobody"} {
		require.NoError(t, s.Dismiss(t.Context(), id))
	}
	s.expire()
	require.Equal(t, []string{"resumed", "still alive"}, s.take(t, 10))
}

// The first worker took too long, and the second one has the thread.
func TestALateDismissalDoesNotEndTheReservationOfAnotherWorker(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	slow := openAt(t, url, postgres.Options{Schema: schema, Lease: time.Hour}).Checkpoints()
	other := openAt(t, url, postgres.Options{Schema: schema, Lease: time.Hour}).Checkpoints()
	beside := session(t, url, schema)
	expire := func() {
		_, err := beside.Exec(t.Context(), `UPDATE graph_threads SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`)
		require.NoError(t, err)
	}
	commitOne(t, slow, "t")
	for _, worker := range []*postgres.Checkpoints{slow, other} {
		expire()
		require.Equal(t, []string{"t"}, leased{worker, expire}.take(t, 1))
	}
	require.NoError(t, slow.Dismiss(t.Context(), "t"))
	expire() // the second worker dies
	require.Equal(t, []string{"t"}, leased{slow, expire}.take(t, 1), "nobody has finished it")
	require.NoError(t, other.Dismiss(t.Context(), "t"))
	require.NoError(t, slow.Dismiss(t.Context(), "t"))
	expire()
	require.Empty(t, leased{slow, expire}.take(t, 1))
}

func TestWorkersThatTakeAtOnceGetEachThreadOnce(t *testing.T) {
	s := openLeased(t)
	const threads, workers = 200, 8
	var want []string
	for i := range threads {
		id := fmt.Sprintf("%03d", i)
		want = append(want, id)
		commitOne(t, s, id)
	}
	s.expire()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		taken []string
	)
	for range workers {
		wg.Go(func() {
			for empty := 0; empty < 3; { // others may hold what is left at this moment
				got, err := s.TakeAbandoned(t.Context(), 3)
				if !assert.NoError(t, err) {
					return
				}
				if len(got) == 0 {
					empty++
				}
				mu.Lock()
				taken = append(taken, got...)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(taken)
	require.Equal(t, want, taken)
}

func TestOfSixteenClaimersAtOnceTheGreatestFenceWrites(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		fences []int64
	)
	for range 16 {
		wg.Go(func() {
			for range 20 {
				fence, err := store.Claim(t.Context(), "t")
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				fences = append(fences, fence)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(fences)
	require.Len(t, slices.Compact(slices.Clone(fences)), 16*20, "no fence is given twice")
	for i, fence := range fences {
		err := store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 1, Data: []byte("a")}})
		if i < len(fences)-1 {
			require.ErrorIs(t, err, graph.ErrFenced)
		} else {
			require.NoError(t, err)
		}
	}
}
