package postgres

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestRenewalsAndReleasesDoNotTakeDurabilityFromWhatFollows(t *testing.T) {
	db, err := Open(t.Context(), pgtest.Start(t), Options{Schema: "one connection", MaxConns: 1})
	require.NoError(t, err)
	defer db.Close()
	store := db.Checkpoints()
	fence, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
	for _, call := range []func(context.Context, string, int64) error{store.Renew, store.Release, store.Release} {
		require.NoError(t, call(t.Context(), "t", fence))
		var setting string
		require.NoError(t, db.pool.QueryRow(t.Context(), `SHOW synchronous_commit`).Scan(&setting))
		require.Equal(t, "on", setting)
	}
}

// After a crash of the server without it, claims got the fences of earlier ones: 35 after 801.
func TestAClaimWaitsForTheDiskWhereNothingElseDoes(t *testing.T) {
	db, err := Open(t.Context(), pgtest.Start(t)+"&synchronous_commit=off", Options{Schema: "no waiting", MaxConns: 1})
	require.NoError(t, err)
	defer db.Close()
	const claims = 20
	flushed := 0
	for range claims {
		_, err := db.Checkpoints().Claim(t.Context(), "t")
		require.NoError(t, err)
		var all bool
		var setting string
		require.NoError(t, db.pool.QueryRow(t.Context(), `SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn(),
			current_setting('synchronous_commit')`).Scan(&all, &setting))
		require.Equal(t, "off", setting, "for the writes of the run")
		if all { // unless the server itself has written something meanwhile
			flushed++
		}
	}
	require.Greater(t, flushed, claims/2)
}
