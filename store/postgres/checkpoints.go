package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/graph"
)

// Checkpoints keeps the threads of package graph. It implements graph.Store and graph.Leaser and is safe for concurrent use
// by any number of goroutines and processes. Thread ids of up to 2,600 bytes fit, and any key and payload below 1 GB.
//
// The engine gives its commits a context without an end; they end with Options.Timeout. A write that returns [ErrReplyLost]
// may be stored or not; the run fails with it, and resuming the thread goes on from what is stored.
type Checkpoints struct{ db *DB }

var (
	_ graph.Store  = (*Checkpoints)(nil)
	_ graph.Leaser = (*Checkpoints)(nil)
)

// Checkpoints returns the store of threads in db. It lives as long as db.
func (db *DB) Checkpoints() *Checkpoints { return &Checkpoints{db} }

// claimSQL takes the fence while it has the thread's row, so that the last one to have it has the greatest fence.
// It waits for the disk even where the URL says that nothing does: after a crash of the server its fence would be given
// again, to somebody else.
const claimSQL = `
WITH claim AS (
	INSERT INTO graph_threads AS t (thread, fence, lease_until) VALUES ($1, nextval('graph_fences'), clock_timestamp() + $2::interval)
	ON CONFLICT (thread) DO UPDATE SET fence = nextval('graph_fences'), lease_until = clock_timestamp() + $2::interval, reserved = false
	RETURNING fence
)
SELECT fence, CASE WHEN $4::text <> '' THEN pg_notify($3, $4)::text END,
	CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'local', true) END FROM claim`

// maxThread is how long an id may be; a notification holds some 8,000 bytes, and an index somewhat more than this.
const maxThread = 2600

// checkLength refuses an id that is too long for notifications. There are none of children, which the index alone limits.
func checkLength(thread string) error {
	if len(thread) > maxThread && !strings.Contains(thread, graph.ChildMark) {
		return fmt.Errorf("%w, not %d", ErrThreadTooLong, len(thread))
	}
	return nil
}

// Claim implements graph.Store. It begins a lease.
func (c *Checkpoints) Claim(ctx context.Context, thread string) (fence int64, err error) {
	if err := checkLength(thread); err != nil {
		return 0, err
	}
	err = c.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		row := conn.QueryRow(ctx, claimSQL, []byte(thread), c.db.opts.Lease, c.db.opts.Schema, notice(Claimed, thread))
		return explainSent(ctx, row.Scan(&fence, nil, nil))
	})
	return fence, err
}

// The statements of Commit: the thread's row is taken, changed and locked only with the right fence and number, and
// everything else follows from that row. A later claim waits for the lock; an earlier one is seen once the lock is there.
const (
	appendSQL = `
WITH head AS (
	UPDATE graph_threads SET seq = $3 WHERE thread = $1 AND fence = $2 AND seq + 1 = $3 RETURNING no
)
INSERT INTO graph_entries (no, seq, data) SELECT no, $3, $4 FROM head`

	commitSQL = `
WITH head AS (
	UPDATE graph_threads SET seq = seq + cardinality($4::bytea[]) WHERE thread = $1 AND fence = $2 AND seq + 1 = $3 RETURNING no
), settled AS (
	DELETE FROM graph_pending p USING head WHERE p.no = head.no AND $5::boolean
), snapshot AS (
	INSERT INTO graph_snapshots (no, seq, data) SELECT no, $6, $7 FROM head WHERE $7::bytea IS NOT NULL
	ON CONFLICT (no) DO UPDATE SET seq = excluded.seq, data = excluded.data
)
INSERT INTO graph_entries (no, seq, data)
SELECT head.no, $3 - 1 + e.n, e.data FROM head, unnest($4::bytea[]) WITH ORDINALITY AS e (data, n)`
)

// Commit implements graph.Store. It is one statement for any number of entries.
func (c *Checkpoints) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	if len(entries) == 0 {
		return errors.New("postgres: a commit has no entry")
	}
	first := entries[0].Seq
	for i := range entries {
		if entries[i].Seq != first+int64(i) {
			return c.refused(ctx, thread, fence, entries[i].Seq)
		}
	}
	n, err := c.commit(ctx, thread, fence, entries)
	if err == nil && n == 0 {
		err = c.refused(ctx, thread, fence, first)
	}
	return err
}

func (c *Checkpoints) commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) (int64, error) {
	first := &entries[0]
	if len(entries) == 1 && first.Snapshot == nil && !first.Settles {
		return c.db.write(ctx, appendSQL, []byte(thread), fence, first.Seq, notNil(first.Data))
	}
	var (
		data        = make([][]byte, len(entries))
		settles     bool
		snapshot    []byte
		snapshotSeq int64
	)
	for i := range entries {
		e := &entries[i]
		data[i], settles = notNil(e.Data), settles || e.Settles
		if e.Snapshot != nil {
			snapshot, snapshotSeq = e.Snapshot, e.Seq
		}
	}
	return c.db.write(ctx, commitSQL, []byte(thread), fence, first.Seq, data, settles, snapshotSeq, snapshot)
}

// pendSQL shares the lock, so that the tasks of a step do not wait for one another.
const pendSQL = `
WITH head AS (
	SELECT no FROM graph_threads WHERE thread = $1 AND fence = $2 AND seq + 1 = $3 FOR SHARE
)
INSERT INTO graph_pending (no, seq, key, data)
SELECT head.no, $3, w.key, w.data FROM head, unnest($4::bytea[], $5::bytea[]) AS w (key, data)
ON CONFLICT (no, sha256(key)) DO UPDATE SET seq = excluded.seq, data = excluded.data`

// Pend implements graph.Store. It is one statement for any number of writes; without any it takes no lock.
func (c *Checkpoints) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	if len(writes) == 0 {
		return c.claimed(ctx, thread, fence)
	}
	seq := writes[0].Seq
	for i := range writes {
		if writes[i].Seq != seq {
			return c.refused(ctx, thread, fence, writes[i].Seq)
		}
	}
	keys, data := columns(writes)
	n, err := c.db.write(ctx, pendSQL, []byte(thread), fence, seq, keys, data)
	if err == nil && n == 0 {
		err = c.refused(ctx, thread, fence, seq)
	}
	return err
}

// claimed returns ErrFenced unless fence is that of the last claim.
func (c *Checkpoints) claimed(ctx context.Context, thread string, fence int64) error {
	return c.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		var stands bool
		err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM graph_threads WHERE thread = $1 AND fence = $2)`, []byte(thread), fence).Scan(&stands)
		if err == nil && !stands {
			return graph.ErrFenced
		}
		return explain(err)
	})
}

// columns are the keys and data of writes in the order of the keys, of each key the last one: one statement writes a row
// once, and two with the same order never wait for each other in a circle.
func columns(writes []graph.PendingWrite) (keys, data [][]byte) {
	last := make(map[string][]byte, len(writes))
	for i := range writes {
		last[writes[i].Key] = notNil(writes[i].Data)
	}
	for _, key := range slices.Sorted(maps.Keys(last)) {
		keys, data = append(keys, []byte(key)), append(data, last[key])
	}
	return keys, data
}

// refused finds out why a write has found no row: the claim is lost, or its number is wrong.
func (c *Checkpoints) refused(ctx context.Context, thread string, fence, seq int64) error {
	return c.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		var holder, last int64
		err := conn.QueryRow(ctx, `SELECT fence, seq FROM graph_threads WHERE thread = $1`, []byte(thread)).Scan(&holder, &last)
		switch {
		case errors.Is(err, pgx.ErrNoRows), err == nil && holder != fence:
			return graph.ErrFenced
		case err != nil:
			return explain(err)
		}
		return fmt.Errorf("%w: %d, the last one is %d", graph.ErrSequence, seq, last)
	})
}

// notNil keeps an empty value from becoming NULL.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
