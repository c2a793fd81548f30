package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// checkpointSchema keeps all entries of all threads in one table whose key holds thread and sequence:
// id = no<<32 | seq. A rowid table keeps rows of a few kilobytes on one page, which one without rowid does not,
// and appending to it touches one B-tree only.
var checkpointSchema = part{name: "checkpoints", migrations: []string{`
CREATE TABLE graph_threads (
	no     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	thread TEXT    NOT NULL UNIQUE,
	fence  INTEGER NOT NULL
);
CREATE TABLE graph_fence (last INTEGER NOT NULL); -- one row: fences grow over all threads, deleted ones too
INSERT INTO graph_fence VALUES (0);
CREATE TABLE graph_entries (
	id   INTEGER PRIMARY KEY, -- no<<32 | seq
	data BLOB NOT NULL
);
CREATE TABLE graph_snapshots (
	no   INTEGER PRIMARY KEY,
	seq  INTEGER NOT NULL,
	data BLOB NOT NULL
);
CREATE TABLE graph_pending (
	no   INTEGER NOT NULL,
	task TEXT    NOT NULL,
	seq  INTEGER NOT NULL,
	data BLOB    NOT NULL,
	PRIMARY KEY (no, task)
);`}}

// maxSeq is the largest sequence number that fits beside a thread's number.
const maxSeq = 1<<32 - 1

// Checkpoints keeps the threads of package graph in the file. It implements graph.Store and is safe for concurrent use by
// any number of goroutines and processes. What a commit survives is the setting of Options.Synchronous.
// A step of one task costs one statement, which checks the fence and appends the entry.
type Checkpoints struct {
	db     *DB
	append lazyStmt
	pend   lazyStmt
}

var _ graph.Store = (*Checkpoints)(nil)

// Checkpoints returns the store of threads in db. It lives as long as db; call it once and share the result.
func (db *DB) Checkpoints() *Checkpoints {
	return &Checkpoints{
		db: db,
		append: lazyStmt{text: `INSERT INTO graph_entries (id, data)
			SELECT t.no<<32 | ?1, ?2 FROM graph_threads t WHERE t.thread = ?3 AND t.fence = ?4` + isNext},
		pend: lazyStmt{text: `INSERT INTO graph_pending (no, task, seq, data)
			SELECT t.no, ?5, ?1, ?2 FROM graph_threads t WHERE t.thread = ?3 AND t.fence = ?4` + isNext + `
			ON CONFLICT (no, task) DO UPDATE SET seq = excluded.seq, data = excluded.data`},
	}
}

// isNext holds when ?1 is the number of the next entry of thread t.
const isNext = ` AND ?1 BETWEEN 1 AND 4294967295
	AND NOT EXISTS (SELECT 1 FROM graph_entries WHERE id = t.no<<32 | ?1)
	AND (?1 = 1 OR EXISTS (SELECT 1 FROM graph_entries WHERE id = t.no<<32 | ?1-1))`

// Claim implements graph.Store.
func (c *Checkpoints) Claim(ctx context.Context, thread string) (int64, error) {
	var fence int64
	err := c.inTx(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `UPDATE graph_fence SET last = last + 1 RETURNING last`).Scan(&fence)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO graph_threads (thread, fence) VALUES (?, ?)
			ON CONFLICT (thread) DO UPDATE SET fence = excluded.fence`, thread, fence)
		return err
	})
	return fence, err
}

// Commit implements graph.Store.
func (c *Checkpoints) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	for _, e := range entries {
		if err := c.commit(ctx, thread, fence, e); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checkpoints) commit(ctx context.Context, thread string, fence int64, e graph.Entry) error {
	stmt, err := c.append.get(ctx, c.db.write)
	if err != nil {
		return c.db.explain(err)
	}
	if e.Snapshot == nil && !e.Settles {
		return c.guarded(ctx, c.db.write, stmt, thread, fence, e.Seq, notNil(e.Data), thread, fence)
	}
	return c.inTx(ctx, func(tx *sql.Tx) error {
		if err := c.guarded(ctx, tx, tx.StmtContext(ctx, stmt), thread, fence, e.Seq, notNil(e.Data), thread, fence); err != nil {
			return err
		}
		if e.Settles {
			_, err := tx.ExecContext(ctx, `DELETE FROM graph_pending WHERE no = (SELECT no FROM graph_threads WHERE thread = ?)`, thread)
			if err != nil {
				return err
			}
		}
		if e.Snapshot == nil {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO graph_snapshots (no, seq, data) SELECT no, ?, ? FROM graph_threads WHERE thread = ?
			ON CONFLICT (no) DO UPDATE SET seq = excluded.seq, data = excluded.data`, e.Seq, e.Snapshot, thread)
		return err
	})
}

// Pend implements graph.Store.
func (c *Checkpoints) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	for _, w := range writes {
		if err := c.pendOne(ctx, thread, fence, w); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checkpoints) pendOne(ctx context.Context, thread string, fence int64, w graph.PendingWrite) error {
	stmt, err := c.pend.get(ctx, c.db.write)
	if err != nil {
		return c.db.explain(err)
	}
	return c.guarded(ctx, c.db.write, stmt, thread, fence, w.Seq, notNil(w.Data), thread, fence, w.Key)
}

// guarded runs a statement whose first parameter is a sequence number, and which writes one row when that and the fence are
// right. When it wrote none it finds out why; q is where to look.
func (c *Checkpoints) guarded(ctx context.Context, q rowQuerier, stmt *sql.Stmt, thread string, fence, seq int64, rest ...any) error {
	res, err := stmt.ExecContext(ctx, append([]any{seq}, rest...)...)
	if err != nil {
		return c.db.explain(err)
	}
	n, err := res.RowsAffected()
	if err != nil || n == 1 {
		return c.db.explain(err)
	}
	var holder int64
	err = q.QueryRowContext(ctx, `SELECT fence FROM graph_threads WHERE thread = ?`, thread).Scan(&holder)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && holder != fence:
		return graph.ErrFenced
	case err != nil:
		return c.db.explain(err)
	case seq > maxSeq:
		return fmt.Errorf("%w: a thread holds at most %d entries", graph.ErrSequence, int64(maxSeq))
	default:
		return fmt.Errorf("%w: %d", graph.ErrSequence, seq)
	}
}
