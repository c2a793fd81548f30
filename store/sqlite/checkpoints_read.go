package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/kbagent/kbagent/graph"
)

// Load implements graph.Store. It reads everything in one transaction.
func (c *Checkpoints) Load(ctx context.Context, thread string) (rec graph.Record, err error) {
	tx, err := c.db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return rec, c.db.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // it has written nothing
	var no int64
	err = tx.QueryRowContext(ctx, `SELECT no FROM graph_threads WHERE thread = ?`, thread).Scan(&no)
	if errors.Is(err, sql.ErrNoRows) {
		return rec, nil
	}
	if err != nil {
		return rec, c.db.explain(err)
	}
	err = tx.QueryRowContext(ctx, `SELECT seq, data FROM graph_snapshots WHERE no = ?`, no).Scan(&rec.SnapshotSeq, &rec.Snapshot)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return rec, c.db.explain(err)
	}
	for e, err := range entries(ctx, tx, no, rec.SnapshotSeq) {
		if err != nil {
			return rec, c.db.explain(err)
		}
		rec.Log = append(rec.Log, e)
	}
	rec.Pending, err = pendingWrites(ctx, tx, no, rec.Seq()+1)
	return rec, c.db.explain(err)
}

// threadQuerier is a transaction or a pool.
type threadQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// entries yields the entries of a thread by its number, those after a sequence number.
func entries(ctx context.Context, q threadQuerier, no, after int64) iter.Seq2[graph.Entry, error] {
	return scanAll(ctx, q, func(r *sql.Rows, e *graph.Entry) error {
		err := r.Scan(&e.Seq, &e.Data)
		e.Seq &= maxSeq
		return err
	}, `SELECT id, data FROM graph_entries WHERE id > ? AND id <= ? ORDER BY id`, no<<32|min(max(after, 0), maxSeq), no<<32|maxSeq)
}

func pendingWrites(ctx context.Context, q threadQuerier, no, seq int64) (writes []graph.PendingWrite, err error) {
	list := scanAll(ctx, q, func(r *sql.Rows, w *graph.PendingWrite) error { return r.Scan(&w.Seq, &w.Key, &w.Data) },
		`SELECT seq, task, data FROM graph_pending WHERE no = ? AND seq = ? ORDER BY task`, no, seq)
	for w, err := range list {
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}

// Log implements graph.Store. It reads as of the moment when the loop starts, and holds a connection until the loop ends.
func (c *Checkpoints) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return func(yield func(graph.Entry, error) bool) {
		var no int64
		err := c.db.read.QueryRowContext(ctx, `SELECT no FROM graph_threads WHERE thread = ?`, thread).Scan(&no)
		if errors.Is(err, sql.ErrNoRows) {
			return
		}
		if err != nil {
			yield(graph.Entry{}, c.db.explain(err))
			return
		}
		for e, err := range entries(ctx, c.db.read, no, after) {
			if !yield(e, c.db.explain(err)) {
				return
			}
		}
	}
}

// Threads implements graph.Store. It reads as of the moment when the loop starts, and holds a connection until the loop ends.
func (c *Checkpoints) Threads(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
	list := scanAll(ctx, c.db.read, func(r *sql.Rows, info *graph.ThreadInfo) error { return r.Scan(&info.Thread, &info.Seq) },
		`SELECT thread, last & 4294967295 FROM (
			SELECT thread, (SELECT max(id) FROM graph_entries WHERE id > no<<32 AND id <= no<<32 | 4294967295) AS last FROM graph_threads)
		WHERE last IS NOT NULL ORDER BY thread`)
	return func(yield func(graph.ThreadInfo, error) bool) {
		for info, err := range list {
			if !yield(info, c.db.explain(err)) {
				return
			}
		}
	}
}

// scanAll runs a query and yields its rows; the first error ends it.
func scanAll[T any](ctx context.Context, q threadQuerier, scan func(*sql.Rows, *T) error, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(none, err)
			return
		}
		defer r.Close() // Err below reports what went wrong
		for r.Next() {
			var v T
			if err := scan(r, &v); err != nil {
				yield(none, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(none, err)
		}
	}
}

// Delete implements graph.Store.
func (c *Checkpoints) Delete(ctx context.Context, thread string) error {
	return c.inTx(ctx, func(tx *sql.Tx) error {
		var no int64
		err := tx.QueryRowContext(ctx, `DELETE FROM graph_threads WHERE thread = ? RETURNING no`, thread).Scan(&no)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM graph_entries WHERE id > ? AND id <= ?`, no<<32, no<<32|maxSeq); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM graph_snapshots WHERE no = ?`, no); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM graph_pending WHERE no = ?`, no)
		return err
	})
}
