package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A part is one contract's share of the schema. Migrations are applied in order, once, and never change after a release.
type part struct {
	name       string
	migrations []string
}

var parts = []part{checkpointSchema}

// migrate brings the schema up to date. The usual case only reads.
func (db *DB) migrate(ctx context.Context) error {
	return db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		if current, err := db.current(ctx, conn); err != nil || current {
			return err
		}
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{}, func(tx pgx.Tx) error { return db.migrateAlone(ctx, tx) })
		return explain(err)
	})
}

// querier is a connection or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version is the number of migrations that a part has had; 0 for a database without tables.
func version(ctx context.Context, q querier, p part) (n int, err error) {
	var exists bool
	if err := q.QueryRow(ctx, `SELECT to_regclass('schema_parts') IS NOT NULL`).Scan(&exists); err != nil || !exists {
		return 0, explain(err)
	}
	err = q.QueryRow(ctx, `SELECT version FROM schema_parts WHERE name = $1`, p.name).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err == nil && n > len(p.migrations) {
		return 0, fmt.Errorf("%w (%s schema %d, this version knows %d): install the newer kbagent or use another schema",
			ErrNewerSchema, p.name, n, len(p.migrations))
	}
	return n, explain(err)
}

// current says whether all parts have their newest schema.
func (db *DB) current(ctx context.Context, q querier) (bool, error) {
	for _, p := range parts {
		n, err := version(ctx, q, p)
		if err != nil || n < len(p.migrations) {
			return false, err
		}
	}
	return true, nil
}

// migrateAlone applies what is missing while no other process does.
func (db *DB) migrateAlone(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "kbagent schema "+db.opts.Schema); err != nil {
		return err
	}
	var exists bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, db.opts.Schema).Scan(&exists); err != nil {
		return err
	}
	if !exists { // CREATE … IF NOT EXISTS wants the right to create it even when it is there
		if _, err := tx.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{db.opts.Schema}.Sanitize()); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_parts (name text PRIMARY KEY, version int NOT NULL)`); err != nil {
		return err
	}
	for _, p := range parts {
		if err := migratePart(ctx, tx, p); err != nil {
			return err
		}
	}
	return nil
}

func migratePart(ctx context.Context, tx pgx.Tx, p part) error {
	n, err := version(ctx, tx, p)
	if err != nil || n == len(p.migrations) {
		return err
	}
	for ; n < len(p.migrations); n++ {
		if _, err := tx.Exec(ctx, p.migrations[n]); err != nil {
			return fmt.Errorf("schema %s step %d: %w", p.name, n+1, err)
		}
	}
	_, err = tx.Exec(ctx, `INSERT INTO schema_parts VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET version = excluded.version`, p.name, n)
	return err
}
