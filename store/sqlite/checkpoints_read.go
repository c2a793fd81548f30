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
	err = c.reading(ctx, c.db.read, func(tx *sql.Tx) error {
		no, chain, err := c.db.follow(ctx, tx, thread)
		if err != nil || no == 0 {
			return err
		}
		err = tx.QueryRowContext(ctx, `SELECT seq, data FROM graph_snapshots WHERE no = ?`, no).Scan(&rec.SnapshotSeq, &rec.Snapshot)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		for e, err := range chain.entries(ctx, rec.SnapshotSeq) {
			if err != nil {
				return err
			}
			rec.Log = append(rec.Log, e)
		}
		rec.Pending, err = pendingWrites(ctx, tx, no, rec.Seq()+1)
		return err
	})
	return rec, err
}

// reading runs do in one transaction that sees the threads as of one moment.
func (c *Checkpoints) reading(ctx context.Context, pool *sql.DB, do func(*sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return c.db.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // it has written nothing
	return c.db.explain(do(tx))
}

func pendingWrites(ctx context.Context, tx *sql.Tx, no, seq int64) (writes []graph.PendingWrite, err error) {
	list := scanAll(ctx, tx, func(r *sql.Rows, w *graph.PendingWrite) error { return r.Scan(&w.Seq, &w.Key, &w.Data) },
		`SELECT seq, key, data FROM graph_pending WHERE no = ? AND seq = ? ORDER BY key`, no, seq)
	for w, err := range list {
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}

// Log implements graph.Store. It reads as of the moment when the loop starts, and holds a connection of its own until the loop ends.
func (c *Checkpoints) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return func(yield func(graph.Entry, error) bool) {
		err := c.reading(ctx, c.db.loops, func(tx *sql.Tx) error {
			_, chain, err := c.db.follow(ctx, tx, thread)
			if err != nil {
				return err
			}
			for e, err := range chain.entries(ctx, after) {
				if err != nil {
					return err
				}
				if !yield(e, nil) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield(graph.Entry{}, err)
		}
	}
}

// Threads implements graph.Store. It reads as of the moment when the loop starts, and holds a connection of its own until the loop ends.
func (c *Checkpoints) Threads(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
	list := scanAll(ctx, c.db.loops, func(r *sql.Rows, info *graph.ThreadInfo) error { return r.Scan(&info.Thread, &info.Seq) },
		`SELECT t.thread, ifnull(l.seq, t.seq) AS last FROM graph_threads t 
			LEFT JOIN (SELECT no, max(seq) AS seq FROM graph_log WHERE id > `+afterTail+` GROUP BY no) l ON l.no = t.no
			WHERE last > 0 AND instr(CAST(t.thread AS BLOB), x'1f') = 0 ORDER BY t.thread`)
	return func(yield func(graph.ThreadInfo, error) bool) {
		for info, err := range list {
			if !yield(info, c.db.explain(err)) {
				return
			}
		}
	}
}

// threadQuerier is a transaction or a pool.
type threadQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
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
