package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

const (
	defaultBackoff    = 100 * time.Millisecond
	defaultBackoffMax = 10 * time.Second
)

// perform runs task i with its retries and its route. What comes out is in results[i] and outcomes[i];
// the only task of a step also leaves the folded state in r.after.
func (r *run[S, U]) perform(ctx context.Context, i int, c *taskContext) {
	t, res := &r.pos.Next[i], &r.results[i]
	n := &r.app.nodes[t.at-1]
	var (
		err   error
		stack []byte
		final bool // not for the handler
		ended bool // the end of the last attempt is reported
		span  *taskSpan
	)
	for res.attempt = 1; ; res.attempt++ {
		c.shared, c.step, c.node = r.shared, int32(r.result.Steps+1), int32(t.at-1)
		c.send, c.attempt = int32(t.Send), int32(res.attempt)
		r.startTask(t, res)
		if r.journals.active.Load() {
			r.startJournal(t)
		}
		if r.watch == nil {
			stack, err = r.attempt(c, n, i)
		} else {
			span, stack, err = r.watchAttempt(c, n, t, i)
		}
		c.over.Store(true)
		if r.journals.active.Load() {
			if waiting, hidden := r.interrupted(t); hidden != nil {
				stack, err, final = nil, hidden, true
				break
			} else if waiting && stack == nil && !fatal(err) {
				r.endSpanWaiting(span, t, res)
				r.wait(t, res, i)
				return
			}
		}
		if err == nil {
			stack, err = r.conclude(n, i)
			break
		}
		*res = result[U]{attempt: res.attempt} // what a failed attempt wrote vanishes
		var again bool
		if again, stack, err = r.again(ctx, n, res.attempt, stack, err); !again {
			break
		}
		r.endSpanRetried(span, t, res, err, stack)
		r.endTask(r.step+1, t, res, r.nodeError(t, res, err, stack))
		if ended = !r.pause(ctx, n, c, t, res.attempt); ended {
			break
		}
		c = new(taskContext) // the node may have kept the one of the failed attempt
	}
	if !ended && span != nil {
		r.endSpan(span, t, res, err, stack)
	}
	if err != nil {
		*res = result[U]{attempt: res.attempt}
		res.err = r.nodeError(t, res, err, stack)
		if !ended {
			r.endTask(r.step+1, t, res, res.err)
		}
		if n.handler > 0 && !final && ctx.Err() == nil && !fatal(err) {
			r.handOver(res, i)
		}
		return
	}
	res.done = true
}

// handOver finishes a failed task in that its handler follows.
func (r *run[S, U]) handOver(res *result[U], i int) {
	r.outcomes[i] = Outcome{Failure: failure(res.err)}
	res.err, res.done, res.failed = nil, true, true
	if len(r.results) == 1 {
		*r.after = *r.state
	}
}

// wait ends an attempt that has asked something.
func (r *run[S, U]) wait(t *Task, res *result[U], i int) {
	*res = result[U]{attempt: res.attempt, waiting: true}
	r.outcomes[i] = Outcome{}
	r.endTask(r.step+1, t, res, ErrInterrupted)
}

func (r *run[S, U]) nodeError(t *Task, res *result[U], err error, stack []byte) error {
	return &NodeError{Node: t.Node, Task: t.ID(), Step: r.step + 1, Attempt: res.attempt, Err: err, Stack: stack}
}

// attempt calls the node once.
func (r *run[S, U]) attempt(c context.Context, n *body[S, U], i int) (stack []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err, stack = panicError(p), debug.Stack()
		}
	}()
	if n.timeout > 0 {
		ctx, cancel := context.WithTimeoutCause(c, n.timeout, ErrTimeout)
		defer cancel()
		if err := r.call(ctx, n, i); err != nil {
			if ctx.Err() != nil && c.Err() == nil {
				return nil, fmt.Errorf("%w after %v: %w", ErrTimeout, n.timeout, err)
			}
			return nil, err
		}
		return nil, nil
	}
	if n.plain != nil && n.cache == nil && !r.isolate { // the usual case, without the detours
		r.results[i].update, err = n.plain(c, *r.state)
		return nil, err
	}
	return nil, r.call(c, n, i)
}

func (r *run[S, U]) call(ctx context.Context, n *body[S, U], i int) error {
	if r.isolate {
		return r.callIsolated(func(s *S) error { return r.callWith(ctx, n, i, s) })
	}
	return r.callWith(ctx, n, i, r.state)
}

// callWith lets the node, or its cache, work on a state.
func (r *run[S, U]) callWith(ctx context.Context, n *body[S, U], i int, state *S) error {
	if n.cache != nil {
		return r.callCached(ctx, n, i, state)
	}
	return r.callNode(ctx, n, i, state)
}

// callNode calls the function of the node with a state.
func (r *run[S, U]) callNode(ctx context.Context, n *body[S, U], i int, state *S) (err error) {
	res := &r.results[i]
	switch {
	case n.plain != nil:
		res.update, err = n.plain(ctx, *state)
		return err
	case n.dynamic != nil:
		command, err := n.dynamic(ctx, *state)
		if err != nil {
			return err
		}
		res.update = command.Update
		return r.obey(&r.outcomes[i], command.Goto, command.Sends)
	}
	if n.inline != nil {
		updates, err := n.inline(ctx, *state)
		if err == nil {
			res.update, res.more = updates[0], updates[1:] // a run that ends has at least one step with an update
		}
		return err
	}
	arg, err := n.argument(&r.pos.Next[i])
	if err != nil {
		return err
	}
	res.update, err = n.work(ctx, *state, arg)
	return err
}

// argument is that of a Send, nil for any other task.
func (n *body[S, U]) argument(t *Task) (any, error) {
	if t.arg != nil || t.Arg == nil {
		return t.arg, nil
	}
	arg, err := n.decodeArg(t.Arg)
	if err != nil {
		return nil, fmt.Errorf("%w: argument of %s: %w", ErrDamaged, t.ID(), err)
	}
	return arg, nil
}

// obey translates a command's targets. Arguments are encoded here, so that one that cannot be fails its own task.
func (r *run[S, U]) obey(o *Outcome, targets []Node, sends []Send) error {
	*o = Outcome{}
	for _, n := range targets {
		if !r.known(n.ref) {
			return fmt.Errorf("%w: Goto %q is a node of another graph", ErrUndeclaredTarget, n.Name())
		}
		o.Goto = append(o.Goto, n.ref.name)
	}
	if len(sends) > 0 {
		o.Sends = make([]Task, len(sends))
	}
	for i, s := range sends {
		if s.ref == nil || !r.known(s.ref) {
			return fmt.Errorf("%w: a Send to a node of another graph", ErrUndeclaredTarget)
		}
		t := &o.Sends[i]
		t.Node, t.at, t.arg = s.ref.name, s.ref.index+1, s.arg
		if r.save != nil || r.point {
			data, err := json.Marshal(s.arg)
			if err != nil {
				return fmt.Errorf("encode the argument of a Send to %s: %w", t.Node, err)
			}
			t.Arg = data
		}
	}
	return nil
}

func (r *run[S, U]) known(ref *nodeRef) bool {
	return ref != nil && (ref == endRef || ref.index < len(r.app.nodes) && r.app.nodes[ref.index].ref == ref)
}

// conclude folds the update where that is needed, asks the route, checks what follows, and tells the cache.
func (r *run[S, U]) conclude(n *body[S, U], i int) (stack []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err, stack = panicError(p), debug.Stack()
		}
	}()
	o := &r.outcomes[i]
	routed := n.pick != nil && len(o.Goto) == 0
	switch {
	case len(r.results) == 1 && n.plain != nil && !r.isolate: // the usual case, without the detours
		if *r.after, err = (*r.state).Apply(r.results[i].update); err != nil {
			return nil, fmt.Errorf("apply the update: %w", err)
		}
		if routed {
			o.Route = n.pick(r.after)
		}
	case len(r.results) == 1:
		if err := r.foldTask(r.after, r.state, i); err != nil {
			return nil, err
		}
		if routed {
			if o.Route, err = r.pick(n, r.after); err != nil {
				return nil, err
			}
		}
	case routed:
		var own S
		if err := r.foldTask(&own, r.state, i); err != nil {
			return nil, err
		}
		if o.Route, err = r.pick(n, &own); err != nil {
			return nil, err
		}
	}
	if err := r.app.plan.valid(n.ref.index, o); err != nil || n.cache == nil {
		return nil, err
	}
	return nil, r.remember(n, i)
}

// foldTask applies what task i wrote to from.
func (r *run[S, U]) foldTask(to, from *S, i int) (err error) {
	res := &r.results[i]
	if r.isolate {
		if err := tryApply(from, append([]U{res.update}, res.more...)...); err != nil {
			return err
		}
	}
	if *to, err = (*from).Apply(res.update); err != nil {
		return fmt.Errorf("apply the update: %w", err)
	}
	for _, u := range res.more {
		if *to, err = (*to).Apply(u); err != nil {
			return fmt.Errorf("apply the update: %w", err)
		}
	}
	return nil
}

// again says whether a failed attempt is followed by another. A panic of the predicate is part of the failure.
func (r *run[S, U]) again(ctx context.Context, n *body[S, U], attempt int, stack []byte, err error) (again bool, trace []byte, failure error) {
	switch {
	case attempt >= n.attempts || ctx.Err() != nil || fatal(err), r.ledger.limited() && r.ledger.exceeded() != nil:
		return false, stack, err
	case n.retryable == nil:
		return !errors.Is(err, ErrPanic), stack, err
	}
	defer func() {
		if p := recover(); p != nil {
			again, trace, failure = false, debug.Stack(), errors.Join(err, fmt.Errorf("whether to retry: %w", panicError(p)))
		}
	}()
	return n.retryable(err), stack, err
}

// pause waits between two attempts; false means that ctx has ended meanwhile.
func (r *run[S, U]) pause(ctx context.Context, n *body[S, U], c *taskContext, t *Task, attempt int) bool {
	d := n.wait(attempt, c.random(uint64(attempt)))
	r.send(Event[S, U]{Kind: RetryKind, Step: r.step + 1, Node: t.Node, Task: t.ID(), Attempt: attempt, Delay: d}, details)
	return r.clock.Wait(ctx, d) == nil
}

// wait is a random time between half and all of the backoff after an attempt.
func (n *nodeOptions) wait(attempt int, random *rand.Rand) time.Duration {
	d, limit := n.backoff, n.backoffMax
	if d == 0 {
		d, limit = defaultBackoff, defaultBackoffMax
	}
	for ; attempt > 1 && d < limit; attempt-- {
		d *= 2
	}
	d = min(d, limit)
	return d/2 + time.Duration(random.Int64N(int64(d/2)+1))
}

// panicError is a recovered value as an error.
func panicError(p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("%w: %w", ErrPanic, err)
	}
	return fmt.Errorf("%w: %v", ErrPanic, p)
}
