package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/kbagent/kbagent/review"
)

// List implements review.Store. It sees the moment when the loop begins, and holds a connection of its own until it ends.
func (r *Reviews) List(ctx context.Context, f review.Filter) iter.Seq2[review.Entry, error] {
	return func(yield func(review.Entry, error) bool) {
		if err := r.each(ctx, f, yield); err != nil {
			yield(review.Entry{}, err)
		}
	}
}

// each calls yield until it returns false. A row that cannot be read is yielded with its error.
func (r *Reviews) each(ctx context.Context, f review.Filter, yield func(review.Entry, error) bool) error {
	where, args := reviewWhere(f)
	rows, err := r.db.loops.QueryContext(ctx, `SELECT id, status, data FROM review_entries`+where+` ORDER BY rank, deadline, id LIMIT ?`, args...)
	if err != nil {
		return r.db.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, status string
		var data []byte
		if err := rows.Scan(&id, &status, &data); err != nil {
			return r.db.explain(err)
		}
		e, err := review.Decode(id, data)
		if err == nil && string(e.Status) != status {
			err = &review.RowError{ID: id, Err: fmt.Errorf("it is %s, and its row says %s", e.Status, status)}
		}
		if !yield(e, err) {
			return nil
		}
	}
	return r.db.explain(rows.Err())
}

// reviewWhere is the condition of a filter, and what stands in for its question marks and that of the limit.
func reviewWhere(f review.Filter) (where string, args []any) {
	var all []string
	and := func(condition string, values ...any) {
		all = append(all, condition)
		args = append(args, values...)
	}
	if len(f.Statuses) > 0 {
		var list []any
		for _, s := range f.Statuses {
			list = append(list, s)
		}
		and(`status IN (?`+strings.Repeat(`, ?`, len(list)-1)+`)`, list...)
	}
	if f.Priority != "" {
		and(`priority = ?`, f.Priority)
	}
	if !f.OverdueAt.IsZero() {
		and(`open = 1 AND deadline < ?`, micros(f.OverdueAt))
	}
	if f.Unsettled {
		and(`open = 0 AND settled = 0`)
	}
	if f.Prefix != "" {
		and(`substr(id, 1, length(?)) = ?`, f.Prefix, f.Prefix)
	}
	limit := -1
	if f.Limit > 0 {
		limit = f.Limit
	}
	if len(all) > 0 {
		where = ` WHERE ` + strings.Join(all, ` AND `)
	}
	return where, append(args, limit)
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

const noticeColumns = `entry, channel, attempts, due, sent, dropped, last_error`

func scanNotice(row interface{ Scan(...any) error }) (n review.Notice, err error) {
	var due, sent int64
	err = row.Scan(&n.Entry, &n.Channel, &n.Attempts, &due, &sent, &n.Dropped, &n.LastError)
	n.Due, n.SentAt = fromMicros(due), fromMicros(sent)
	return n, err
}

// Notices implements review.Store.
func (r *Reviews) Notices(ctx context.Context, id string) ([]review.Notice, error) {
	scan := func(rows *sql.Rows) (review.Notice, error) { return scanNotice(rows) }
	if id == "" {
		return collect(ctx, r.db, scan, `SELECT `+noticeColumns+` FROM review_notices WHERE sent = 0 AND dropped = '' ORDER BY due, entry, channel`)
	}
	return collect(ctx, r.db, scan, `SELECT `+noticeColumns+` FROM review_notices WHERE entry = ? ORDER BY channel`, id)
}
