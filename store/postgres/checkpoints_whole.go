package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kbagent/kbagent/graph"
)

// family is a condition on a thread id: that of $1 or of its children, which lie from $2 on and before $3.
const family = `(thread = $1 OR thread >= $2 AND thread < $3)`

// familyOf are the parameters of family.
func familyOf(thread string) (id, low, high []byte) {
	return []byte(thread), []byte(thread + graph.ChildMark), []byte(thread + string(rune(graph.ChildMark[0]+1)))
}

// Delete implements graph.Store. The rows of the threads go first: that waits for running writes and refuses later ones.
// What belongs to them goes in statements of their own, which see what those writes have left.
func (c *Checkpoints) Delete(ctx context.Context, thread string) error {
	id, low, high := familyOf(thread)
	return c.db.inTx(ctx, writing, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `DELETE FROM graph_threads WHERE `+family+` RETURNING no`, id, low, high)
		if err != nil {
			return err
		}
		gone, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil || len(gone) == 0 {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`DELETE FROM graph_entries WHERE no = ANY ($1)`, gone)
		b.Queue(`DELETE FROM graph_snapshots WHERE no = ANY ($1)`, gone)
		b.Queue(`DELETE FROM graph_pending WHERE no = ANY ($1)`, gone)
		if text := notice(Deleted, thread); text != "" {
			b.Queue(`SELECT pg_notify($1, $2)`, c.db.opts.Schema, text)
		}
		return tx.SendBatch(ctx, b).Close()
	})
}

// The statements of Copy. $1 to $3 are the family that is copied, $4 the new id.
const (
	copyThreads = `
INSERT INTO graph_threads (thread, fence, seq)
SELECT $4::bytea || substr(thread, length($1::bytea) + 1), nextval('graph_fences'), seq FROM graph_threads WHERE ` + family

	copyPairs = `
WITH pair AS (
	SELECT o.no AS old, n.no AS new FROM (SELECT no, thread FROM graph_threads WHERE ` + family + `) AS o
	JOIN graph_threads n ON n.thread = $4::bytea || substr(o.thread, length($1::bytea) + 1)
)`

	copyEntries   = copyPairs + ` INSERT INTO graph_entries SELECT pair.new, e.seq, e.data FROM pair JOIN graph_entries e ON e.no = pair.old`
	copySnapshots = copyPairs + ` INSERT INTO graph_snapshots SELECT pair.new, s.seq, s.data FROM pair JOIN graph_snapshots s ON s.no = pair.old`
	copyPending   = copyPairs + ` INSERT INTO graph_pending SELECT pair.new, p.seq, p.key, p.data FROM pair JOIN graph_pending p ON p.no = pair.old`
)

// Copy implements graph.Store. It locks nothing of from: a run may go on writing it.
func (c *Checkpoints) Copy(ctx context.Context, from, to string) error {
	if err := checkLength(to); err != nil {
		return err
	}
	return c.db.inTx(ctx, oneMoment, func(ctx context.Context, tx pgx.Tx) error {
		if err := c.makeRoom(ctx, tx, from, to); err != nil {
			return err
		}
		id, low, high := familyOf(from)
		b := &pgx.Batch{}
		for _, sql := range []string{copyThreads, copyEntries, copySnapshots, copyPending} {
			b.Queue(sql, id, low, high, []byte(to))
		}
		return tx.SendBatch(ctx, b).Close()
	})
}

// makeRoom checks both ends of a copy and removes what a claim has left of to.
func (c *Checkpoints) makeRoom(ctx context.Context, tx pgx.Tx, from, to string) error {
	var exists, taken bool
	id, low, high := familyOf(to)
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM graph_threads WHERE thread = $4 AND seq > 0),
		EXISTS (SELECT 1 FROM graph_threads WHERE `+family+` AND seq > 0)`, id, low, high, []byte(from)).Scan(&exists, &taken)
	switch {
	case err != nil:
		return err
	case !exists:
		return fmt.Errorf("%w: %q", graph.ErrNoThread, from)
	case taken:
		return fmt.Errorf("%w: %q", graph.ErrThreadExists, to)
	}
	_, err = tx.Exec(ctx, `WITH gone AS (DELETE FROM graph_threads WHERE `+family+` RETURNING no)
		DELETE FROM graph_pending p USING gone WHERE p.no = gone.no`, id, low, high)
	return err
}

// Trim implements graph.Store. It holds the thread's row, so that a run that writes waits for it.
func (c *Checkpoints) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	return c.db.inTx(ctx, writing, func(ctx context.Context, tx pgx.Tx) error {
		var no, last int64
		err := tx.QueryRow(ctx, `SELECT no, seq FROM graph_threads WHERE thread = $1 FOR NO KEY UPDATE`, []byte(thread)).Scan(&no, &last)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%w: %q does not exist", graph.ErrConflict, thread)
		}
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(cut.Drop, func(seq int64) bool { return seq <= cut.Seq || seq >= last }); i >= 0 {
			return fmt.Errorf("%w: entry %d of %q cannot be dropped", graph.ErrConflict, cut.Drop[i], thread)
		}
		tag, err := tx.Exec(ctx, `UPDATE graph_entries SET data = $4 WHERE no = $1 AND seq = $2 AND data = $3`, no, cut.Seq, notNil(cut.Old), notNil(cut.New))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("%w: entry %d of %q", graph.ErrConflict, cut.Seq, thread)
		}
		b := &pgx.Batch{}
		b.Queue(`DELETE FROM graph_entries WHERE no = $1 AND (seq < $2 OR seq = ANY ($3))`, no, cut.Seq, cut.Drop)
		b.Queue(`DELETE FROM graph_snapshots WHERE no = $1 AND seq < $2`, no, cut.Seq)
		return tx.SendBatch(ctx, b).Close()
	})
}
