package sqlite

import "errors"

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
