package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/store/sqlite"
)

func openCheckpoints(t testing.TB, path string, opts sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestCheckpointsKeepTheContractOfGraphStore(t *testing.T) {
	graphtest.Store(t, func(t *testing.T) graph.Store {
		return openCheckpoints(t, filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{}).Checkpoints()
	})
}
