package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/store/sqlite"
)

// indexWithFTS5 is a file as the third version of the index's schema left it: one file, whose passages' terms are in FTS5.
const indexWithFTS5 = `
CREATE TABLE schema_parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO schema_parts VALUES ('index', 3);
CREATE TABLE index_state (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL, stamp TEXT NOT NULL DEFAULT '');
INSERT INTO index_state VALUES (1, 5, 'x');
CREATE TABLE index_roots (root TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE index_files (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	root TEXT NOT NULL, path TEXT NOT NULL, title TEXT NOT NULL,
	size INTEGER NOT NULL, lines INTEGER NOT NULL, passages INTEGER NOT NULL,
	hash BLOB NOT NULL, recipe TEXT NOT NULL, named INTEGER NOT NULL,
	tail TEXT NOT NULL,
	UNIQUE (root, path));
CREATE TABLE index_passages (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	file INTEGER NOT NULL REFERENCES index_files (id) ON DELETE CASCADE,
	passage_id TEXT NOT NULL, section TEXT NOT NULL, language TEXT NOT NULL,
	start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
	start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
	digest BLOB NOT NULL, gap TEXT NOT NULL, content TEXT NOT NULL);
CREATE INDEX index_passages_file ON index_passages (file, start_byte);
CREATE INDEX index_passages_digest ON index_passages (digest);
CREATE VIRTUAL TABLE index_terms USING fts5 (title, section, body,
	content='', contentless_delete=1, tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_{|}~` + "`" + `'");
CREATE TABLE index_vectors (model TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, digest)) WITHOUT ROWID;
CREATE TABLE index_notes (root TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
INSERT INTO index_files VALUES (1, '/r', 'a.md', 'T', 600, 1, 200, zeroblob(32), 'old', 0, '');`

// oldIndex makes a file with 200 passages and returns FTS5's scores for beta, go.mod and 数据. Then it runs more.
func oldIndex(t *testing.T, path string, more ...string) map[string]float64 {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
	exec(indexWithFTS5)
	for i := range 200 {
		body := []string{"alpha", "beta alpha alpha", "gamma go.mod", "数据 据库 beta", "delta"}[i%5] + fmt.Sprintf(" w%d w%d", i%7, i%11)
		exec(`INSERT INTO index_passages VALUES (?, 1, ?, 's', 'en', 1, 1, ?, ?, zeroblob(32), '', 'abc')`, i+1, fmt.Sprint(i+1), 3*i, 3*i+3)
		exec(`INSERT INTO index_terms (rowid, title, section, body) VALUES (?, 't alpha', ?, ?)`, i+1, []string{"", "one", "one two"}[i%3], body)
	}
	rows, err := db.QueryContext(t.Context(), `SELECT rowid, -bm25(index_terms) FROM index_terms WHERE index_terms MATCH '"beta" OR "go.mod" OR "数据"'`)
	require.NoError(t, err)
	defer rows.Close()
	scores := map[string]float64{}
	for rows.Next() {
		var id string
		var score float64
		require.NoError(t, rows.Scan(&id, &score))
		scores[id] = score
	}
	require.NoError(t, rows.Err())
	for _, statement := range more {
		exec(statement)
	}
	return scores
}

func TestAnIndexOfEarlierVersionsIsFoundWithTheSameScores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	want := oldIndex(t, path)
	require.NotEmpty(t, want)
	var told []string
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Notice: func(what string) { told = append(told, what) }})
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	assert.Equal(t, []string{"the search index of 200 passages is converted to the format of this version"}, told)
	x := db.Index()
	matches, err := x.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"beta", "go.mod", "数据"}, K: 1000})
	require.NoError(t, err)
	got := map[string]float64{}
	for _, m := range matches {
		got[m.Passage.ID] = m.Score
	}
	require.Len(t, got, len(want))
	for id, score := range want {
		assert.InDelta(t, score, got[id], 1e-9, "passage %s", id)
	}
	var left int
	require.NoError(t, rawQuery(t, path, `SELECT count(*) FROM sqlite_master WHERE name LIKE 'index_terms%'`).Scan(&left))
	assert.Zero(t, left, "nothing is kept twice")
}

func TestWhatWasDeletedInAnIndexOfEarlierVersionsStaysDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	oldIndex(t, path, `DELETE FROM index_terms WHERE rowid % 10 = 0`, `DELETE FROM index_passages WHERE id % 10 = 0`)
	x := openIndexFile(t, path).Index()
	freq, passages, err := x.DocFreq(t.Context(), []string{"alpha", "two"})
	require.NoError(t, err)
	assert.Equal(t, 180, passages)
	assert.Equal(t, map[string]int{"alpha": 180, "two": 60}, freq)
	require.NoError(t, x.Apply(t.Context(), index.Change{Remove: []index.FileKey{{Root: "/r", Path: "a.md"}}}))
	matches, err := x.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"beta"}, K: 10})
	require.NoError(t, err)
	assert.Empty(t, matches, "its passages can be deleted")
}

func TestAnEmptyIndexOfEarlierVersionsOpens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), indexWithFTS5)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	matches, err := openIndexFile(t, path).Index().Keyword(t.Context(), index.KeywordQuery{Terms: []string{"alpha"}, K: 10})
	require.NoError(t, err)
	assert.Empty(t, matches)
}
