package sqlite

import "context"

// A view is what a writer remembers of the threads, so that a commit in a group need not read them again. It holds as long
// as nobody else has written: another connection shows in its version, another user of this one in its changes.
//
// Even a view that does not hold any more tells the no of a thread: a fence is that of one thread and one no for ever, so a
// statement that asks for both does nothing wrong.
type view struct {
	conn    any // the driver's connection
	known   bool
	version int64 // of what others have written
	changes int64 // that this connection has made
	last    row   // of graph_log; zero when it is empty
	heads   map[int64]head
	threads map[string]*thread
}

// maxView is how many threads a view holds.
const maxView = 4096

// A head is the last entry of a thread; zero when it has none.
type head struct{ id, seq int64 }

// A row is the last one of graph_log. Its tail is 0 when graph_threads knows all heads, whatever the table says.
type row struct{ id, no, tail int64 }

// A thread is a row of graph_threads, with its head of this moment.
type thread struct {
	no, fence int64
	head
	pended int // bytes of its rows in graph_pending, at most; maxSettled when it was not counted
}

// maxSettled is how many bytes of settled pending writes a thread may leave in graph_pending.
const maxSettled = 16 << 10

// of forgets everything when the connection is another one.
func (v *view) of(conn any) {
	if v.conn != conn {
		v.forget()
		v.conn = conn
	}
}

func (v *view) forget() { *v = view{conn: v.conn} }

// appended notes the entry that has become the last row.
func (v *view) appended(th *thread, h head) {
	th.head = h
	v.last = row{h.id, th.no, v.last.tail + 1}
	v.heads[th.no] = h
}

// look makes sure that the view is that of the transaction.
func (t *groupTx) look() error {
	if t.looked {
		return nil
	}
	var version, changes int64
	if _, err := t.scan(otherChanges, []any{&version}); err != nil {
		return err
	}
	if _, err := t.scan(ownChanges, []any{&changes}); err != nil {
		return err
	}
	v := &t.w.view
	changes -= t.changes
	if !v.known || v.version != version || v.changes != changes || len(v.threads) > maxView {
		v.known, v.version, v.changes = true, version, changes
		if err := t.reload(); err != nil {
			return err
		}
	}
	t.looked = true
	return nil
}

// reload reads the tail and forgets the threads.
func (t *groupTx) reload() error {
	v := &t.w.view
	v.threads, v.heads, v.last = map[string]*thread{}, map[int64]head{}, row{}
	rows, err := t.stmt(tailRows).QueryContext(context.Background()) //nolint:sqlclosecheck // the transaction closes it with itself
	if err != nil {
		return t.w.db.explain(err)
	}
	defer rows.Close() // Err below reports what went wrong
	for rows.Next() {
		var h head
		if err := rows.Scan(&h.id, &v.last.no, &h.seq, &v.last.tail); err != nil {
			return t.w.db.explain(err)
		}
		v.last.id, v.heads[v.last.no] = h.id, h
	}
	return t.w.db.explain(rows.Err())
}

// find returns a thread, nil when there is none.
func (t *groupTx) find(id string) (*thread, error) {
	if err := t.look(); err != nil {
		return nil, err
	}
	if th := t.w.view.threads[id]; th != nil {
		return th, nil
	}
	th := thread{pended: maxSettled}
	found, err := t.scan(findThread, []any{&th.no, &th.fence, &th.id, &th.seq}, id)
	if !found {
		return nil, err
	}
	if h, ok := t.w.view.heads[th.no]; ok {
		th.head = h
	}
	t.w.view.threads[id] = &th
	return &th, nil
}
