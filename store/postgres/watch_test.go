package postgres_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// watch begins to watch, and returns what gives the next change.
func watch(t *testing.T, ctx context.Context, store *postgres.Checkpoints) func() (postgres.Change, error) {
	t.Helper()
	next, stop := iter.Pull2(store.Watch(ctx))
	t.Cleanup(stop)
	pull := func() (postgres.Change, error) {
		c, err, ok := next()
		if !ok {
			return c, errors.New("the sequence has ended")
		}
		return c, err
	}
	first, err := pull()
	require.NoError(t, err)
	require.Equal(t, postgres.Change{Kind: postgres.Watching}, first)
	return pull
}

func TestAWatcherSeesWhatOtherProcessesDoToThreads(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	here := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	there := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	elsewhere := open(t, postgres.Options{}).Checkpoints()
	next := watch(t, t.Context(), here)
	odd := "any\x00bytes\xff'"
	commitOne(t, elsewhere, "another schema")
	fence := commitOne(t, there, odd)
	commitOne(t, there, odd+graph.ChildMark+"child")
	require.NoError(t, there.Release(t.Context(), odd, fence-1))
	require.NoError(t, there.Release(t.Context(), odd, fence))
	require.NoError(t, there.Release(t.Context(), odd, fence))
	require.NoError(t, there.Delete(t.Context(), odd))
	require.NoError(t, there.Delete(t.Context(), "nobody"))
	_, err := there.Claim(t.Context(), "last")
	require.NoError(t, err)
	for _, want := range []postgres.Change{
		{Kind: postgres.Claimed, Thread: odd}, {Kind: postgres.Released, Thread: odd}, {Kind: postgres.Deleted, Thread: odd}, {Kind: postgres.Claimed, Thread: "last"},
	} {
		got, err := next()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestAWatchEndsWithTheCauseOfItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	next := watch(t, ctx, open(t, postgres.Options{}).Checkpoints())
	enough := errors.New("enough")
	cancel(enough)
	_, err := next()
	require.ErrorIs(t, err, enough)
	_, err = next()
	require.ErrorContains(t, err, "the sequence has ended")
}

func TestAWatchWhoseConnectionIsLostEndsWithAnErrorAndCanBeginAgain(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	next := watch(t, t.Context(), store)
	var ended int
	err := session(t, url, schema).QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query = $1`,
		`LISTEN "`+schema+`"`).Scan(&ended)
	require.NoError(t, err)
	require.Equal(t, 1, ended)
	_, err = next()
	require.ErrorContains(t, err, "the connection that watches is lost")
	again := watch(t, t.Context(), store)
	commitOne(t, store, "t")
	change, err := again()
	require.NoError(t, err)
	require.Equal(t, postgres.Change{Kind: postgres.Claimed, Thread: "t"}, change)
}

func TestWhatSomebodyElseNotifiesIsAnError(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	next := watch(t, t.Context(), openAt(t, url, postgres.Options{Schema: schema}).Checkpoints())
	_, err := session(t, url, schema).Exec(t.Context(), `SELECT pg_notify($1, 'claimed')`, schema)
	require.NoError(t, err)
	_, err = next()
	require.ErrorContains(t, err, "somebody else")
}
