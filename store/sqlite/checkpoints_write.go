package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// compound is embedded in changes that take more than one statement.
type compound struct{}

func (compound) alone(*writer) (bool, error) { return false, nil }
func (compound) size() int                   { return 0 }

// claimChange makes its caller the only writer of a thread.
type claimChange struct {
	compound
	thread string
	fence  int64 // the result
}

func (c *claimChange) write(t *groupTx) error {
	if _, err := t.scan(nextFence, []any{&c.fence}); err != nil {
		return err
	}
	t.changes++
	delete(t.w.view.threads, c.thread)
	return t.exec(claimThread, c.thread, c.fence)
}

// commitChange appends entries to a thread.
type commitChange struct {
	thread  string
	fence   int64
	entries []graph.Entry
}

func (c *commitChange) size() (n int) {
	for i := range c.entries {
		n += len(c.entries[i].Data) + len(c.entries[i].Snapshot)
	}
	return n
}

func (c *commitChange) alone(w *writer) (bool, error) {
	th := c.quick(w)
	if th == nil || len(c.entries) != 1 || c.entries[0].Snapshot != nil || th.mustSettle(&c.entries[0]) {
		return false, nil
	}
	done, err := c.appendQuick(w, w.stmts[quickAppend], th)
	if done {
		w.view.changes++
	}
	return done, err
}

func (c *commitChange) write(t *groupTx) error {
	th, rest := c.quick(t.w), c.entries
	if th != nil && !t.looked {
		done, err := c.appendQuick(t.w, t.stmt(quickAppend), th)
		if err != nil {
			return err
		}
		if done {
			t.changes++
			if err := t.extras(th, &rest[0]); err != nil {
				return err
			}
			rest = rest[1:]
		}
	}
	if len(rest) == 0 && len(c.entries) > 0 {
		return nil
	}
	th, err := t.writable(c.thread, c.fence)
	if err != nil {
		return err
	}
	if err := consecutive(rest, th.seq); err != nil {
		return err
	}
	for i := range rest {
		if err := t.append(th, &rest[i]); err != nil {
			return err
		}
	}
	return nil
}

// quick returns the thread when appendQuick may succeed, from what was known last.
func (c *commitChange) quick(w *writer) *thread {
	th, last := w.view.threads[c.thread], w.view.last
	if th == nil || th.id != last.id || last.tail >= maxTail || len(c.entries) == 0 || consecutive(c.entries, th.seq) != nil {
		return nil
	}
	return th
}

// appendQuick appends the first entry in a statement that checks everything by itself, and says whether it could.
func (c *commitChange) appendQuick(w *writer, stmt *sql.Stmt, th *thread) (bool, error) {
	e := &c.entries[0]
	res, err := stmt.ExecContext(context.Background(), th.no, c.fence, e.Seq, notNil(e.Data), th.id, w.view.last.tail+1)
	if err != nil {
		return false, w.db.explain(err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, w.db.explain(err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return false, w.db.explain(err)
	}
	w.view.appended(th, head{id, e.Seq})
	return true, nil
}

// writable returns a thread whose last claim is that of fence.
func (t *groupTx) writable(id string, fence int64) (*thread, error) {
	th, err := t.find(id)
	if err == nil && (th == nil || th.fence != fence) {
		err = refused{graph.ErrFenced}
	}
	return th, err
}

// consecutive refuses entries that do not follow the number last, one by one.
func consecutive(entries []graph.Entry, last int64) error {
	for i := range entries {
		if want := last + 1 + int64(i); entries[i].Seq != want {
			return refused{fmt.Errorf("%w: %d instead of %d", graph.ErrSequence, entries[i].Seq, want)}
		}
	}
	return nil
}

// append appends an entry that has been checked.
func (t *groupTx) append(th *thread, e *graph.Entry) error {
	v := &t.w.view
	h := head{v.last.id + 1, e.Seq}
	if err := t.exec(plainAppend, h.id, th.no, e.Seq, th.id, v.last.tail+1, notNil(e.Data)); err != nil {
		return err
	}
	v.appended(th, h)
	return t.extras(th, e)
}

// extras does what an entry brings besides its data.
func (t *groupTx) extras(th *thread, e *graph.Entry) error {
	if th.mustSettle(e) {
		if err := t.exec(settle, th.no); err != nil {
			return err
		}
		th.pended = 0
	}
	if e.Snapshot == nil {
		return nil
	}
	return t.exec(snapshot, th.no, e.Seq, e.Snapshot)
}

// mustSettle says whether an entry has to delete pending writes: those that it settles, when they are many.
func (th *thread) mustSettle(e *graph.Entry) bool { return e.Settles && th.pended >= maxSettled }

// notNil keeps an empty value from becoming NULL.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
