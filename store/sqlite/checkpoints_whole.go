package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/graph"
)

// A member is a thread of a family: a thread with its children.
type member struct {
	name string
	thread
}

// family lists a thread, when it exists, and its children.
func (t *groupTx) family(name string) (list []member, err error) {
	rows := scanAll(context.Background(), t.tx, func(r *sql.Rows, m *member) error {
		return r.Scan(&m.name, &m.no, &m.fence, &m.id, &m.seq)
	}, `SELECT thread, no, fence, head, seq FROM graph_threads WHERE thread = ?1 OR thread >= ?2 AND thread < ?3`,
		name, name+graph.ChildMark, name+string(graph.ChildMark[0]+1))
	for m, err := range rows {
		if err != nil {
			return nil, t.w.db.explain(err)
		}
		list = append(list, m)
	}
	return list, nil
}

// links returns all entries of a thread whose head is recorded.
func (t *groupTx) links(th *thread) ([]link, error) {
	links, err := chain{t.w.db, t.tx, th.id}.links(context.Background(), 0)
	return links, t.w.db.explain(err)
}

// deleteChange removes a thread and its children.
type deleteChange struct {
	compound
	thread string
}

// write makes the tables complete, goes by them alone, and lets the view begin anew.
func (c *deleteChange) write(t *groupTx) error {
	if err := t.record(); err != nil {
		return err
	}
	family, err := t.family(c.thread)
	if err != nil {
		return err
	}
	for i := range family {
		if err := t.remove(&family[i].thread); err != nil {
			return err
		}
	}
	return t.reload()
}

// remove deletes one thread with all that belongs to it.
func (t *groupTx) remove(th *thread) error {
	links, err := t.links(th)
	switch {
	case err == nil:
		err = t.drop(links)
	case errors.Is(err, ErrDamaged): // a thread that cannot be read can still be deleted
		err = t.execText(`DELETE FROM graph_log WHERE no = ?`, th.no)
	}
	if err != nil {
		return err
	}
	for _, table := range []string{"graph_snapshots", "graph_pending", "graph_threads"} {
		if err := t.execText(`DELETE FROM `+table+` WHERE no = ?`, th.no); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes entries.
func (t *groupTx) drop(links []link) error {
	if len(links) == 0 {
		return nil
	}
	return t.execText(`DELETE FROM graph_log WHERE id IN (SELECT value FROM json_each(?))`, idList(links))
}

// copyChange makes to a copy of from.
type copyChange struct {
	compound
	from, to string
}

// write makes the tables complete, goes by them alone, and lets the view begin anew.
func (c *copyChange) write(t *groupTx) error {
	if err := t.record(); err != nil {
		return err
	}
	family, err := c.check(t)
	if err != nil {
		return err
	}
	for i := range family {
		to := c.to + strings.TrimPrefix(family[i].name, c.from)
		if err := t.duplicate(&family[i].thread, to); err != nil {
			return err
		}
	}
	return t.reload()
}

// check returns the family of from when it can be copied.
func (c *copyChange) check(t *groupTx) ([]member, error) {
	taken, err := t.family(c.to)
	if err != nil {
		return nil, err
	}
	family, err := t.family(c.from)
	if err != nil {
		return nil, err
	}
	exists := false
	for _, m := range family {
		exists = exists || m.name == c.from && m.seq > 0
	}
	if !exists {
		return nil, refused{fmt.Errorf("%w: %q", graph.ErrNoThread, c.from)}
	}
	for _, m := range taken {
		if m.seq > 0 {
			return nil, refused{fmt.Errorf("%w: %q", graph.ErrThreadExists, c.to)}
		}
	}
	return family, nil
}

// duplicate makes a thread that is like th; one of that name has no entry and is replaced.
func (t *groupTx) duplicate(th *thread, name string) error {
	old, err := t.family(name)
	if err != nil {
		return err
	}
	for i := range old {
		if old[i].name == name {
			if err := t.remove(&old[i].thread); err != nil {
				return err
			}
		}
	}
	no, err := t.create(name)
	if err != nil {
		return err
	}
	if err := t.copyLog(th, no); err != nil {
		return err
	}
	if err := t.execText(`INSERT INTO graph_snapshots (no, seq, data) SELECT ?, seq, data FROM graph_snapshots WHERE no = ?`, no, th.no); err != nil {
		return err
	}
	return t.execText(`INSERT INTO graph_pending (no, key, seq, data) SELECT ?, key, seq, data FROM graph_pending WHERE no = ? AND seq = ?`, no, th.no, th.seq+1)
}

// create makes a thread that nobody has claimed.
func (t *groupTx) create(name string) (no int64, err error) {
	claim := claimChange{thread: name}
	if err := claim.write(t); err != nil {
		return 0, err
	}
	err = t.tx.QueryRowContext(context.Background(), `SELECT no FROM graph_threads WHERE thread = ?`, name).Scan(&no)
	return no, t.w.db.explain(err)
}

// copyLog appends the entries of a thread as those of thread no.
func (t *groupTx) copyLog(th *thread, no int64) error {
	links, err := t.links(th)
	if err != nil || len(links) == 0 {
		return err
	}
	var base int64
	if err := t.tx.QueryRowContext(context.Background(), `SELECT max(id) FROM graph_log`).Scan(&base); err != nil {
		return t.w.db.explain(err)
	}
	err = t.execText(`WITH source (id, place) AS (SELECT value, key + 1 FROM json_each(?1))
		INSERT INTO graph_log (id, no, seq, prev, tail, data)
		SELECT ?2 + place, ?3, seq, iif(place = 1, 0, ?2 + place - 1), 0, data FROM source JOIN graph_log USING (id)`, idList(links), base, no)
	if err != nil {
		return err
	}
	return t.execText(`UPDATE graph_threads SET head = ?, seq = ? WHERE no = ?`, base+int64(len(links)), th.seq, no)
}
