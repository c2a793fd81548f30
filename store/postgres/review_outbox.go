package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/review"
)

const noticeColumns = `entry, channel, attempts, due, sent, dropped, last_error`

// takeNoticeSQL passes over what another sender is taking at this moment.
const takeNoticeSQL = `
UPDATE review_notices SET attempts = attempts + 1, taken = $3 WHERE (entry, channel) = (
	SELECT entry, channel FROM review_notices WHERE channel = $1 AND sent = 0 AND dropped = '' AND due <= $2 AND taken <= $2
	ORDER BY due, entry LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING ` + noticeColumns

// Take implements review.Store.
func (r *Reviews) Take(ctx context.Context, channel string, now, until time.Time) (n review.Notice, ok bool, err error) {
	err = r.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		var err error
		n, err = scanNotice(conn.QueryRow(ctx, takeNoticeSQL, channel, micros(now), micros(until)))
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return explainSent(ctx, err)
	})
	if err != nil || !ok {
		return review.Notice{}, false, err
	}
	return n, true, nil
}

func scanNotice(row pgx.Row) (n review.Notice, err error) {
	var due, sent int64
	err = row.Scan(&n.Entry, &n.Channel, &n.Attempts, &due, &sent, &n.Dropped, &n.LastError)
	n.Due, n.SentAt = fromMicros(due), fromMicros(sent)
	return n, err
}

// Settle implements review.Store.
func (r *Reviews) Settle(ctx context.Context, n review.Notice) error {
	_, err := r.db.write(ctx, `UPDATE review_notices SET sent = $1, dropped = $2, due = $3, last_error = $4, taken = 0
		WHERE entry = $5 AND channel = $6 AND sent = 0 AND dropped = '' AND (attempts = $7 OR $1::bigint <> 0)`,
		micros(n.SentAt), n.Dropped, micros(n.Due), n.LastError, n.Entry, n.Channel, n.Attempts)
	return err
}

// Notices implements review.Store.
func (r *Reviews) Notices(ctx context.Context, id string) (list []review.Notice, err error) {
	sql := `SELECT ` + noticeColumns + ` FROM review_notices WHERE entry = $1 ORDER BY channel`
	args := []any{id}
	if id == "" {
		sql, args = `SELECT `+noticeColumns+` FROM review_notices WHERE sent = 0 AND dropped = '' ORDER BY due, entry, channel`, nil
	}
	err = r.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return explain(err)
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (review.Notice, error) { return scanNotice(row) })
		return explain(err)
	})
	return list, err
}

// Hasten implements review.Store.
func (r *Reviews) Hasten(ctx context.Context, now time.Time) error {
	_, err := r.db.write(ctx, `UPDATE review_notices SET due = $1 WHERE sent = 0 AND dropped = '' AND due > $1::bigint AND taken <= $1`, micros(now))
	return err
}
