package postgres

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/graph"
)

// Kinds of rows of loadSQL.
const (
	snapshotRow = 1
	entryRow    = 2
	pendingRow  = 3
)

// loadSQL is one statement, so that it sees one moment.
const loadSQL = `
SELECT 1, s.seq, NULL::bytea, s.data FROM graph_threads t JOIN graph_snapshots s USING (no) WHERE t.thread = $1
UNION ALL
SELECT 2, e.seq, NULL, e.data FROM graph_threads t JOIN graph_entries e USING (no)
	WHERE t.thread = $1 AND e.seq > coalesce((SELECT s.seq FROM graph_snapshots s WHERE s.no = t.no), 0)
UNION ALL
SELECT 3, p.seq, p.key, p.data FROM graph_threads t JOIN graph_pending p USING (no) WHERE t.thread = $1 AND p.seq = t.seq + 1`

// Load implements graph.Store.
func (c *Checkpoints) Load(ctx context.Context, thread string) (rec graph.Record, err error) {
	err = c.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, loadSQL, []byte(thread))
		if err != nil {
			return explain(err)
		}
		rec, err = readRecord(rows)
		return explain(err)
	})
	if err != nil {
		return graph.Record{}, err
	}
	return rec, nil
}

// readRecord sorts the rows of loadSQL, which have no order.
func readRecord(rows pgx.Rows) (rec graph.Record, err error) {
	var (
		kind      int32
		seq       int64
		key, data []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&kind, &seq, &key, &data}, func() error {
		switch kind {
		case snapshotRow:
			rec.SnapshotSeq, rec.Snapshot = seq, data
		case entryRow:
			rec.Log = append(rec.Log, graph.Entry{Seq: seq, Data: data})
		case pendingRow:
			rec.Pending = append(rec.Pending, graph.PendingWrite{Seq: seq, Key: string(key), Data: data})
		}
		return nil
	})
	slices.SortFunc(rec.Log, func(a, b graph.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	slices.SortFunc(rec.Pending, func(a, b graph.PendingWrite) int { return cmp.Compare(a.Key, b.Key) })
	return rec, err
}

// logSQL is a page of at most 1,000 entries, which ends behind the first 4 MB.
const logSQL = `
SELECT seq, data FROM (
	SELECT seq, data, sum(octet_length(data)) OVER (ORDER BY seq) - octet_length(data) AS before FROM (
		SELECT seq, data FROM graph_entries WHERE no = (SELECT no FROM graph_threads WHERE thread = $1) AND seq > $2 ORDER BY seq LIMIT 1000
	) AS page
) AS sized WHERE before < 4 << 20 ORDER BY seq`

// Log implements graph.Store. It reads as of the moment when the loop starts, page by page, and holds a connection until
// the loop ends.
func (c *Checkpoints) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return paged(ctx, c.db, func(ctx context.Context, tx pgx.Tx, last *graph.Entry) ([]graph.Entry, error) {
		from := after
		if last != nil {
			from = last.Seq
		}
		rows, err := tx.Query(ctx, logSQL, []byte(thread), from)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e graph.Entry, err error) {
			return e, row.Scan(&e.Seq, &e.Data)
		})
	})
}

const threadsSQL = `
SELECT thread, seq FROM graph_threads WHERE thread >= $1 AND seq > 0 AND position('\x1f'::bytea IN thread) = 0
ORDER BY thread LIMIT 1000`

// Threads implements graph.Store. It reads as of the moment when the loop starts, page by page, and holds a connection until
// the loop ends.
func (c *Checkpoints) Threads(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
	return paged(ctx, c.db, func(ctx context.Context, tx pgx.Tx, last *graph.ThreadInfo) ([]graph.ThreadInfo, error) {
		from := []byte{}
		if last != nil {
			from = []byte(last.Thread + "\x00") // nothing lies between
		}
		rows, err := tx.Query(ctx, threadsSQL, from)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (info graph.ThreadInfo, err error) {
			var id []byte
			err = row.Scan(&id, &info.Seq)
			info.Thread = string(id)
			return info, err
		})
	})
}

// paged yields the elements of pages, all as of one moment, until a page is empty. fetch gets the last element of the page
// before, nil at first.
func paged[T any](ctx context.Context, db *DB, fetch func(context.Context, pgx.Tx, *T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		tx, release, err := db.snapshot(ctx)
		if err != nil {
			yield(none, err)
			return
		}
		defer release()
		for last := (*T)(nil); ; {
			page, err := fetchPage(ctx, db, tx, last, fetch)
			if err != nil {
				yield(none, explain(err))
				return
			}
			if len(page) == 0 {
				return
			}
			for i := range page {
				if err := ctx.Err(); err != nil {
					yield(none, err)
					return
				}
				if !yield(page[i], nil) {
					return
				}
			}
			last = &page[len(page)-1]
		}
	}
}

func fetchPage[T any](ctx context.Context, db *DB, tx pgx.Tx, last *T, fetch func(context.Context, pgx.Tx, *T) ([]T, error)) ([]T, error) {
	ctx, cancel := db.bound(ctx)
	defer cancel()
	return fetch(ctx, tx, last)
}

// snapshot begins a transaction that sees one moment. release ends it.
func (db *DB) snapshot(ctx context.Context) (tx pgx.Tx, release func(), err error) {
	ctx, cancel := db.bound(ctx)
	defer cancel()
	conn, err := db.acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	tx, err = conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: reading})
	if err != nil {
		conn.Release()
		return nil, nil, explain(err)
	}
	return tx, func() {
		ctx, cancel := db.bound(context.WithoutCancel(ctx))
		defer cancel()
		tx.Rollback(ctx) //nolint:errcheck // it has written nothing; the pool drops a connection that is still inside
		conn.Release()
	}, nil
}
