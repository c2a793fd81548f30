package postgres_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestWhatWasCommittedIsThereAfterTheServerWasKilledAndTheStoreGoesOn(t *testing.T) {
	server := pgtest.New(t, pgtest.Options{Durable: true})
	store := openAt(t, server.URL(), postgres.Options{}).Checkpoints()
	const writers = 8
	var (
		wg        sync.WaitGroup
		confirmed [writers]int64
		failed    [writers]error
		underway  sync.WaitGroup // until each writer has some commits
	)
	underway.Add(writers)
	for w := range writers {
		fence, err := store.Claim(t.Context(), fmt.Sprint(w))
		require.NoError(t, err)
		wg.Go(func() {
			for seq := int64(1); failed[w] == nil; seq++ {
				failed[w] = store.Commit(t.Context(), fmt.Sprint(w), fence, []graph.Entry{{Seq: seq, Data: fmt.Appendf(nil, "%d of %d", seq, w)}})
				if failed[w] == nil {
					confirmed[w] = seq
				}
				if seq == 20 {
					underway.Done()
				}
			}
		})
	}
	underway.Wait()
	server.Kill(t)
	wg.Wait()
	server.Restart(t)
	reconnect(t, store)
	for w := range writers {
		_, fromServer := errors.AsType[*pgconn.PgError](failed[w])
		assert.True(t, fromServer || errors.Is(failed[w], postgres.ErrReplyLost) || errors.Is(failed[w], postgres.ErrUnreachable), "%v", failed[w])
		rec, err := store.Load(t.Context(), fmt.Sprint(w))
		require.NoError(t, err)
		require.GreaterOrEqual(t, rec.Seq(), confirmed[w], "a confirmed commit is lost")
		require.LessOrEqual(t, rec.Seq(), confirmed[w]+1)
		for i, e := range rec.Log {
			require.Equal(t, fmt.Sprintf("%d of %d", i+1, w), string(e.Data))
		}
	}
	commitOne(t, store, "after the crash")
}

// reconnect uses up the connections that the crash has broken.
func reconnect(t *testing.T, store *postgres.Checkpoints) {
	t.Helper()
	var err error
	for range 17 {
		if _, err = store.Load(t.Context(), "t"); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func TestAServerThatDiesUnderARunFailsItAndAResumeFinishesIt(t *testing.T) {
	server := pgtest.New(t, pgtest.Options{})
	store := openAt(t, server.URL(), postgres.Options{}).Checkpoints()
	want, err := steps(t, func(int) {}).Invoke(t.Context(), nil)
	require.NoError(t, err)
	_, err = steps(t, func(n int) {
		if n == 3 {
			server.Kill(t)
		}
	}).Thread("t", graph.WithStore(store)).Invoke(t.Context(), nil)
	_, ok := errors.AsType[*graph.SaveError](err)
	require.True(t, ok, "%v", err)
	server.Restart(t)
	reconnect(t, store)
	var ran []int
	res, err := steps(t, func(n int) { ran = append(ran, n) }).Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err)
	require.Equal(t, want.State, res.State)
	require.Equal(t, []int{3, 4, 5}, ran)
}
