package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/index"
)

var _ index.Store = (*Index)(nil)

// Index is the documents of the schema. It implements index.Store, for any number of processes at once. Keyword search sums up BM25
// in SQL, over lists that are kept in tables; vectors are read into memory and compared there, as those of every store.
type Index struct{ db *DB }

// Index returns the index of the schema. All values that it returns are the same index.
func (db *DB) Index() *Index { return &Index{db} }

// Version implements index.Store.
func (x *Index) Version(ctx context.Context) (version int64, err error) {
	err = x.one(ctx, `SELECT version FROM index_state`, &version)
	return version, err
}

// Stamp implements index.Store: each change that commits draws a new one.
func (x *Index) Stamp(ctx context.Context) (stamp string, err error) {
	err = x.one(ctx, `SELECT stamp FROM index_state`, &stamp)
	return stamp, err
}

func (x *Index) one(ctx context.Context, sql string, to any) error {
	return x.read(ctx, func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, sql).Scan(to) })
}

// read runs do in a transaction that sees one version. What it reads is no write: an error leaves nothing open.
func (x *Index) read(ctx context.Context, do func(context.Context, pgx.Tx) error) error {
	return x.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		return explain(pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: reading}, func(tx pgx.Tx) error { return do(ctx, tx) }))
	})
}

// list returns all rows of a query of one statement.
func list[T any](ctx context.Context, x *Index, scan func(pgx.Rows) (T, error), sql string, args ...any) (all []T, err error) {
	err = x.read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		all, err = listIn(ctx, tx, scan, sql, args...)
		return err
	})
	return all, err
}

func listIn[T any](ctx context.Context, tx pgx.Tx, scan func(pgx.Rows) (T, error), sql string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) { return scan(rows) })
}

// Roots implements index.Store.
func (x *Index) Roots(ctx context.Context) ([]string, error) {
	return list(ctx, x, func(rows pgx.Rows) (root string, err error) {
		err = rows.Scan(&rawText{&root})
		return root, err
	}, `SELECT root FROM index_roots ORDER BY root`)
}

// Notes implements index.Store.
func (x *Index) Notes(ctx context.Context) ([]index.Note, error) {
	return list(ctx, x, func(rows pgx.Rows) (n index.Note, err error) {
		err = rows.Scan(&rawText{&n.Root}, &rawText{&n.Path}, &rawText{&n.Text})
		return n, err
	}, `SELECT root, path, text FROM index_notes ORDER BY root, path`)
}

// Files implements index.Store.
func (x *Index) Files(ctx context.Context) ([]index.FileRecord, error) {
	return list(ctx, x, func(rows pgx.Rows) (f index.FileRecord, err error) {
		err = rows.Scan(fileFields(&f)...)
		return f, err
	}, `SELECT `+fileColumns+` FROM index_files f ORDER BY f.root, f.path`)
}

// Counts implements index.Store.
func (x *Index) Counts(ctx context.Context) (c index.Counts, err error) {
	err = x.read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		c = index.Counts{Vectors: map[string]index.VectorCount{}}
		err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM index_files), (SELECT coalesce(sum(size), 0)::bigint FROM index_files),
			passages, version FROM index_state`).Scan(&c.Files, &c.Bytes, &c.Passages, &c.Version)
		if err != nil {
			return err
		}
		var model string
		var n index.VectorCount
		rows, err := tx.Query(ctx, `SELECT v.model, count(*), min(length(v.vector)) / 4 FROM index_vectors v JOIN index_passages p USING (digest) GROUP BY v.model`)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&model, &n.Passages, &n.Dim}, func() error {
			c.Vectors[model] = n
			return nil
		})
		return err
	})
	return c, err
}
