package postgres_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// What one thread has left behind, others use, once the server has cleaned up. Here the test does that between the threads.
func TestStorageIsLinearPageOverheadIncluded(t *testing.T) {
	const steps, size, threads = 400, 500, 20
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	beside := session(t, url, schema)
	total := func() (bytes int64) {
		err := beside.QueryRow(t.Context(), `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
			WHERE relkind = 'r' AND nspname = $1`, schema).Scan(&bytes)
		require.NoError(t, err)
		return bytes
	}
	empty := total()
	for i := range threads {
		_, err := grower(t, steps, size).Thread(fmt.Sprint(i), graph.WithStore(store)).Invoke(t.Context(), nil)
		require.NoError(t, err)
		if i == 0 {
			t.Logf("%.2f times the content, with the snapshots that were replaced", float64(total()-empty)/(steps*size))
		}
		_, err = beside.Exec(t.Context(), `VACUUM graph_threads, graph_entries, graph_snapshots, graph_pending`)
		require.NoError(t, err)
	}
	ratio := float64(total()-empty) / (steps * size * threads)
	t.Logf("%.2f times the content", ratio)
	require.Less(t, ratio, 2.5)
}
