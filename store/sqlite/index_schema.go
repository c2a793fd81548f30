package sqlite

import (
	"context"
	"database/sql"
)

// indexSchema is the index's share of the file.
//
// A file's text is kept once, cut up: each passage's content with the bytes before it since the passage before (gap),
// and what follows the last one (tail). Keys are never used again (AUTOINCREMENT), so that a matrix of vectors in memory can
// never name a wrong passage, and a later passage always has the higher key.
//
// The terms are in segments of package inverted. A row of index_segments says which keys a segment spans, how many documents
// it was made of, how many live, how many terms these have, and which ones are dead (a bitmap). Its blobs are in index_blobs
// under id<<24 plus their number.
//
// Up to step 3 the terms were in index_terms, a table of FTS5; step 4 moves them.
var indexSchema = part{name: "index", migrations: []string{`
CREATE TABLE index_state (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL);
INSERT INTO index_state VALUES (1, 0);
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
`, `
CREATE TABLE index_notes (root TEXT NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
`, `
ALTER TABLE index_state ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
UPDATE index_state SET stamp = lower(hex(randomblob(16)));
`, `
CREATE TABLE index_segments (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	first INTEGER NOT NULL, last INTEGER NOT NULL,
	docs INTEGER NOT NULL, living INTEGER NOT NULL, tokens INTEGER NOT NULL,
	dead BLOB);
CREATE TABLE index_blobs (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`}, after: map[int]func(context.Context, *sql.Tx, func(string)) error{4: convertTerms}}
