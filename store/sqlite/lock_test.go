package sqlite_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// lock holds the write lock of a file until the function that it returns is called.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	require.NoError(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	return func() {
		require.NoError(t, tx.Rollback())
		require.NoError(t, db.Close())
	}
}
