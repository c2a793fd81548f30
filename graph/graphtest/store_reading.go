package graphtest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/kbagent/kbagent/graph"
)

// readers watch threads that others write: whatever was committed before a look began must be in what it returns.
type readers struct {
	*storeTest
	committed [4]atomic.Int64 // entries of thread "t0", "t1", …, raised after each commit
	running   atomic.Int32    // writers
}

func (t *storeTest) readWhileWriting() {
	const rounds = 40
	r := &readers{storeTest: t}
	r.running.Store(int32(len(r.committed)))
	looks := []func() error{r.lookAtThreads, r.lookAtLogs, r.lookAtRecords}
	t.atOnce(len(r.committed)+len(looks), func(i int) error {
		if i < len(looks) {
			return r.watch(looks[i])
		}
		defer r.running.Add(-1)
		return r.write(i-len(looks), rounds)
	})
	t.equal(t.threads(), fmt.Sprintf("t0=%d t1=%[1]d t2=%[1]d t3=%[1]d", rounds))
}

// watch looks until the writers have ended, and once more.
func (r *readers) watch(look func() error) error {
	for last := false; !last; {
		last = r.running.Load() == 0
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}

// write commits to one thread, two entries at a time in every other round.
func (r *readers) write(i, rounds int) error {
	id := fmt.Sprint("t", i)
	fence, err := r.store.Claim(r.Context(), id)
	if err != nil {
		return err
	}
	for seq := int64(1); seq <= int64(rounds); seq++ {
		if seq%4 == 1 && seq < int64(rounds) {
			two := []graph.Entry{entry(seq, fmt.Sprint(seq)), entry(seq+1, fmt.Sprint(seq+1))}
			err = r.store.Commit(r.Context(), id, fence, two)
			seq++
		} else {
			err = r.round(id, fence, seq)
		}
		if err != nil {
			return err
		}
		r.committed[i].Store(seq)
	}
	return nil
}

// known is what has been committed so far.
func (r *readers) known() (seqs [4]int64) {
	for i := range r.committed {
		seqs[i] = r.committed[i].Load()
	}
	return seqs
}

func (r *readers) lookAtThreads() error {
	known, found, before := r.known(), map[string]int64{}, ""
	for info, err := range r.store.Threads(r.Context()) {
		if err != nil {
			return fmt.Errorf("threads: %w", err)
		}
		if info.Thread <= before || info.Seq < 1 {
			return fmt.Errorf("thread %s with %d entries is listed behind %s", info.Thread, info.Seq, before)
		}
		before = info.Thread
		found[info.Thread] = info.Seq
	}
	for i, seq := range known {
		if id := fmt.Sprint("t", i); found[id] < seq {
			return fmt.Errorf("thread %s is listed with %d entries, and has had %d", id, found[id], seq)
		}
	}
	return nil
}

func (r *readers) lookAtLogs() error {
	for i, least := range r.known() {
		id, seq := fmt.Sprint("t", i), int64(0)
		for e, err := range r.store.Log(r.Context(), id, 0) {
			if err != nil {
				return fmt.Errorf("log: %w", err)
			}
			if seq++; e.Seq != seq || string(e.Data) != fmt.Sprint(seq) {
				return fmt.Errorf("log of %s: %d:%s instead of entry %d", id, e.Seq, e.Data, seq)
			}
		}
		if seq < least {
			return fmt.Errorf("the log of %s has %d entries, and has had %d", id, seq, least)
		}
	}
	return nil
}

func (r *readers) lookAtRecords() error {
	var all []error
	for i, least := range r.known() {
		id := fmt.Sprint("t", i)
		rec, err := r.store.Load(r.Context(), id)
		if err == nil {
			err = checkMoment(rec)
		}
		if err == nil && rec.Seq() < least {
			err = fmt.Errorf("it has %d entries, and has had %d", rec.Seq(), least)
		}
		if err != nil {
			all = append(all, fmt.Errorf("load %s: %w", id, err))
		}
	}
	return errors.Join(all...)
}
