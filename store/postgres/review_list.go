package postgres

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kbagent/kbagent/review"
)

// reviewPage is how many entries are read at once.
const reviewPage = 200

// A reviewRow is a row of review_entries with where it stands in the order.
type reviewRow struct {
	id, status, data string
	rank             int
	deadline         int64
}

// List implements review.Store. It reads as of the moment when the loop starts, page by page, and holds a connection until
// the loop ends.
func (r *Reviews) List(ctx context.Context, f review.Filter) iter.Seq2[review.Entry, error] {
	return func(yield func(review.Entry, error) bool) {
		left := f.Limit
		for row, err := range paged(ctx, r.db, func(ctx context.Context, tx pgx.Tx, last *reviewRow) ([]reviewRow, error) {
			return reviewRows(ctx, tx, f, last)
		}) {
			if err != nil {
				yield(review.Entry{}, err)
				return
			}
			if !yield(row.entry()) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// entry decodes a row.
func (row reviewRow) entry() (review.Entry, error) {
	e, err := review.Decode(row.id, []byte(row.data))
	if err == nil && string(e.Status) != row.status {
		err = &review.RowError{ID: row.id, Err: fmt.Errorf("it is %s, and its row says %s", e.Status, row.status)}
	}
	return e, err
}

// reviewRows reads the page behind last.
func reviewRows(ctx context.Context, tx pgx.Tx, f review.Filter, last *reviewRow) ([]reviewRow, error) {
	conditions, args := reviewConditions(f)
	if last != nil {
		args = append(args, last.rank, last.deadline, last.id)
		n := len(args)
		conditions = append(conditions, fmt.Sprintf(`(rank, deadline, id) > ($%d, $%d, $%d)`, n-2, n-1, n))
	}
	size := reviewPage
	if f.Limit > 0 {
		size = min(size, f.Limit)
	}
	sql := `SELECT id, status, data, rank, deadline FROM review_entries WHERE ` + strings.Join(conditions, ` AND `) +
		fmt.Sprintf(` ORDER BY rank, deadline, id LIMIT %d`, size)
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r reviewRow, err error) {
		return r, row.Scan(&r.id, &r.status, &r.data, &r.rank, &r.deadline)
	})
}

// reviewConditions is a filter without its limit; there is always one condition.
func reviewConditions(f review.Filter) (conditions []string, args []any) {
	conditions = []string{`true`}
	and := func(condition string, value any) {
		args = append(args, value)
		conditions = append(conditions, strings.ReplaceAll(condition, `$`, fmt.Sprintf(`$%d`, len(args))))
	}
	if len(f.Statuses) > 0 {
		var list []string
		for _, s := range f.Statuses {
			list = append(list, string(s))
		}
		and(`status = ANY ($)`, list)
	}
	if f.Priority != "" {
		and(`priority = $`, string(f.Priority))
	}
	if !f.OverdueAt.IsZero() {
		and(`open AND deadline < $`, micros(f.OverdueAt))
	}
	if f.Unsettled {
		conditions = append(conditions, `NOT open AND NOT settled`)
	}
	if f.Prefix != "" {
		and(`starts_with(id, $)`, f.Prefix)
	}
	return conditions, args
}
