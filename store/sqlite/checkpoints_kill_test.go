package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/store/sqlite"
)

// Rule 25, with a process that really dies.
func TestAfterSIGKILLAtAnyBoundaryAResumeEndsInTheStateOfAnUndisturbedRun(t *testing.T) {
	graphtest.Kill(t, openIn)
}

// Rules 22, 25, 27: also in the middle of a snapshot or of pruning.
func TestAfterSIGKILLInsideOfAnyWriteEverythingConfirmedIsThere(t *testing.T) {
	graphtest.KillInside(t, openIn)
}

// openIn opens the database of a folder, and checks the whole of it first.
func openIn(t *testing.T, dir string) graph.Store {
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "kb.db"), sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Check(t.Context()))
	return db.Checkpoints()
}
