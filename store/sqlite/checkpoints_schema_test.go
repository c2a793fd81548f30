package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// firstSchema is a file as the first version of the schema wrote it: "a" has three entries, a snapshot and a pending write,
// "b" one entry, "c" was claimed only.
const firstSchema = `
CREATE TABLE schema_parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO schema_parts VALUES ('checkpoints', 1);
CREATE TABLE graph_threads (no INTEGER PRIMARY KEY AUTOINCREMENT, thread TEXT NOT NULL UNIQUE, fence INTEGER NOT NULL);
CREATE TABLE graph_fence (last INTEGER NOT NULL);
CREATE TABLE graph_entries (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE graph_snapshots (no INTEGER PRIMARY KEY, seq INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE graph_pending (no INTEGER NOT NULL, task TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (no, task));
INSERT INTO graph_fence VALUES (7);
INSERT INTO graph_threads VALUES (1, 'a', 5), (2, 'b', 6), (3, 'c', 7);
INSERT INTO graph_entries VALUES (1<<32 | 1, x'61'), (1<<32 | 2, x'62'), (1<<32 | 3, x'63'), (2<<32 | 1, x'64');
INSERT INTO graph_snapshots VALUES (1, 2, x'4142');
INSERT INTO graph_pending VALUES (1, 'x', 4, x'65');`

func TestThreadsOfTheFirstSchemaGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	old, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	_, err = old.Exec(firstSchema)
	require.NoError(t, err)
	require.NoError(t, old.Close())

	store := openCheckpoints(t, path, sqlite.Options{}).Checkpoints()
	rec, err := store.Load(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, graph.Record{
		SnapshotSeq: 2, Snapshot: []byte("AB"), Log: []graph.Entry{{Seq: 3, Data: []byte("c")}},
		Pending: []graph.PendingWrite{{Seq: 4, Key: "x", Data: []byte("e")}},
	}, rec)
	require.Equal(t, "abc", logOf(t, store, "a"))
	require.NoError(t, store.Commit(t.Context(), "a", 5, []graph.Entry{{Seq: 4, Data: []byte("f"), Settles: true}}), "claims stay")
	require.NoError(t, store.Commit(t.Context(), "b", 6, []graph.Entry{{Seq: 2, Data: []byte("g")}}))
	require.NoError(t, store.Commit(t.Context(), "c", 7, []graph.Entry{{Seq: 1, Data: []byte("h")}}))
	require.Equal(t, []string{"abcf", "dg", "h"}, []string{logOf(t, store, "a"), logOf(t, store, "b"), logOf(t, store, "c")})
	fence, err := store.Claim(t.Context(), "d")
	require.NoError(t, err)
	require.EqualValues(t, 8, fence)
}

// logOf is the data of a log, one after the other.
func logOf(t testing.TB, store graph.Store, thread string) string {
	t.Helper()
	all := ""
	for e, err := range store.Log(t.Context(), thread, 0) {
		require.NoError(t, err)
		all += string(e.Data)
	}
	return all
}

// rawQuery looks into a file past the package.
func rawQuery(t *testing.T, path, query string) *sql.Row {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db.QueryRowContext(t.Context(), query)
}

func TestALogWithAMissingEntryIsReportedAsDamagedAndCanBeDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	store := openCheckpoints(t, path, sqlite.Options{}).Checkpoints()
	fence, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.NoError(t, store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: 1}, {Seq: 2}, {Seq: 3}}))
	var seq int
	require.NoError(t, rawQuery(t, path, `DELETE FROM graph_log WHERE seq = 2 RETURNING seq`).Scan(&seq))
	_, err = store.Load(t.Context(), "t")
	require.ErrorIs(t, err, sqlite.ErrDamaged)
	require.NoError(t, store.Delete(t.Context(), "t"), "it can be deleted")
	require.Zero(t, rowsOf(t, path, "graph_log"))
}

func rowsOf(t *testing.T, path, table string) (n int) {
	t.Helper()
	require.NoError(t, rawQuery(t, path, `SELECT count(*) FROM `+table).Scan(&n))
	return n
}
