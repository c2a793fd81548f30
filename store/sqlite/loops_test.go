package sqlite_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// As when many callers list threads at once and look into each: whatever the size of a pool, loops that hold its connections
// and wait for one more would wait for ever.
func TestLoopsMayReadInTheirBodiesHoweverManyThereAre(t *testing.T) {
	db := openCheckpoints(t, filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{})
	store := db.Checkpoints()
	fence, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.NoError(t, store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 1, Data: []byte("x")}}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	reached := false
	var descend func(loops int)
	descend = func(loops int) {
		if loops == 0 {
			rec, err := store.Load(ctx, "t")
			require.NoError(t, err)
			require.EqualValues(t, 1, rec.Seq())
			_, err = db.Index().Files(ctx)
			require.NoError(t, err)
			reached = true
			return
		}
		for info, err := range store.Threads(ctx) {
			require.NoError(t, err)
			for _, err := range store.Log(ctx, info.Thread, 0) {
				require.NoError(t, err)
				descend(loops - 1)
			}
		}
	}
	descend(4 + 2*runtime.NumCPU())
	require.True(t, reached)
}
