package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrAmbiguousNode reports a [Thread.UpdateState] that must say which node it stands for: the last step had several.
var ErrAmbiguousNode = errors.New("several nodes could have made the update: name the one, or all of them")

// UpdateState changes the state by hand: it commits u as if the nodes as had ended with it, and what follows is what
// follows these nodes in the new state. Several nodes stand for one parallel step that u is the result of as a whole.
// Without as it is the node of the last step; before the first step, or on a thread that does not exist yet, it is the input
// that is changed, and the run begins at the start. Then [Thread.Resume] goes on. It returns the new checkpoint.
//
// The tasks that were to run next are replaced, and their pending writes and questions given up; deferred nodes,
// and joins that have been reached, stay as they are. The edit is a run of its own, like a [Thread.Fork].
//
// It also repairs a thread whose step cannot be committed, as after an [ErrConcurrentUpdate]: with the nodes of that step
// as the nodes, u takes its place.
//
// It takes the thread: a run that goes on there fails with [ErrFenced]. A mistake is found before and takes nothing:
// [ErrAmbiguousNode], [ErrForeignNode] (also for [End]), [ErrNoTarget] for a [Graph.Dynamic] node that has no edges, since only
// its code could say what follows, [ErrUnknownOutcome], [ErrGraphChanged], an error or a panic of Apply or of a route.
// Other errors are [SaveError], [RowError], and those of the store.
func (t *Thread[S, U]) UpdateState(ctx context.Context, u U, as ...Node) (Checkpoint, error) {
	return t.amend(ctx, FromEdit, func(head *restored[S], at int64) (Entry, error) {
		e, err := t.edit(head, &u, as, at)
		if err != nil {
			return Entry{}, fmt.Errorf("update the state of thread %q: %w", t.id, err)
		}
		return e, nil
	})
}

// edit is the entry of an UpdateState.
func (t *Thread[S, U]) edit(head *restored[S], u *U, as []Node, at int64) (Entry, error) {
	if head.exists && !head.pos.Done() && head.graph != t.app.fingerprint && !t.allowChange {
		return Entry{}, fmt.Errorf("%w: the thread ran graph %s, this is %s (%s)", ErrGraphChanged, head.graph, t.app.fingerprint, t.app.name)
	}
	tasks, err := t.app.standIns(as, head.last)
	if err != nil {
		return Entry{}, err
	}
	next, err := applyTo(head.state, *u)
	if err != nil {
		return Entry{}, fmt.Errorf("apply the update: %w", err)
	}
	pos, outcomes, err := t.app.placeAfter(tasks, &head.pos, &next)
	if err != nil {
		return Entry{}, err
	}
	row := storedEntry{
		Version: formatVersion, Kind: editEntry, Run: head.run + 1, Step: head.step, At: at,
		StateVersion: t.app.settings.versions.stored(), Discarded: head.unfinished(), Position: pos,
	}
	if head.graph != t.app.fingerprint {
		row.Graph = t.app.fingerprint
	}
	w := newWriter()
	w.value(u)
	update := slices.Clone(w.buf)
	if len(tasks) == 0 {
		row.Writes = []storedWrite{{Task: startName, Node: startName, Update: update}}
	}
	for i := range tasks {
		row.Writes = append(row.Writes, storedWrite{Task: tasks[i].ID(), Node: tasks[i].Node, Outcome: outcomes[i]})
		row.Writes[0].Update = update // one update stands for all of them
	}
	w.buf = w.buf[:0]
	w.value(&row)
	e := Entry{Data: slices.Clone(w.buf)}
	if head.logged+len(e.Data) > max(minSnapshot, head.snapshot) {
		w.buf = w.buf[:0]
		t.app.writeWhole(w, &storedSnapshot{
			Kind: snapshotRow, Run: row.Run, Step: row.Step, Graph: t.app.fingerprint, Position: pos, Last: row.nodes(),
		}, &next)
		e.Snapshot = w.buf
	}
	return e, w.err
}

// nodes are those of the writes.
func (s *storedEntry) nodes() []string {
	names := make([]string, len(s.Writes))
	for i := range s.Writes {
		names[i] = s.Writes[i].Node
	}
	return names
}

// standIns are the tasks that an edit stands for, in task order; none stands for the start.
func (a *App[S, U]) standIns(as []Node, last []string) ([]Task, error) {
	var tasks []Task
	for _, n := range as {
		if !a.owns(n) {
			return nil, fmt.Errorf("%w: %q", ErrForeignNode, n.Name())
		}
		tasks = append(tasks, a.plan.task(n.ref.index))
	}
	if len(as) == 0 {
		names := distinct(last)
		switch {
		case len(names) > 1:
			return nil, fmt.Errorf("%w: %s", ErrAmbiguousNode, strings.Join(names, ", "))
		case len(names) == 0, names[0] == startName:
			return nil, nil
		case !a.plan.has(names[0]):
			return nil, fmt.Errorf("%w: it has no node %q, which ran last", ErrGraphChanged, names[0])
		}
		tasks = []Task{a.plan.task(a.plan.index[names[0]])}
	}
	slices.SortFunc(tasks, func(a, b Task) int { return cmp.Compare(a.at, b.at) })
	tasks = slices.CompactFunc(tasks, func(a, b Task) bool { return a.at == b.at })
	for i := range tasks {
		if a.plan.nodes[tasks[i].at-1].work {
			tasks[i].Send = 1
		}
	}
	return tasks, nil
}

// owns says whether n is a node of the graph that may have run.
func (a *App[S, U]) owns(n Node) bool {
	return n.ref != nil && n.ref != endRef && n.ref.index < len(a.nodes) && a.nodes[n.ref.index].ref == n.ref
}

// placeAfter is where a run stands when tasks have ended in state, and what their routes said. What waits at pos
// without being a plain task of the next step goes on waiting.
func (a *App[S, U]) placeAfter(tasks []Task, pos *Position, state *S) (next Position, outcomes []Outcome, err error) {
	if len(tasks) == 0 {
		return a.plan.Start(), nil, nil
	}
	outcomes = make([]Outcome, len(tasks))
	for i := range tasks {
		if err := a.pickFor(&outcomes[i], tasks[i].at-1, state); err != nil {
			return next, nil, err
		}
	}
	from := a.plan.waiting(pos)
	from.Next = tasks
	if err := a.plan.Check(from); err != nil {
		return next, nil, err
	}
	a.plan.next(&next, &from, outcomes)
	return next, outcomes, nil
}

// pickFor asks the route of a node, and checks that the node may end so.
func (a *App[S, U]) pickFor(o *Outcome, node int, state *S) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("route of %s: %w", a.plan.names[node], panicError(p))
		}
	}()
	if pick := a.nodes[node].pick; pick != nil {
		o.Route = pick(state)
	}
	return a.plan.valid(node, o)
}

// waiting is what of pos does not come from the tasks of one step alone: deferred nodes and joins, those that are due
// in the next step included. It is as if they were not due yet.
func (p *Planner) waiting(pos *Position) Position {
	w := Position{Deferred: slices.Clone(pos.Deferred), Joins: slices.Clone(pos.Joins)}
	for i := range pos.Next {
		at := p.at(&pos.Next[i])
		if at < 0 {
			continue // of another graph: it is replaced
		}
		if p.nodes[at].deferred {
			t := pos.Next[i]
			t.Send, t.at = 0, at+1
			w.Deferred = append(w.Deferred, t)
		}
		for _, j := range p.joins {
			if j.to == at {
				due := JoinWait{Node: p.names[at]}
				for _, from := range j.from {
					due.Arrived = append(due.Arrived, p.names[from])
				}
				w.Joins = append(w.Joins, due)
			}
		}
	}
	return w
}
