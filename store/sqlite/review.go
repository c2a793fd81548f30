package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/review"
)

var _ review.Store = (*Reviews)(nil)

// Reviews is the part of the file that holds the review queue. It implements review.Store and is safe for concurrent use
// by any number of goroutines and processes.
type Reviews struct{ db *DB }

// Reviews returns the file's review queue. All values that it returns are the same queue.
func (db *DB) Reviews() *Reviews { return &Reviews{db} }

// Submit implements review.Store.
func (r *Reviews) Submit(ctx context.Context, e review.Entry, channels []string) (stored review.Entry, created bool, err error) {
	data, err := review.Encode(e)
	if err != nil {
		return review.Entry{}, false, err
	}
	e = review.Normal(e)
	key := review.RunKey(e.Thread, e.Run)
	err = r.write(ctx, func(tx *sql.Tx) error {
		var id string
		switch err := tx.QueryRowContext(ctx, `SELECT id, data FROM review_entries WHERE run = ?`, key).Scan(&id, &data); {
		case err == nil:
			stored, err = review.Decode(id, data)
			return err
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		if err := insertReview(ctx, tx, e, key, data); err != nil {
			return err
		}
		stored, created = e, true
		for _, c := range channels {
			if _, err := tx.ExecContext(ctx, `INSERT INTO review_notices VALUES (?, ?, 0, ?, 0, 0, '', '')`, e.ID, c, micros(e.CreatedAt)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return review.Entry{}, false, err
	}
	return stored, created, nil
}

func insertReview(ctx context.Context, tx *sql.Tx, e review.Entry, key, data []byte) error {
	result, err := tx.ExecContext(ctx, `INSERT INTO review_entries (id, run, status, priority, rank, deadline, open, settled, data)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		e.ID, key, e.Status, e.Priority, e.Priority.Rank(), micros(e.Deadline), !e.Status.Final(), !e.SettledAt.IsZero(), string(data))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, review.IDTaken(e.ID))
	}
	return nil
}

// Get implements review.Store.
func (r *Reviews) Get(ctx context.Context, id string) (review.Entry, error) {
	return r.get(ctx, r.db.read, id)
}

// rower is a pool or a transaction.
type rower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (r *Reviews) get(ctx context.Context, from rower, id string) (review.Entry, error) {
	data, err := r.data(ctx, from, id)
	if err != nil {
		return review.Entry{}, err
	}
	e, err := review.Decode(id, data)
	if err != nil {
		return review.Entry{}, err
	}
	return e, nil
}

func (r *Reviews) data(ctx context.Context, from rower, id string) (data []byte, err error) {
	err = from.QueryRowContext(ctx, `SELECT data FROM review_entries WHERE id = ?`, id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, review.NotFound(id)
	}
	return data, r.db.explain(err)
}

// Change implements review.Store.
func (r *Reviews) Change(ctx context.Context, id string, change func(*review.Entry) error) (e review.Entry, err error) {
	err = r.write(ctx, func(tx *sql.Tx) error {
		data, err := r.data(ctx, tx, id)
		if err != nil {
			return err
		}
		if e, data, err = review.Apply(id, data, change); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE review_entries SET status = ?, priority = ?, rank = ?, deadline = ?, open = ?, settled = ?, data = ? WHERE id = ?`,
			e.Status, e.Priority, e.Priority.Rank(), micros(e.Deadline), !e.Status.Final(), !e.SettledAt.IsZero(), string(data), id)
		return err
	})
	if err != nil {
		return review.Entry{}, err
	}
	return e, nil
}

// write runs do in one transaction, which holds the file's write lock from its beginning.
func (r *Reviews) write(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := r.db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("review queue: %w", r.db.explain(err))
	}
	defer tx.Rollback() //nolint:errcheck // a no-op after Commit
	if err := do(tx); err != nil {
		return r.db.explain(err)
	}
	return r.db.explain(tx.Commit())
}
