package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// inTx runs do in one transaction of the writer, which rolls back when do fails.
func (c *Checkpoints) inTx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := c.db.write.BeginTx(ctx, nil)
	if err != nil {
		return c.db.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // a no-op after Commit
	if err := do(tx); err != nil {
		return c.db.explain(err)
	}
	return c.db.explain(tx.Commit())
}

// A lazyStmt is prepared on first use and closed with its pool. A failure to prepare is tried again.
type lazyStmt struct {
	text string
	mu   sync.Mutex
	stmt *sql.Stmt
}

func (l *lazyStmt) get(ctx context.Context, db *sql.DB) (*sql.Stmt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stmt == nil {
		stmt, err := db.PrepareContext(ctx, l.text)
		if err != nil {
			return nil, err
		}
		l.stmt = stmt
	}
	return l.stmt, nil
}

// rowQuerier is a transaction or a pool.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// notNil keeps an empty value from becoming NULL.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
