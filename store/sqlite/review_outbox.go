package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/kbagent/kbagent/review"
)

// takeSQL is one statement, so that two senders never get one notice.
const takeSQL = `UPDATE review_notices SET attempts = attempts + 1, taken = ?4 WHERE (entry, channel) = (
	SELECT entry, channel FROM review_notices WHERE channel = ?1 AND sent = 0 AND dropped = '' AND due <= ?2 AND taken <= ?3
	ORDER BY due, entry LIMIT 1) RETURNING ` + noticeColumns

// Take implements review.Store. When nothing is due it takes no lock from whoever writes.
func (r *Reviews) Take(ctx context.Context, channel string, now, until time.Time) (n review.Notice, ok bool, err error) {
	var due bool
	err = r.db.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM review_notices WHERE channel = ? AND sent = 0 AND dropped = '' AND due <= ? AND taken <= ?)`,
		channel, micros(now), micros(now)).Scan(&due)
	if err != nil || !due {
		return review.Notice{}, false, r.db.explain(err)
	}
	n, err = scanNotice(r.db.write.QueryRowContext(ctx, takeSQL, channel, micros(now), micros(now), micros(until)))
	if errors.Is(err, sql.ErrNoRows) {
		return review.Notice{}, false, nil
	}
	if err != nil {
		return review.Notice{}, false, r.db.explain(err)
	}
	return n, true, nil
}

// Settle implements review.Store.
func (r *Reviews) Settle(ctx context.Context, n review.Notice) error {
	_, err := r.db.write.ExecContext(ctx, `UPDATE review_notices SET sent = ?1, dropped = ?2, due = ?3, last_error = ?4, taken = 0
		WHERE entry = ?5 AND channel = ?6 AND sent = 0 AND dropped = '' AND (attempts = ?7 OR ?1 <> 0)`,
		micros(n.SentAt), n.Dropped, micros(n.Due), n.LastError, n.Entry, n.Channel, n.Attempts)
	return r.db.explain(err)
}

// Hasten implements review.Store.
func (r *Reviews) Hasten(ctx context.Context, now time.Time) error {
	_, err := r.db.write.ExecContext(ctx, `UPDATE review_notices SET due = ?1 WHERE sent = 0 AND dropped = '' AND due > ?1 AND taken <= ?1`, micros(now))
	return r.db.explain(err)
}
