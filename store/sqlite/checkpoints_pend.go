package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// pendChange saves pending writes of a thread.
type pendChange struct {
	thread string
	fence  int64
	writes []graph.PendingWrite
}

// rowOverhead is about what a row takes besides its data.
const rowOverhead = 32

func (p *pendChange) size() (n int) {
	for i := range p.writes {
		n += len(p.writes[i].Data) + len(p.writes[i].Key) + rowOverhead
	}
	return n
}

func (p *pendChange) alone(w *writer) (bool, error) {
	th := w.view.threads[p.thread]
	if th == nil || len(p.writes) != 1 {
		return false, nil
	}
	done, err := p.pendQuick(w, w.stmts[quickPend], th)
	if done {
		w.view.changes++
		th.pended += p.size()
	}
	return done, err
}

// pendQuick saves the first write in a statement that checks everything by itself, and says whether it could.
// It goes by the tables alone; of what was known last it takes the thread's no.
func (p *pendChange) pendQuick(w *writer, stmt *sql.Stmt, th *thread) (bool, error) {
	first := &p.writes[0]
	res, err := stmt.ExecContext(context.Background(), th.no, p.fence, first.Seq, notNil(first.Data), first.Key)
	if err != nil {
		return false, w.db.explain(err)
	}
	n, err := res.RowsAffected()
	return n == 1, w.db.explain(err)
}

func (p *pendChange) write(t *groupTx) error {
	th, err := t.writable(p.thread, p.fence)
	if err != nil {
		return err
	}
	for i := range p.writes {
		if want := th.seq + 1; p.writes[i].Seq != want {
			return refused{fmt.Errorf("%w: %d instead of %d", graph.ErrSequence, p.writes[i].Seq, want)}
		}
	}
	for i := range p.writes {
		if err := t.exec(plainPend, th.no, p.writes[i].Key, p.writes[i].Seq, notNil(p.writes[i].Data)); err != nil {
			return err
		}
	}
	th.pended += p.size()
	return nil
}
