package sqlite

import (
	"context"
	"slices"
	"sync"
)

// A group of requests shares a transaction, and with it the cost of making it durable. It stays within these bounds, so
// that whoever comes next does not wait long; a single request may be larger.
const (
	maxGroup      = 256
	maxGroupBytes = 4 << 20
)

// A change is what a caller wants to be written. It may be written twice, when the transaction of the first time failed.
type change interface {
	// write does it. A refused error says that it must not be done and that nothing was written; after any other
	// error the transaction is rolled back.
	write(tx *groupTx) error
	// alone tries to do it in one statement, which is a transaction of its own. It says whether it is done.
	alone(w *writer) (done bool, err error)
	// size is about the number of bytes to be written.
	size() int
}

// refused wraps an error that concerns one change only.
type refused struct{ error }

// A committer puts concurrent changes into common transactions. The first caller becomes the leader: it writes its own
// change and all that queue up meanwhile, commits, wakes the others, and gives the lead to the one that has waited longest.
// So there is no goroutine to be ended, and a caller without company does not wait for anybody.
type committer struct {
	writer *writer // belongs to the leader

	mu      sync.Mutex
	queue   []*request // ordered by number
	arrived int64      // the number of the last request
	led     bool
}

// A request is a change with its caller.
type request struct {
	change
	ctx    context.Context
	number int64
	turn   chan bool // true = lead; false = err is the answer
	err    error
}

// do writes a change and returns when it is durable or has failed. While it waits, the end of ctx takes it out
// of the queue; once it is part of a transaction it waits for the outcome.
func (c *committer) do(ctx context.Context, ch change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{change: ch, ctx: ctx}
	if c.enqueue(r) && !c.wait(r) {
		return r.err
	}
	defer c.handOver()
	return c.lead(r)
}

// enqueue says whether r has to wait; otherwise it leads.
func (c *committer) enqueue(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.led {
		c.led = true
		return false
	}
	c.arrived++
	r.number, r.turn = c.arrived, make(chan bool, 1)
	c.queue = append(c.queue, r)
	return true
}

// wait says whether r is to lead; otherwise r.err is its answer.
func (c *committer) wait(r *request) (lead bool) {
	select {
	case lead = <-r.turn:
		return lead
	case <-r.ctx.Done():
	}
	if c.leave(r) {
		r.err = r.ctx.Err()
		return false
	}
	return <-r.turn
}

// leave takes r out of the queue and says whether it was there.
func (c *committer) leave(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.queue, r)
	if i < 0 {
		return false
	}
	c.queue = slices.Delete(c.queue, i, i+1)
	return true
}

// next takes the first request out of the queue; nil = there is none.
func (c *committer) next() *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pop()
}

func (c *committer) pop() *request {
	if len(c.queue) == 0 {
		return nil
	}
	r := c.queue[0]
	c.queue = slices.Delete(c.queue, 0, 1)
	return r
}

// handOver gives the lead to the caller that has waited longest.
func (c *committer) handOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.pop()
	if r == nil {
		c.led = false
		return
	}
	r.turn <- true
}

// crowded says whether anybody waits.
func (c *committer) crowded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) > 0
}

// last is the number of the last request.
func (c *committer) last() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.arrived
}

// fail answers the requests up to a number.
func (c *committer) fail(last int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && c.queue[0].number <= last {
		r := c.pop()
		r.err = err
		r.turn <- false
	}
}
