package postgres

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kbagent/kbagent/graph"
)

// Lease implements graph.Leaser: it is Options.Lease.
func (c *Checkpoints) Lease() time.Duration { return c.db.opts.Lease }

// Renewals and releases do not wait for the server's disk, because a lease may be lost: after a crash of the server at the
// wrong moment it is an older one, and somebody looks after a thread that needs nothing. A claim may not: its fence would
// be given again.
const (
	renewSQL = `
UPDATE graph_threads SET lease_until = clock_timestamp() + $3::interval, reserved = false WHERE thread = $1 AND fence = $2
RETURNING set_config('synchronous_commit', 'off', true)`

	releaseSQL = `
WITH released AS (
	UPDATE graph_threads SET lease_until = NULL, reserved = false WHERE thread = $1 AND fence = $2 AND lease_until IS NOT NULL
	RETURNING set_config('synchronous_commit', 'off', true)
)
SELECT CASE WHEN $4::text <> '' THEN pg_notify($3, $4)::text END FROM released`
)

// Renew implements graph.Leaser.
func (c *Checkpoints) Renew(ctx context.Context, thread string, fence int64) error {
	n, err := c.db.write(ctx, renewSQL, []byte(thread), fence, c.db.opts.Lease)
	if err == nil && n == 0 {
		err = graph.ErrFenced
	}
	return err
}

// Release implements graph.Leaser. It tells [Checkpoints.Watch].
func (c *Checkpoints) Release(ctx context.Context, thread string, fence int64) error {
	_, err := c.db.write(ctx, releaseSQL, []byte(thread), fence, c.db.opts.Schema, notice(Released, thread))
	return err
}

// takeSQL compares with the clock at its start, so that the index serves it. Rows that another worker is taking, or that
// a claim or a write holds at this moment, are passed over.
const takeSQL = `
WITH lost AS MATERIALIZED (
	SELECT no FROM graph_threads WHERE lease_until < now() AND seq > 0 AND position('\x1f'::bytea IN thread) = 0
	ORDER BY lease_until LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE graph_threads t SET lease_until = clock_timestamp() + $2::interval, reserved = true
FROM lost WHERE t.no = lost.no RETURNING t.thread, t.lease_until`

// dismissSQL knows a reservation by its end: the next one of the thread begins only after that.
const dismissSQL = `
UPDATE graph_threads SET lease_until = NULL, reserved = false WHERE thread = $1 AND reserved AND lease_until = $2`

// reservations are the ends of those that this process has been given, by thread. Those that ran out long ago are forgotten.
type reservations struct {
	mu   sync.Mutex
	ends map[string]reservation
}

type reservation struct {
	end  time.Time // by the clock of the database
	from time.Time // by the clock of this process
}

func (r *reservations) add(taken map[string]time.Time, lease time.Duration) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ends == nil {
		r.ends = map[string]reservation{}
	}
	maps.DeleteFunc(r.ends, func(_ string, old reservation) bool { return now.Sub(old.from) > 2*lease })
	for thread, end := range taken {
		r.ends[thread] = reservation{end, now}
	}
}

// end is that of a reservation, false when there is none.
func (r *reservations) end(thread string) (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	res, ok := r.ends[thread]
	return res.end, ok
}

// TakeAbandoned returns up to limit threads (≥ 1) whose lease has run out without a release: the process that worked on
// them has died, or cannot reach the database. They are reserved for the caller for one Lease: no other call returns them
// meanwhile. It takes no claim; the caller's Resume does, and that shuts the earlier writer out should it still live.
// Children of threads are never returned: resuming the thread resumes them.
//
// A worker calls [Checkpoints.Dismiss] when it is done with a thread in whatever way; see the example.
// Nothing wakes a worker when a lease runs out: it asks again after a part of the lease.
func (c *Checkpoints) TakeAbandoned(ctx context.Context, limit int) (threads []string, err error) {
	if limit < 1 {
		return nil, fmt.Errorf("postgres: take %d threads: at least 1", limit)
	}
	err = c.db.with(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, takeSQL, limit, c.db.opts.Lease)
		if err != nil {
			return explainSent(ctx, err)
		}
		var (
			id    []byte
			end   time.Time
			taken = map[string]time.Time{}
		)
		_, err = pgx.ForEachRow(rows, []any{&id, &end}, func() error {
			threads, taken[string(id)] = append(threads, string(id)), end
			return nil
		})
		if err == nil {
			c.db.reserved.add(taken, c.db.opts.Lease)
		}
		return explainSent(ctx, err)
	})
	if err != nil {
		return nil, err
	}
	return threads, nil
}

// Dismiss ends the reservation of a thread that [Checkpoints.TakeAbandoned] has returned, so that it is not returned again.
// It does nothing when somebody has claimed the thread since, as a Resume does that finds work: the release of that run
// is what counts. It is for the others: the run had come to its end before its process died, or cannot be resumed.
// It does nothing either when the thread was reserved through another [DB], or by now is, because this reservation has run out.
func (c *Checkpoints) Dismiss(ctx context.Context, thread string) error {
	end, ok := c.db.reserved.end(thread)
	if !ok {
		return nil
	}
	_, err := c.db.write(ctx, dismissSQL, []byte(thread), end)
	return err
}
