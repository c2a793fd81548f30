package sqlite

import (
	"context"

	"github.com/kbagent/kbagent/graph"
)

// Checkpoints keeps the threads of package graph in the file. It implements graph.Store and is safe for concurrent use by
// any number of goroutines and processes. What a commit survives is the setting of Options.Synchronous.
//
// A step of one task costs one statement, which checks the fence and appends the entry. Writes that come while another one
// is under way share the next transaction, so that many threads pay once for making it durable; each of them returns when
// it is durable. A write waits up to ten seconds for another process that writes.
type Checkpoints struct {
	db     *DB
	writes committer
}

var _ graph.Store = (*Checkpoints)(nil)

// Checkpoints returns the store of threads in db. It lives as long as db; call it once and share the result, since only
// writes through one store share transactions.
func (db *DB) Checkpoints() *Checkpoints {
	return &Checkpoints{db: db, writes: committer{writer: &writer{db: db}}}
}

// Claim implements graph.Store.
func (c *Checkpoints) Claim(ctx context.Context, thread string) (int64, error) {
	ch := &claimChange{thread: thread}
	if err := c.writes.do(ctx, ch); err != nil {
		return 0, err
	}
	return ch.fence, nil
}

// Commit implements graph.Store.
func (c *Checkpoints) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	return c.writes.do(ctx, &commitChange{thread, fence, entries})
}

// Pend implements graph.Store.
func (c *Checkpoints) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	return c.writes.do(ctx, &pendChange{thread, fence, writes})
}

// Copy implements graph.Store.
func (c *Checkpoints) Copy(ctx context.Context, from, to string) error {
	return c.writes.do(ctx, &copyChange{from: from, to: to})
}

// Trim implements graph.Store.
func (c *Checkpoints) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	return c.writes.do(ctx, &trimChange{thread: thread, cut: cut})
}

// Delete implements graph.Store.
func (c *Checkpoints) Delete(ctx context.Context, thread string) error {
	return c.writes.do(ctx, &deleteChange{thread: thread})
}
