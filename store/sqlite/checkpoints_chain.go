package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/kbagent/kbagent/graph"
)

// A chain is the entries of a thread, which are found from the last one backwards.
type chain struct {
	db   *DB
	tx   *sql.Tx
	head int64 // id of the last entry; 0 = there is none
}

// A link is an entry without its data.
type link struct{ id, seq, prev int64 }

// follow finds a thread; no is 0 when it does not exist.
func (db *DB) follow(ctx context.Context, tx *sql.Tx, thread string) (no int64, c chain, err error) {
	c = chain{db: db, tx: tx}
	err = tx.QueryRowContext(ctx, `SELECT t.no, ifnull((SELECT id FROM graph_log WHERE no = t.no AND id > `+afterTail+` ORDER BY id DESC LIMIT 1), t.head)
		FROM graph_threads t WHERE t.thread = ?`, thread).Scan(&no, &c.head)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return no, c, err
}

// links returns the entries with a number greater than after, oldest first.
// It returns ErrDamaged when one is missing.
func (c chain) links(ctx context.Context, after int64) ([]link, error) {
	if c.head == 0 {
		return nil, nil
	}
	var links []link
	list := scanAll(ctx, c.tx, func(r *sql.Rows, l *link) error { return r.Scan(&l.id, &l.seq, &l.prev) },
		`WITH RECURSIVE chain (id, seq, prev) AS (
			SELECT id, seq, prev FROM graph_log WHERE id = ?1
			UNION ALL SELECT l.id, l.seq, l.prev FROM chain c CROSS JOIN graph_log l ON l.id = c.prev WHERE c.seq > ?2 AND l.id < c.id)
		SELECT id, seq, prev FROM chain`, c.head, after)
	for l, err := range list {
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	end := len(links) - 1
	if end < 0 || links[end].prev != 0 && links[end].seq > after {
		return nil, fmt.Errorf("%s: %w: an entry of a thread is missing", c.db.path, ErrDamaged)
	}
	if links[end].seq <= after {
		links = links[:end]
	}
	slices.Reverse(links)
	return links, nil
}

// entries yields the entries with a number greater than after, oldest first; the first error ends it.
func (c chain) entries(ctx context.Context, after int64) iter.Seq2[graph.Entry, error] {
	return func(yield func(graph.Entry, error) bool) {
		links, err := c.links(ctx, after)
		if err != nil {
			yield(graph.Entry{}, err)
			return
		}
		for some := range slices.Chunk(links, 256) {
			list := scanAll(ctx, c.tx, func(r *sql.Rows, e *graph.Entry) error { return r.Scan(&e.Seq, &e.Data) },
				`SELECT seq, data FROM graph_log WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`, idList(some))
			for e, err := range list {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// idList is a list of ids for SQLite's json_each.
func idList(links []link) string {
	list := []byte{'['}
	for i, l := range links {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, l.id, 10)
	}
	return string(append(list, ']'))
}
