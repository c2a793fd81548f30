package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/reviewtest"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestReviewsKeepTheContractOfTheirStore(t *testing.T) {
	reviewtest.Store(t, func(t *testing.T) review.Store { return open(t, postgres.Options{}).Reviews() })
}

func TestAQueueOfSeveralPagesIsListedWhole(t *testing.T) {
	store := open(t, postgres.Options{}).Reviews()
	const n = 401 // of pages of 200
	var want []string
	for i := range n {
		e := reviewtest.Entry(fmt.Sprintf("id-%03d", i))
		want = append(want, e.ID)
		_, _, err := store.Submit(t.Context(), e, nil)
		require.NoError(t, err)
	}
	for limit, n := range map[int]int{0: n, 1: 1, 200: 200, 201: 201, 1000: n} {
		var got []string
		for e, err := range store.List(t.Context(), review.Filter{Limit: limit}) {
			require.NoError(t, err)
			got = append(got, e.ID)
		}
		assert.Equal(t, want[:n], got, "limit %d", limit)
	}
}

func TestADamagedReviewIsNamedAndDoesNotHideOthers(t *testing.T) {
	for what, damage := range map[string]string{
		"rubbish":        `UPDATE review_entries SET data = 'rubbish' WHERE id = 'b'`,
		"another status": `UPDATE review_entries SET status = 'approved' WHERE id = 'b'`,
		"another entry":  `UPDATE review_entries SET data = (SELECT data FROM review_entries WHERE id = 'a') WHERE id = 'b'`,
	} {
		t.Run(what, func(t *testing.T) {
			url, schema := pgtest.Start(t), newSchema()
			store := openAt(t, url, postgres.Options{Schema: schema}).Reviews()
			for _, id := range []string{"a", "b", "c"} {
				_, _, err := store.Submit(t.Context(), reviewtest.Entry(id), nil)
				require.NoError(t, err)
			}
			_, err := session(t, url, schema).Exec(t.Context(), damage)
			require.NoError(t, err)
			var seen []string
			for e, err := range store.List(t.Context(), review.Filter{}) {
				seen = append(seen, e.ID)
				if e.ID != "b" {
					require.NoError(t, err)
					continue
				}
				var row *review.RowError
				require.ErrorAs(t, err, &row)
				assert.Equal(t, "b", row.ID)
				require.ErrorIs(t, err, review.ErrDamaged)
			}
			assert.Equal(t, []string{"a", "b", "c"}, seen)
			if what == "another status" {
				return // which only lists look at
			}
			_, err = store.Get(t.Context(), "b")
			require.ErrorIs(t, err, review.ErrDamaged)
			_, _, err = store.Submit(t.Context(), reviewtest.Entry("b"), nil)
			require.ErrorIs(t, err, review.ErrDamaged, "the run has an entry, and it cannot be read")
		})
	}
}

func TestNothingIsStoredWithoutItsNotice(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema}).Reviews()
	_, err := session(t, url, schema).Exec(t.Context(), `ALTER TABLE review_notices ADD CHECK (channel <> 'webhook')`)
	require.NoError(t, err)
	_, _, err = store.Submit(t.Context(), reviewtest.Entry("a"), []string{"smtp", "webhook"})
	require.Error(t, err)
	_, err = store.Get(t.Context(), "a")
	require.ErrorIs(t, err, review.ErrNotFound)
	require.Empty(t, must(store.Notices(t.Context(), "")))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAReviewSurvivesTheServersDeath(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{Durable: true})
	store := openAt(t, cluster.URL(), postgres.Options{}).Reviews()
	_, created, err := store.Submit(t.Context(), reviewtest.Entry("a"), []string{"webhook"})
	require.NoError(t, err)
	require.True(t, created)
	cluster.Kill(t)
	_, err = store.Get(t.Context(), "a")
	require.Error(t, err)
	cluster.Restart(t)
	again := openAt(t, cluster.URL(), postgres.Options{}).Reviews()
	stored, created, err := again.Submit(t.Context(), reviewtest.Entry("a"), []string{"webhook"})
	require.NoError(t, err)
	assert.False(t, created, "a submit whose reply was lost can be repeated")
	assert.Equal(t, reviewtest.Entry("a"), stored)
	notices, err := again.Notices(t.Context(), "a")
	require.NoError(t, err)
	assert.Len(t, notices, 1)
}

func TestOfTwoPoolsOneGetsTheReview(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	pools := []*postgres.Reviews{openAt(t, url, postgres.Options{Schema: schema}).Reviews(), openAt(t, url, postgres.Options{Schema: schema}).Reviews()}
	for i := range 20 {
		e := reviewtest.Entry(fmt.Sprintf("id-%d", i))
		var wg sync.WaitGroup
		var created, won [2]bool
		for p, store := range pools {
			wg.Go(func() {
				stored, first, err := store.Submit(t.Context(), e, nil)
				if !assert.NoError(t, err) {
					return
				}
				created[p] = first
				_, err = store.Change(t.Context(), stored.ID, func(e *review.Entry) error { return e.Claim(fmt.Sprint("reviewer ", p), e.CreatedAt) })
				if won[p] = err == nil; err != nil {
					assert.ErrorIs(t, err, review.ErrClaimed)
				}
			})
		}
		wg.Wait()
		assert.NotEqual(t, created[0], created[1], "one of them has created the entry")
		assert.NotEqual(t, won[0], won[1], "one of them has claimed it")
	}
}
