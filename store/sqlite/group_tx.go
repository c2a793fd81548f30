package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
)

// A writer writes threads on the file's only connection for writing. It is not safe for concurrent use.
type writer struct {
	db    *DB
	stmts []*sql.Stmt // by number; nil until the first use
	view  view
}

// The statements that commits need. All others are rare enough to be prepared each time.
const (
	quickAppend  = iota // an entry after another one of its thread, which is the last row: no, fence, seq, data, prev, tail
	quickPend           // a pending write: no, fence, seq, data, key
	plainAppend         // id, no, seq, prev, tail, data
	plainPend           // no, key, seq, data
	settle              // no
	snapshot            // no, seq, data
	nextFence           // → fence
	claimThread         // thread, fence
	findThread          // thread → no, fence, head, seq
	recordHeads         // JSON of [no, head, seq]
	tailRows            // → id, no, seq, tail of the rows in the tail, and of the one before
	ownChanges          // → changes by this connection since it was opened
	otherChanges        // → a number that changes when another connection has committed
)

var writerTexts = []string{
	// NOT NULL and OR IGNORE leave the row out when the condition does not hold. A SELECT with a WHERE would do the
	// same by way of a temporary table, since it reads the table that it writes.
	quickAppend: `INSERT OR IGNORE INTO graph_log (no, seq, prev, tail, data) VALUES (?1, ?3, ?5, ?6,
		CASE WHEN (SELECT fence FROM graph_threads WHERE no = ?1) = ?2
			AND (SELECT no = ?1 AND seq = ?3 - 1 AND id = ?5 AND tail = ?6 - 1 FROM graph_log ORDER BY id DESC LIMIT 1) THEN ?4 END)`,
	quickPend: `INSERT INTO graph_pending (no, key, seq, data) SELECT t.no, ?5, ?3, ?4 FROM graph_threads t WHERE t.no = ?1 AND t.fence = ?2
		AND ?3 - 1 = ifnull((SELECT seq FROM graph_log WHERE no = t.no AND id > ` + afterTail + ` ORDER BY id DESC LIMIT 1), t.seq)` + orReplace,
	plainAppend: `INSERT INTO graph_log (id, no, seq, prev, tail, data) VALUES (?, ?, ?, ?, ?, ?)`,
	plainPend:   `INSERT INTO graph_pending (no, key, seq, data) VALUES (?, ?, ?, ?)` + orReplace,
	settle:      `DELETE FROM graph_pending WHERE no = ?`,
	snapshot: `INSERT INTO graph_snapshots (no, seq, data) VALUES (?, ?, ?)
		ON CONFLICT (no) DO UPDATE SET seq = excluded.seq, data = excluded.data`,
	nextFence:    `UPDATE graph_fence SET last = last + 1 RETURNING last`,
	claimThread:  `INSERT INTO graph_threads (thread, fence) VALUES (?, ?) ON CONFLICT (thread) DO UPDATE SET fence = excluded.fence`,
	findThread:   `SELECT no, fence, head, seq FROM graph_threads WHERE thread = ?`,
	recordHeads:  `UPDATE graph_threads SET head = v.value ->> 1, seq = v.value ->> 2 FROM json_each(?) v WHERE no = v.value ->> 0`,
	tailRows:     `SELECT id, no, seq, tail FROM graph_log WHERE id >= ` + afterTail + ` ORDER BY id`,
	ownChanges:   `SELECT total_changes()`,
	otherChanges: `PRAGMA data_version`,
}

const orReplace = ` ON CONFLICT (no, key) DO UPDATE SET seq = excluded.seq, data = excluded.data`

// prepare prepares the statements, once. A failure is tried again the next time.
func (w *writer) prepare(ctx context.Context) error {
	for n := len(w.stmts); n < len(writerTexts); n++ {
		stmt, err := w.db.write.PrepareContext(ctx, writerTexts[n]) //nolint:sqlclosecheck // the pool closes it with itself
		if err != nil {
			return err
		}
		w.stmts = append(w.stmts, stmt)
	}
	return nil
}

// A groupTx is one transaction. Nothing in it can be cancelled.
type groupTx struct {
	w       *writer
	conn    *sql.Conn
	tx      *sql.Tx
	bound   []*sql.Stmt // by number, those that were used
	looked  bool        // the view is that of this transaction
	changes int64       // rows that this transaction has changed
}

// connect waits for the connection, until ctx ends.
func (w *writer) connect(ctx context.Context) (*sql.Conn, error) {
	if err := w.prepare(ctx); err != nil {
		return nil, w.db.explain(err)
	}
	conn, err := w.db.write.Conn(ctx)
	return conn, w.db.explain(err)
}

// begin starts a transaction, for which it may have to wait for another process.
func (w *writer) begin(conn *sql.Conn) (*groupTx, error) {
	t := &groupTx{w: w, conn: conn, bound: make([]*sql.Stmt, len(writerTexts))}
	err := conn.Raw(func(driverConn any) error {
		w.view.of(driverConn)
		return nil
	})
	if err == nil {
		t.tx, err = conn.BeginTx(context.Background(), nil)
	}
	if err != nil {
		return nil, w.db.explain(errors.Join(err, conn.Close()))
	}
	return t, nil
}

// commit makes the transaction durable. When it fails nothing of it is.
func (t *groupTx) commit() error {
	if t.w.view.last.tail >= maxTail {
		if err := t.record(); err != nil {
			return errors.Join(err, t.rollback())
		}
	}
	if err := t.tx.Commit(); err != nil {
		t.w.view.forget()
		return t.w.db.explain(errors.Join(err, t.conn.Close()))
	}
	t.w.view.changes += t.changes
	return t.w.db.explain(t.conn.Close())
}

// rollback undoes the transaction. SQLite has done so by itself after some errors and then refuses; since the connection
// might as well be stuck, it is not used again in that case.
func (t *groupTx) rollback() error {
	t.w.view.forget()
	if t.tx.Rollback() == nil {
		return t.w.db.explain(t.conn.Close())
	}
	err := t.conn.Raw(func(any) error { return driver.ErrBadConn }) // closes the connection
	if errors.Is(err, driver.ErrBadConn) {
		err = nil
	}
	return t.w.db.explain(err)
}

func (t *groupTx) stmt(n int) *sql.Stmt {
	if t.bound[n] == nil {
		t.bound[n] = t.tx.StmtContext(context.Background(), t.w.stmts[n])
	}
	return t.bound[n]
}

// exec runs one of the writer's statements.
func (t *groupTx) exec(n int, args ...any) error {
	res, err := t.stmt(n).ExecContext(context.Background(), args...) //nolint:sqlclosecheck // the transaction closes it with itself
	return t.count(res, err)
}

// execText runs any other statement.
func (t *groupTx) execText(text string, args ...any) error {
	res, err := t.tx.ExecContext(context.Background(), text, args...)
	return t.count(res, err)
}

// count keeps the view's count of changes right.
func (t *groupTx) count(res sql.Result, err error) error {
	if err == nil {
		var n int64
		n, err = res.RowsAffected()
		t.changes += n
	}
	return t.w.db.explain(err)
}

// scan runs one of the writer's statements that yields one row, and says whether there was one.
func (t *groupTx) scan(n int, dest []any, args ...any) (found bool, err error) {
	err = t.stmt(n).QueryRowContext(context.Background(), args...).Scan(dest...) //nolint:sqlclosecheck // the transaction closes it with itself
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, t.w.db.explain(err)
}

// record writes the heads in the tail to graph_threads.
func (t *groupTx) record() error {
	if err := t.look(); err != nil {
		return err
	}
	v := &t.w.view
	if len(v.heads) == 0 {
		return nil
	}
	list := []byte{'['}
	for no, h := range v.heads {
		for i, n := range [...]int64{no, h.id, h.seq} {
			list = strconv.AppendInt(append(list, "[,,"[i]), n, 10)
		}
		list = append(list, "],"...)
	}
	list[len(list)-1] = ']'
	if err := t.exec(recordHeads, string(list)); err != nil {
		return fmt.Errorf("record the last entries of threads: %w", err)
	}
	clear(v.heads)
	v.last.tail = 0
	return nil
}
