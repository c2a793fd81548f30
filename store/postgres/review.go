package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/review"
)

var _ review.Store = (*Reviews)(nil)

// Reviews keeps the review queue. It implements review.Store and is safe for concurrent use by any number of goroutines and
// processes. A write whose reply was lost returns [ErrReplyLost]: Submit can be called again and returns what is stored.
type Reviews struct{ db *DB }

// Reviews returns the review queue of the schema. All values that it returns are the same queue.
func (db *DB) Reviews() *Reviews { return &Reviews{db} }

// insertReviewSQL inserts nothing when the run has an entry, or the id is taken.
const insertReviewSQL = `
INSERT INTO review_entries (id, run, status, priority, rank, deadline, open, settled, data)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`

// Submit implements review.Store.
func (r *Reviews) Submit(ctx context.Context, e review.Entry, channels []string) (stored review.Entry, created bool, err error) {
	data, err := review.Encode(e)
	if err != nil {
		return review.Entry{}, false, err
	}
	e = review.Normal(e)
	key := review.RunKey(e.Thread, e.Run)
	err = r.write(ctx, func(ctx context.Context, tx pgx.Tx) (refused, err error) {
		tag, err := tx.Exec(ctx, insertReviewSQL, e.ID, key, string(e.Status), string(e.Priority), e.Priority.Rank(),
			micros(e.Deadline), !e.Status.Final(), !e.SettledAt.IsZero(), string(data))
		if err != nil {
			return nil, err
		}
		if created = tag.RowsAffected() == 1; !created {
			stored, refused, err = firstOfRun(ctx, tx, e.ID, key)
			return refused, err
		}
		stored = e
		_, err = tx.Exec(ctx, `INSERT INTO review_notices SELECT $1, c, 0, $2, 0, 0, '', '' FROM unnest($3::text[]) c`, e.ID, micros(e.CreatedAt), channels)
		return nil, err
	})
	if err != nil {
		return review.Entry{}, false, err
	}
	return stored, created, nil
}

// firstOfRun reads the entry that kept another one of its run from being inserted. A transaction that waited for the
// other one sees it.
func firstOfRun(ctx context.Context, tx pgx.Tx, id string, key []byte) (e review.Entry, refused, err error) {
	var first, data string
	err = tx.QueryRow(ctx, `SELECT id, data FROM review_entries WHERE run = $1`, key).Scan(&first, &data)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, review.IDTaken(id), nil
	}
	if err != nil {
		return e, nil, err
	}
	e, refused = review.Decode(first, []byte(data))
	return e, refused, nil
}

// Get implements review.Store.
func (r *Reviews) Get(ctx context.Context, id string) (e review.Entry, err error) {
	err = r.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		var data string
		err := conn.QueryRow(ctx, `SELECT data FROM review_entries WHERE id = $1`, id).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return review.NotFound(id)
		}
		if err != nil {
			return explain(err)
		}
		e, err = review.Decode(id, []byte(data))
		return err
	})
	if err != nil {
		return review.Entry{}, err
	}
	return e, nil
}

// Change implements review.Store. It holds the row of the entry while change runs.
func (r *Reviews) Change(ctx context.Context, id string, change func(*review.Entry) error) (e review.Entry, err error) {
	err = r.write(ctx, func(ctx context.Context, tx pgx.Tx) (refused, err error) {
		var text string
		err = tx.QueryRow(ctx, `SELECT data FROM review_entries WHERE id = $1 FOR UPDATE`, id).Scan(&text)
		if errors.Is(err, pgx.ErrNoRows) {
			return review.NotFound(id), nil
		}
		if err != nil {
			return nil, err
		}
		var data []byte
		if e, data, refused = review.Apply(id, []byte(text), change); refused != nil {
			return refused, nil
		}
		_, err = tx.Exec(ctx, `UPDATE review_entries SET status = $2, priority = $3, rank = $4, deadline = $5, open = $6, settled = $7, data = $8 WHERE id = $1`,
			id, string(e.Status), string(e.Priority), e.Priority.Rank(), micros(e.Deadline), !e.Status.Final(), !e.SettledAt.IsZero(), string(data))
		return nil, err
	})
	if err != nil {
		return review.Entry{}, err
	}
	return e, nil
}

// write runs do in one transaction. refused is an error that has nothing to do with the database: do has written nothing.
func (r *Reviews) write(ctx context.Context, do func(context.Context, pgx.Tx) (refused, err error)) error {
	var refused error
	err := r.db.inTx(ctx, writing, func(ctx context.Context, tx pgx.Tx) (err error) {
		refused, err = do(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return refused
}

// micros is a time as the tables of the review queue keep it; 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// fromMicros reads what micros made.
func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
