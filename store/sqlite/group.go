package sqlite

import (
	"context"
	"errors"
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

// lead writes r and what else waits.
func (c *committer) lead(r *request) error {
	if err := r.ctx.Err(); err != nil { // it ended when the lead came
		return err
	}
	if r.ctx.Done() == nil && !c.crowded() { // one statement cannot heed ctx only until it has the connection
		if done, err := r.alone(c.writer); done || err != nil {
			return err
		}
	}
	conn, err := c.writer.connect(r.ctx)
	if err != nil {
		return err
	}
	last := c.last()
	tx, err := c.writer.begin(conn)
	if err != nil { // nobody can write now: who has waited as long need not wait for the lock again
		c.fail(last, err)
		return err
	}
	return c.commit(tx, r)
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

// commit writes first and what queues up meanwhile, and answers all of them but first, whose answer it returns.
func (c *committer) commit(tx *groupTx, first *request) error {
	group, err := c.write(tx, first)
	if err == nil {
		err = tx.commit()
	} else {
		err = errors.Join(err, tx.rollback())
	}
	switch {
	case err == nil:
	case len(group) == 1:
		first.err = err
	default:
		for _, r := range group {
			r.err = c.again(r)
		}
	}
	for _, r := range group[1:] {
		r.turn <- false
	}
	return first.err
}

// write writes first and takes requests from the queue until it is empty or the group is full. An error is that of the
// transaction; the requests' own ones are in them.
func (c *committer) write(tx *groupTx, first *request) (group []*request, err error) {
	bytes := 0
	for r := first; r != nil; r = c.next() {
		group = append(group, r)
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		if r.err, err = split(r.write(tx)); err != nil {
			return group, err
		}
		if bytes += r.size(); bytes >= maxGroupBytes || len(group) == maxGroup {
			break
		}
	}
	return group, nil
}

// again writes a request in a transaction of its own, after that of its group has failed.
func (c *committer) again(r *request) error {
	conn, err := c.writer.connect(r.ctx)
	if err != nil {
		return err
	}
	tx, err := c.writer.begin(conn)
	if err != nil {
		return err
	}
	refusal, err := split(r.write(tx))
	if err == nil && refusal == nil {
		return tx.commit()
	}
	return errors.Join(refusal, err, tx.rollback())
}

// split tells an error that concerns one change from one of the transaction.
func split(err error) (refusal, failure error) {
	if r, ok := errors.AsType[refused](err); ok {
		return r.error, nil
	}
	return nil, err
}
