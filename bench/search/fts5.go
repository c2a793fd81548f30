package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver; kbagent's store brings it too

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/internal/eval"
)

// fts5 is a table of SQLite's FTS5 with the settings that kbagent's store has otherwise: WAL, synchronous FULL, 4 MB a commit.
type fts5 struct{ db *sql.DB }

const commitBytes = 4 << 20

func (f *fts5) prepare(string, []eval.Passage) error { return nil }

func (f *fts5) open(_ context.Context, dir string) (err error) {
	f.db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "fts5.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	return err
}

func (f *fts5) index(ctx context.Context, dir string, passages []eval.Passage) error {
	if err := f.open(ctx, dir); err != nil {
		return err
	}
	if _, err := f.db.ExecContext(ctx, `CREATE VIRTUAL TABLE p USING fts5 (id UNINDEXED, title, heading, body, tokenize='porter unicode61')`); err != nil {
		return err
	}
	for len(passages) > 0 {
		n, bytes := 0, 0
		for ; n < len(passages) && bytes < commitBytes; n++ {
			bytes += len(passages[n].Text)
		}
		if err := f.insert(ctx, passages[:n]); err != nil {
			return err
		}
		passages = passages[n:]
	}
	return f.close()
}

func (f *fts5) insert(ctx context.Context, passages []eval.Passage) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // a no-op after Commit
	stmt, err := tx.PrepareContext(ctx, `INSERT INTO p VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, p := range passages {
		if _, err := stmt.ExecContext(ctx, p.ID, p.Title, p.Heading, p.Text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (f *fts5) search(ctx context.Context, query string) (ids []string, err error) {
	words := text.Words(query)
	for i, w := range words {
		words[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
	}
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := f.db.QueryContext(ctx, `SELECT id, body FROM p WHERE p MATCH ? ORDER BY rank LIMIT 10`, strings.Join(words, " OR "))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, body string
		if err := rows.Scan(&id, &body); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (f *fts5) close() error { return f.db.Close() }
