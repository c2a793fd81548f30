package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/graph"
)

// trimChange shortens a log.
type trimChange struct {
	compound
	thread string
	cut    graph.Cut
}

func (c *trimChange) write(t *groupTx) error {
	if err := t.record(); err != nil {
		return err
	}
	th, err := t.find(c.thread)
	if err != nil {
		return err
	}
	if th == nil {
		return refused{fmt.Errorf("%w: %q does not exist", graph.ErrConflict, c.thread)}
	}
	links, err := t.links(th)
	if err != nil {
		return err
	}
	if err := c.check(t, th, links); err != nil {
		return err
	}
	kept, dropped := c.divide(links)
	if err := t.drop(dropped); err != nil {
		return err
	}
	if err := t.relink(kept); err != nil {
		return err
	}
	if err := t.execText(`UPDATE graph_log SET data = ? WHERE id = ?`, notNil(c.cut.New), kept[0].id); err != nil {
		return err
	}
	return t.execText(`DELETE FROM graph_snapshots WHERE no = ? AND seq < ?`, th.no, c.cut.Seq)
}

// check refuses a cut of a log that is not what the caller has read.
func (c *trimChange) check(t *groupTx, th *thread, links []link) error {
	at := slices.IndexFunc(links, func(l link) bool { return l.seq == c.cut.Seq })
	if at < 0 {
		return refused{fmt.Errorf("%w: %q has no entry %d", graph.ErrConflict, c.thread, c.cut.Seq)}
	}
	var data []byte
	if err := t.tx.QueryRowContext(context.Background(), `SELECT data FROM graph_log WHERE id = ?`, links[at].id).Scan(&data); err != nil {
		return t.w.db.explain(err)
	}
	if !bytes.Equal(data, c.cut.Old) {
		return refused{fmt.Errorf("%w: entry %d of %q", graph.ErrConflict, c.cut.Seq, c.thread)}
	}
	for _, seq := range c.cut.Drop {
		if seq <= c.cut.Seq || seq >= th.seq {
			return refused{fmt.Errorf("%w: entry %d of %q cannot be dropped", graph.ErrConflict, seq, c.thread)}
		}
	}
	return nil
}

// divide tells the entries that stay from those that go.
func (c *trimChange) divide(links []link) (kept, dropped []link) {
	for _, l := range links {
		if l.seq < c.cut.Seq || drops(c.cut, l.seq) {
			dropped = append(dropped, l)
		} else {
			kept = append(kept, l)
		}
	}
	return kept, dropped
}

// relink makes each entry point to the one before it.
func (t *groupTx) relink(links []link) error {
	prev := int64(0)
	for _, l := range links {
		if l.prev != prev {
			if err := t.execText(`UPDATE graph_log SET prev = ? WHERE id = ?`, prev, l.id); err != nil {
				return err
			}
		}
		prev = l.id
	}
	return nil
}

func drops(cut graph.Cut, seq int64) bool {
	_, found := slices.BinarySearch(cut.Drop, seq)
	return found
}
