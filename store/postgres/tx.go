package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/graph"
)

// with lends do a connection for one call, whose context has its own end.
func (db *DB) with(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	return db.withTimes(ctx, 1, do)
}

// withTimes is with for a call of several statements that may each take Options.Timeout.
func (db *DB) withTimes(ctx context.Context, n int, do func(context.Context, *pgxpool.Conn) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(n)*(db.opts.Timeout+grace), ErrTimeout)
	defer cancel()
	conn, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return do(ctx, conn)
}

// acquire gets a connection out of the pool, or makes one.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, db.opts.Timeout, ErrTimeout)
	defer cancel()
	conn, err := db.pool.Acquire(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrTimeout) {
		return nil, fmt.Errorf("%w: no connection for it (of %d): %w", ErrTimeout, db.pool.Config().MaxConns, err)
	}
	return conn, explain(err)
}

// write runs a statement that writes, and returns the number of its rows.
func (db *DB) write(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		tag, err := conn.Exec(ctx, sql, args...)
		n = tag.RowsAffected()
		return explainSent(ctx, err)
	})
	return n, err
}

// The kinds of transactions. Those that write let go of their locks when the client says nothing more.
const (
	writing   = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '30s'`
	oneMoment = `BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '30s'`
	reading   = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
)

// inTx runs do in one transaction of the given kind, which rolls back when do fails. It tries again when the server could not
// bring the transaction into line with another one.
func (db *DB) inTx(ctx context.Context, kind string, do func(context.Context, pgx.Tx) error) error {
	return db.inTxTimes(ctx, 1, kind, do)
}

// inTxTimes is inTx for a transaction that may take n times Options.Timeout.
func (db *DB) inTxTimes(ctx context.Context, n int, kind string, do func(context.Context, pgx.Tx) error) error {
	return db.withTimes(ctx, n, func(ctx context.Context, conn *pgxpool.Conn) error {
		const tries = 10
		for try := 1; ; try++ {
			err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: kind}, func(tx pgx.Tx) error { return do(ctx, tx) })
			switch c := code(err); {
			case try < tries && (c == serializationFailure || c == deadlockDetected || c == uniqueViolation):
			case err == nil:
				return nil
			default:
				return fromTx(ctx, err)
			}
		}
	})
}

// fromTx explains the error of a transaction: one of do that is none of the driver's has nothing to do with the connection.
func fromTx(ctx context.Context, err error) error {
	for _, known := range []error{graph.ErrNoThread, graph.ErrThreadExists, graph.ErrConflict} {
		if errors.Is(err, known) {
			return err
		}
	}
	return explainSent(ctx, err)
}
