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
