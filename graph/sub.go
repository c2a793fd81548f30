package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Sub declares a node that runs another graph, with a state of its own: in makes the child's input from the parent's state,
// out makes a command of the parent from the parent's state as the step began and the child's final state; the child's own
// updates are in the latter. Where out may go is declared with [Graph.Targets]; without Goto the node's edges fire.
//
// On a thread the child is a thread of its own in the same store, with its own entries, whose id is that of the parent,
// [ChildMark] and the place of the task. When the task runs again, after a failure, a crash or a question, the child goes on
// where it stopped; a new task of the same node starts a new child. Questions of the child are questions of the parent: their
// ids begin with the place of the task. A [Charge] in the child counts for the parent, too.
// The limits of the child are those that it was compiled with. Its events are in the parent's stream with mode [Children].
func Sub[S Reducer[S, U], U any, CS Reducer[CS, CU], CU any](
	g *Graph[S, U], name string, child *App[CS, CU],
	in func(S) (CU, error), out func(S, CS) (Command[U], error), opts ...NodeOption,
) Node {
	if child == nil || in == nil || out == nil {
		g.mistake(fmt.Errorf("%w: sub-graph %q", ErrNilFunc, name))
	}
	n := g.Dynamic(name, func(ctx context.Context, s S) (Command[U], error) {
		input, err := in(s)
		if err != nil {
			return Command[U]{}, fmt.Errorf("input of the sub-graph: %w", err)
		}
		state, err := runChild(ctx, child, nil, func(r *run[CS, CU]) error { return r.input(input) })
		if err != nil {
			return Command[U]{}, err
		}
		return out(s, state)
	}, opts...)
	g.nodes[n.ref.index].sub = true
	return n
}

// Inline declares a node that runs another graph on the same state: the child begins with the parent's state, and each of
// its updates becomes one of the parent's, in their order. Everything else is as with [Sub].
func Inline[S Reducer[S, U], U any](g *Graph[S, U], name string, child *App[S, U], opts ...NodeOption) Node {
	if child == nil {
		g.mistake(fmt.Errorf("%w: sub-graph %q", ErrNilFunc, name))
	}
	inline := func(ctx context.Context, s S) ([]U, error) {
		var updates []U
		_, err := runChild(ctx, child, &updates, func(r *run[S, U]) error { return r.base(s) })
		return updates, err
	}
	b := body[S, U]{inline: inline, sub: true}
	if child != nil {
		b.version = child.settings.versions.current()
	}
	return g.add(name, b, opts)
}

// runChild runs the graph of a node, or lets it go on, and returns its final state. All its updates are added to those
// that updates points to, unless that is nil.
func runChild[S Reducer[S, U], U any](ctx context.Context, app *App[S, U], updates *[]U, begin func(*run[S, U]) error) (S, error) {
	var none S
	c := ctx.Value(taskKey{}).(*taskContext) // set for every node
	if c.shared.thread == "" {
		return runChildInMemory(ctx, c, app, updates, begin)
	}
	t := &Thread[S, U]{app: app, id: c.childThread(), threadOptions: c.shared.options}
	t.child = true
	saved, err := t.lastChild(ctx, c)
	if err != nil {
		return none, err
	}
	j := c.journal()
	sink := childSink[S, U](c, t.id)
	var res Result[S]
	if saved.exists {
		given := j.deliver()
		res, err = t.resume(ctx, sink, append(c.childOptions(), given))
	} else {
		res, err = t.begin(ctx, sink, c.childOptions(), func(r *run[S, U]) error {
			if err := c.shared.save.holds(); err != nil { // a deletion before the child was claimed has not found it
				return err
			}
			return begin(r)
		})
	}
	sink.finish(&res, err)
	if err != nil {
		return none, j.reopen(err)
	}
	if err := j.adopt(res.Interrupts); err != nil {
		return none, err
	}
	if updates != nil {
		if *updates, err = t.updates(ctx); err != nil {
			return none, err
		}
	}
	return res.State, nil
}

// lastChild loads the child that the task has left off. What is stored before the first attempt at a step that this call
// has reached by itself is none: it was left by a call whose steps were lost, or by a thread of this id that was deleted.
// What the state of this step follows from is stored first, so that no child outlives it. A run that has lost its thread
// touches no child: whoever has the thread now may be working on it.
func (t *Thread[S, U]) lastChild(ctx context.Context, c *taskContext) (*restored[S], error) {
	if err := errors.Join(c.shared.save.settle(), c.shared.save.holds()); err != nil {
		return nil, err
	}
	if c.attempt > 1 || c.step == 1 && !c.shared.begun {
		return t.load(ctx)
	}
	rec, err := t.store.Load(ctx, t.id)
	if err == nil && rec.Seq() > 0 {
		err = t.store.Delete(ctx, t.id)
	}
	if err != nil {
		return nil, t.failed(ctx, "start", err)
	}
	return &restored[S]{}, nil
}

// runChildInMemory runs a child of a run without a thread.
func runChildInMemory[S Reducer[S, U], U any](ctx context.Context, c *taskContext, app *App[S, U], updates *[]U, begin func(*run[S, U]) error) (S, error) {
	if _, ok := c.Value(seedKey{}).(uint64); ok {
		ctx = WithSeed(ctx, c.random(childPurpose).Uint64())
	}
	var none S
	sink := childSink[S, U](c, "")
	r, err := app.newRun(ctx, sink, c.childOptions())
	if err != nil {
		return none, err
	}
	r.collect = updates
	r.number = 1
	if err := begin(r); err != nil {
		return none, err
	}
	res, err := r.execute(ctx)
	if err == nil && len(res.Interrupts) > 0 {
		err = ErrNeedsThread
	}
	sink.finish(&res, err)
	return res.State, err
}

// childPurpose keeps the random numbers of a child apart from those of its task.
const childPurpose = 1 << 63

// childThread is the id of the thread of this task's sub-graph.
func (c *taskContext) childThread() string {
	return childID(c.shared.thread, c.shared.run, c.shared.first+int(c.step), c.task())
}

func childID(thread string, run int64, step int, task string) string {
	return fmt.Sprintf("%s%s%d.%d.%s", thread, ChildMark, run, step, task)
}

// childOptions hand to a child what holds for the whole call.
func (c *taskContext) childOptions() []Option {
	return []Option{func(s *settings) error {
		s.isolate = s.isolate || c.shared.isolate
		s.parent, s.watch = c.shared.ledger, c.shared.watch
		return nil
	}}
}

// base places a run at the start with a state that is there already, and stores that as the first entry.
func (r *run[S, U]) base(s S) error {
	pos := r.app.plan.Start()
	*r.state = s
	if err := r.saveBase(&pos, &s); err != nil {
		return err
	}
	*r.pos, r.begun = pos, true
	return nil
}

// saveBase commits an entry that holds a whole state.
func (r *run[S, U]) saveBase(pos *Position, s *S) error {
	if r.save == nil {
		return nil
	}
	data := r.encodeWhole(baseEntry, 0, pos, s, nil)
	if err := r.save.state.err; err != nil {
		return r.save.failed(baseEntry, err)
	}
	return r.save.commit(baseEntry, Entry{Seq: r.save.seq + 1, Data: data})
}

// updates are those that the steps of the thread have made, in order.
func (t *Thread[S, U]) updates(ctx context.Context) ([]U, error) {
	var list []U
	for e, err := range t.store.Log(ctx, t.id, 0) {
		if err != nil {
			return nil, t.failed(ctx, "read", err)
		}
		var s storedEntry
		if err := decode(e.Data, &s); err != nil {
			return nil, &RowError{t.id, e.Seq, "entry", err}
		}
		if s.Kind != stepEntry {
			continue
		}
		updates, err := t.updatesOf(&s)
		if err != nil {
			return nil, &RowError{t.id, e.Seq, "entry", err}
		}
		for _, u := range updates {
			list = append(list, u.Update)
		}
	}
	return list, nil
}

// deliver hands the answers to a child's questions on, and lets its stops pass.
func (j *journal) deliver() Option {
	j.mu.Lock()
	defer j.mu.Unlock()
	var given []givenAnswer
	for _, n := range j.notes {
		if n.Inner != nil && n.Answer != nil {
			given = append(given, givenAnswer{id: n.Key, value: n.Answer, again: true})
		}
	}
	return func(s *settings) error {
		s.answers = given
		return nil
	}
}

// adopt makes the interrupts of a child those of its task, and forgets the ones that it does not wait for any more.
func (j *journal) adopt(open []Interrupt) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var gone []*note
	for _, n := range j.notes {
		if n.Inner != nil && n.open() && !slices.ContainsFunc(open, func(i Interrupt) bool { return i.ID == n.Key }) {
			n.Gone = true
			gone = append(gone, n)
		}
	}
	if len(gone) > 0 {
		if err := j.all.write(gone...); err != nil {
			j.err = err
			return err
		}
	}
	for _, i := range open {
		n, err := j.use(askNote, i.ID)
		if err != nil {
			return err
		}
		if n != nil && n.open() {
			continue
		}
		n = &note{Kind: askNote, Key: i.ID, Prompt: i.Prompt, Want: i.Want, Inner: &i}
		if !i.Expires.IsZero() {
			n.Expires = i.Expires.UnixMilli()
		}
		if err := j.add(n); err != nil {
			return err
		}
	}
	if len(open) > 0 {
		return ErrInterrupted
	}
	return nil
}

// reopen opens a question again whose answer the child has refused.
func (j *journal) reopen(err error) error {
	var refused *AnswerError
	if !errors.As(err, &refused) {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.find(askNote, refused.ID)
	if n == nil || n.Answer == nil {
		return err
	}
	n.Answer, n.Seen = nil, false
	if err := j.all.write(n); err != nil {
		j.err = err
		return err
	}
	j.err = &AnswerError{ID: interruptID(j.all.run, j.all.step, n.Task, n.Key), Want: refused.Want, Err: refused.Err}
	return j.err
}
