package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/reviewtest"
	"github.com/kbagent/kbagent/store/sqlite"
)

func TestReviewsKeepTheContractOfTheirStore(t *testing.T) {
	reviewtest.Store(t, func(t *testing.T) review.Store {
		return openIndexFile(t, filepath.Join(t.TempDir(), "kb.db")).Reviews()
	})
}

// rawFile runs SQL on a file beside a store, for what a store never does.
func rawFile(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), query)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestADamagedReviewIsNamedAndDoesNotHideOthers(t *testing.T) {
	for what, damage := range map[string]string{
		"rubbish":        `UPDATE review_entries SET data = 'rubbish' WHERE id = 'b'`,
		"another status": `UPDATE review_entries SET status = 'approved' WHERE id = 'b'`,
		"another entry":  `UPDATE review_entries SET data = (SELECT data FROM review_entries WHERE id = 'a') WHERE id = 'b'`,
		"binary data":    `UPDATE review_entries SET data = x'ff00' WHERE id = 'b'`,
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kb.db")
			store := openIndexFile(t, path).Reviews()
			for _, id := range []string{"a", "b", "c"} {
				_, _, err := store.Submit(t.Context(), reviewtest.Entry(id), nil)
				require.NoError(t, err)
			}
			rawFile(t, path, damage)
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
			_, err := store.Get(t.Context(), "b")
			require.ErrorIs(t, err, review.ErrDamaged)
			_, err = store.Change(t.Context(), "b", func(*review.Entry) error { return nil })
			require.ErrorIs(t, err, review.ErrDamaged)
			_, _, err = store.Submit(t.Context(), reviewtest.Entry("b"), nil)
			require.ErrorIs(t, err, review.ErrDamaged, "the run has an entry, and it cannot be read")
		})
	}
}

func TestOfTwoProgramsOneGetsTheReview(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	programs := []*sqlite.Reviews{openIndexFile(t, path).Reviews(), openIndexFile(t, path).Reviews()}
	for i := range 20 {
		id := fmt.Sprintf("id-%d", i)
		var wg sync.WaitGroup
		var created, won [2]bool
		for p, store := range programs {
			wg.Go(func() {
				e := reviewtest.Entry(id)
				e.ID = fmt.Sprintf("%s-%d", id, p)
				stored, first, err := store.Submit(t.Context(), e, []string{"webhook"})
				if !assert.NoError(t, err) {
					return
				}
				created[p] = first
				_, err = store.Change(t.Context(), stored.ID, func(e *review.Entry) error { return e.Claim(fmt.Sprint("reviewer ", p), e.CreatedAt) })
				won[p] = err == nil
				if err != nil {
					assert.ErrorIs(t, err, review.ErrClaimed)
				}
			})
		}
		wg.Wait()
		assert.NotEqual(t, created[0], created[1], "one of them has created the entry")
		assert.NotEqual(t, won[0], won[1], "one of them has claimed it")
	}
}

func TestAFileFromBeforeReviewsIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	rawFile(t, path, `DROP TABLE review_notices; DROP TABLE review_entries; DELETE FROM schema_parts WHERE name = 'review'`)
	store := openIndexFile(t, path).Reviews()
	_, created, err := store.Submit(t.Context(), reviewtest.Entry("a"), []string{"webhook"})
	require.NoError(t, err)
	assert.True(t, created)
}

func TestNothingIsStoredWithoutItsNotice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	store := openIndexFile(t, path).Reviews()
	rawFile(t, path, `CREATE TRIGGER broken BEFORE INSERT ON review_notices BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	_, _, err := store.Submit(t.Context(), reviewtest.Entry("a"), []string{"webhook"})
	require.ErrorContains(t, err, "no room")
	_, err = store.Get(t.Context(), "a")
	require.ErrorIs(t, err, review.ErrNotFound)
}

func TestTakingNothingWaitsForNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	store := openIndexFile(t, path).Reviews()
	writing := lock(t, path)
	_, ok, err := store.Take(t.Context(), "webhook", time.Now(), time.Now()) // would wait ten seconds for the lock, and fail
	require.NoError(t, err)
	assert.False(t, ok)
	writing()
}

// errStop is what the change panics with.
var errStop = errors.New("stop")

func TestAChangeThatPanicsLetsGoOfTheFile(t *testing.T) {
	store := openIndexFile(t, filepath.Join(t.TempDir(), "kb.db")).Reviews()
	_, _, err := store.Submit(t.Context(), reviewtest.Entry("a"), nil)
	require.NoError(t, err)
	assert.PanicsWithValue(t, errStop, func() {
		store.Change(t.Context(), "a", func(*review.Entry) error { panic(errStop) })
	})
	_, err = store.Change(t.Context(), "a", func(*review.Entry) error { return nil })
	require.NoError(t, err)
}
