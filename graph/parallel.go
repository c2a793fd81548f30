package graph

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// runMany runs the tasks of a parallel step that no pending write has finished, and folds all updates in task order.
// A failure does not disturb the siblings, unless CancelSiblings says so.
func (r *run[S, U]) runMany(ctx context.Context) error {
	if err := r.adopt(); err != nil {
		return err
	}
	if r.save != nil {
		r.save.pending.Store(true)
	}
	todo := make([]int, 0, len(r.results))
	for i := range r.results {
		switch res := &r.results[i]; {
		case res.done && r.out != nil:
			r.finished = append(r.finished, i)
		case !res.done && !res.waiting:
			todo = append(todo, i)
		}
	}
	if err := r.runSiblings(ctx, todo); err != nil {
		return err
	}
	for i := range r.results {
		if r.results[i].waiting {
			return nil
		}
	}
	if c := r.app.conflict(r.pos.Next, r.results, r.step+1); c != nil {
		return c
	}
	return r.fold()
}

// runSiblings runs tasks and returns their failures, in task order.
func (r *run[S, U]) runSiblings(ctx context.Context, todo []int) error {
	if r.cancelSiblings {
		stepCtx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer func(shared *taskShared) { r.shared, r.failOne = shared, nil }(r.shared)
		r.shared, r.failOne = r.share(stepCtx), func() { cancel(errSibling) }
		ctx = stepCtx
	}
	r.runTasks(ctx, todo)
	var failures, cancelled []error
	for i := range r.results {
		switch err := r.results[i].err; {
		case err == nil:
		case errors.Is(context.Cause(ctx), errSibling) && errors.Is(err, context.Canceled), errors.Is(err, errSibling):
			cancelled = append(cancelled, err)
		default:
			failures = append(failures, err)
		}
	}
	if len(failures) == 0 {
		failures = cancelled
	}
	if len(failures) == 1 {
		return failures[0]
	}
	return errors.Join(failures...)
}

// fold applies the updates in task order.
func (r *run[S, U]) fold() (err error) {
	i := 0
	defer func() {
		if p := recover(); p != nil {
			err = r.nodeError(&r.pos.Next[i], &r.results[i], panicError(p), debug.Stack())
		}
	}()
	*r.after = *r.state
	for i = range r.results {
		if r.results[i].failed {
			continue
		}
		if err = r.foldTask(r.after, r.after, i); err != nil {
			return r.nodeError(&r.pos.Next[i], &r.results[i], err, nil)
		}
	}
	return nil
}

// runTasks runs the given tasks in a bounded group and returns when all have ended. Without a consumer the caller's
// goroutine is part of the group; with one it delivers the events of the tasks meanwhile.
func (r *run[S, U]) runTasks(ctx context.Context, todo []int) {
	if len(todo) == 0 {
		return
	}
	g := &group[S, U]{run: r, ctx: ctx, todo: todo, contexts: r.contexts.take(len(todo))}
	workers := min(len(todo), r.concurrency)
	if r.out == nil {
		defer g.wg.Wait()
		for range workers - 1 {
			g.wg.Go(g.work)
		}
		g.work()
		return
	}
	w := &wire[S, U]{events: make(chan Event[S, U]), done: make(chan struct{})}
	r.wire = w
	if r.wants(live) {
		defer func(shared *taskShared) { r.shared = shared }(r.shared)
		r.shared = r.share(ctx)
		r.shared.modes, r.shared.report = r.out.mode, w.signal
	}
	for range workers {
		g.wg.Go(g.work)
	}
	go func() {
		g.wg.Wait()
		close(w.done)
	}()
	w.deliver(r.out)
	r.wire = nil
}

// group is the tasks of one step that run now.
type group[S Reducer[S, U], U any] struct {
	run      *run[S, U]
	ctx      context.Context
	todo     []int
	contexts []taskContext
	next     atomic.Int64
	wg       sync.WaitGroup
}

// work takes tasks until none is left.
func (g *group[S, U]) work() {
	for {
		k := int(g.next.Add(1)) - 1
		if k >= len(g.todo) {
			return
		}
		g.one(g.todo[k], &g.contexts[k])
	}
}

func (g *group[S, U]) one(i int, c *taskContext) {
	returned := false
	defer func() {
		if !returned { // the node has called runtime.Goexit: this goroutine ends, and another one takes over
			g.run.exited(i)
			g.wg.Go(g.work)
		}
	}()
	if g.ctx.Err() != nil {
		g.run.skip(g.ctx, i)
	} else {
		g.run.perform(g.ctx, i, c)
	}
	g.run.settle(i)
	if g.run.failOne != nil && g.run.results[i].err != nil {
		g.run.failOne()
	}
	returned = true
}

// skip notes a task that has not begun when its step is cancelled.
func (r *run[S, U]) skip(ctx context.Context, i int) {
	res := &r.results[i]
	res.err = r.nodeError(&r.pos.Next[i], res, context.Cause(ctx), nil)
}

// exited notes a task whose node has ended its goroutine.
func (r *run[S, U]) exited(i int) {
	t, res := &r.pos.Next[i], &r.results[i]
	*res = result[U]{attempt: res.attempt}
	res.err = r.nodeError(t, res, ErrGoexit, nil)
	r.endTask(r.step+1, t, res, res.err)
}

// settle makes a finished task of a parallel step durable and reports its end.
func (r *run[S, U]) settle(i int) {
	t, res := &r.pos.Next[i], &r.results[i]
	if !res.done || len(r.results) == 1 {
		return
	}
	if r.save != nil {
		if err := r.pend(i); err != nil {
			res.done, res.err = false, err
			return
		}
	}
	if w := r.wire; w != nil {
		w.mu.Lock() // held while sending, so that the order of the updates is that of the ends
		defer w.mu.Unlock()
		r.finished = append(r.finished, i)
		if !res.failed {
			r.endTask(r.step+1, t, res, nil)
		}
	}
}

// wire carries events from tasks to the consumer's goroutine.
type wire[S, U any] struct {
	events chan Event[S, U]
	done   chan struct{} // closed when all tasks have ended
	mu     sync.Mutex    // guards the run's list of finished tasks
}

// send waits until the event is taken, or for the end of the step when a node emits from a goroutine that outlives it.
func (w *wire[S, U]) send(e Event[S, U]) {
	select {
	case w.events <- e:
	case <-w.done:
	}
}

// deliver passes events on until all tasks have ended, also when the consumer leaves or panics.
func (w *wire[S, U]) deliver(out *sink[S, U]) {
	ended := false
	defer func() {
		if !ended { // the consumer panicked: cancel, and let the tasks end before the panic goes on
			out.cancel()
			w.drain(func(Event[S, U]) {})
		}
	}()
	w.drain(func(e Event[S, U]) { out.send(e, nil) })
	ended = true
}

func (w *wire[S, U]) drain(take func(Event[S, U])) {
	for {
		select {
		case e := <-w.events:
			take(e)
		case <-w.done:
			return
		}
	}
}
