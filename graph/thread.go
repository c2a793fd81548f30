package graph

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// A Thread is a handle on one thread of an App: a state that lives on between calls. It holds nothing but its id
// and options, costs nothing, and is safe for concurrent use; of two calls that run at the same time, here or in another
// process, the later one takes the thread and the earlier one fails with [ErrFenced] at its next commit.
type Thread[S Reducer[S, U], U any] struct {
	app *App[S, U]
	id  string
	threadOptions
}

// Thread returns a handle on the thread id, which need not exist yet. An empty id is an [ErrThreadID] on use.
func (a *App[S, U]) Thread(id string, opts ...ThreadOption) *Thread[S, U] {
	t := &Thread[S, U]{app: a, id: id, threadOptions: threadOptions{store: a.memory}}
	for _, opt := range opts {
		opt(&t.threadOptions)
	}
	return t
}

// A Head is a thread as it is stored now.
type Head[S any] struct {
	Exists bool     // it was started
	State  S        // after the last commit
	Seq    int64    // of the last commit
	Step   int      // committed steps of the last run
	Next   []string // nodes of the step that waits to run, once per task, in task order; a part of it may be saved already
	Done   bool     // the last run has come to its end

	Interrupts []Interrupt // the open questions of the unfinished step, in task order
}

// Head reads the thread without claiming it. It returns [RowError] for a row that cannot be read.
func (t *Thread[S, U]) Head(ctx context.Context) (Head[S], error) {
	saved, err := t.load(ctx)
	if err != nil || !saved.exists {
		return Head[S]{}, err
	}
	head := Head[S]{Exists: true, State: saved.state, Seq: saved.seq, Step: saved.step, Done: saved.pos.Done()}
	for i := range saved.pos.Next {
		head.Next = append(head.Next, saved.pos.Next[i].Node)
	}
	if t.app.plan.Check(saved.pos) == nil { // a graph that has changed has no questions of this one
		head.Interrupts = saved.interrupts(&t.app.plan)
	}
	return head, nil
}

// Invoke applies in to the thread's state, the zero state on a new thread, and runs the graph from its start. Every step is
// committed before the next one, unless the thread is [Async] or [Exit]. An unfinished run is given up, with the pending writes of its unfinished step;
// the Result says so. Errors are those of [App.Invoke], [SaveError], [RowError], and those of the store.
func (t *Thread[S, U]) Invoke(ctx context.Context, in U, opts ...Option) (Result[S], error) {
	return t.start(ctx, in, nil, opts)
}

// Resume goes on with an unfinished run, behind its last commit: only tasks whose writes are not saved run. On a finished
// thread it does nothing and returns the state; on one that was never started it returns [ErrNothingToResume].
// It returns [ErrGraphChanged] when the topology differs from the one that the run had; see [AllowGraphChange].
//
// Answers to questions are given as options: [Answer], [Answers], [Reply]. All of them are checked and saved before anything
// runs, or none: [ErrUnknownQuestion], [ErrAlreadyAnswered], [ErrAmbiguousAnswer], [ErrExpired], [AnswerError].
// Tasks whose questions stay open do not run; the Result has their [Interrupt] again.
func (t *Thread[S, U]) Resume(ctx context.Context, opts ...Option) (Result[S], error) {
	return t.resume(ctx, nil, opts)
}

// Stream is Invoke as a sequence of events; see [App.Stream]. [RunStart] says whether an unfinished run was given up.
func (t *Thread[S, U]) Stream(ctx context.Context, in U, modes Mode, opts ...Option) iter.Seq2[Event[S, U], error] {
	return t.stream(ctx, modes, opts, func(ctx context.Context, out *sink[S, U]) (Result[S], error) {
		return t.start(ctx, in, out, opts)
	})
}

// ResumeStream is Resume as a sequence of events. Tasks that were saved before show no start and no end, but their update
// once the step is committed.
func (t *Thread[S, U]) ResumeStream(ctx context.Context, modes Mode, opts ...Option) iter.Seq2[Event[S, U], error] {
	return t.stream(ctx, modes, opts, func(ctx context.Context, out *sink[S, U]) (Result[S], error) {
		return t.resume(ctx, out, opts)
	})
}

func (t *Thread[S, U]) start(ctx context.Context, in U, out *sink[S, U], opts []Option) (Result[S], error) {
	return t.begin(ctx, out, opts, func(r *run[S, U]) error { return r.input(in) })
}

// begin starts a run with what place does: it sets the state and the position, and saves them.
func (t *Thread[S, U]) begin(ctx context.Context, out *sink[S, U], opts []Option, place func(*run[S, U]) error) (Result[S], error) {
	r, err := t.app.newRun(ctx, out, opts)
	if err != nil {
		return Result[S]{}, err
	}
	if len(r.answers) > 0 {
		return Result[S]{}, ErrNeedsResume
	}
	saved, err := t.open(ctx, r)
	if err != nil {
		return Result[S]{}, err
	}
	ctx, release := r.save.keep(ctx)
	defer release()
	r.number = saved.run + 1
	r.journals.run = r.number
	r.result.Discarded = saved.exists && !saved.pos.Done()
	r.save.discarded = r.result.Discarded
	if err := place(r); err != nil {
		return Result[S]{State: saved.state}, err
	}
	return r.execute(ctx)
}

func (t *Thread[S, U]) resume(ctx context.Context, out *sink[S, U], opts []Option) (Result[S], error) {
	r, err := t.app.newRun(ctx, out, opts)
	if err != nil {
		return Result[S]{}, err
	}
	saved, err := t.load(ctx)
	if err != nil {
		return Result[S]{}, err
	}
	if err := t.resumable(ctx, saved, r.answers); err != nil {
		return Result[S]{State: saved.state}, err
	}
	if saved.pos.Done() {
		if out != nil {
			out.send(Event[S, U]{Kind: RunStart, Step: saved.step, State: saved.state}, nil)
		}
		return Result[S]{State: saved.state}, nil
	}
	if saved, err = t.open(ctx, r); err != nil {
		return Result[S]{}, err
	}
	ctx, release := r.save.keep(ctx)
	defer release()
	if err := t.resumable(ctx, saved, r.answers); err != nil { // it may have changed before the claim
		return Result[S]{State: saved.state}, err
	}
	r.number, r.step, *r.pos, r.pending, r.last = saved.run, saved.step, saved.pos, saved.pending, saved.last
	r.app.plan.resolve(r.pos)
	if err := r.answer(saved); err != nil {
		return Result[S]{State: saved.state}, err
	}
	return r.execute(ctx)
}

// label is what the run is called.
func (r *run[S, U]) label() string {
	if r.save == nil {
		return r.name
	}
	return r.save.thread
}

// answer saves the answers that came with the call, and takes up what the tasks of the unfinished step have noted.
func (r *run[S, U]) answer(saved *restored[S]) error {
	js := &r.journals
	js.run, js.step = r.number, r.step+1
	answers, err := saved.match(r.label(), r.answers, r.clock.Now().UnixMilli())
	if err != nil {
		return err
	}
	answered := make([]*note, len(answers))
	for i, m := range answers {
		answered[i] = new(*m.note)
		answered[i].Answer, answered[i].Seen = m.answer, false
	}
	if len(answered) > 0 {
		if err := js.write(answered...); err != nil {
			return err
		}
	}
	for i, m := range answers {
		*m.note = *answered[i]
	}
	r.passed = js.restore(saved.notes())
	return nil
}

func (t *Thread[S, U]) resumable(ctx context.Context, saved *restored[S], answers []givenAnswer) error {
	if !saved.exists {
		return fmt.Errorf("%w: %q", ErrNothingToResume, t.id)
	}
	if _, err := saved.match(t.id, answers, clockFrom(ctx).Now().UnixMilli()); err != nil {
		return t.explainUnknown(ctx, err)
	}
	switch {
	case saved.pos.Done():
		return nil
	case saved.graph != t.app.fingerprint && !t.allowChange:
		return fmt.Errorf("%w: thread %q ran graph %s, this is %s (%s)", ErrGraphChanged, t.id, saved.graph, t.app.fingerprint, t.app.name)
	}
	return t.app.plan.Check(saved.pos)
}

// open claims and loads the thread.
func (t *Thread[S, U]) open(ctx context.Context, r *run[S, U]) (*restored[S], error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	fence, err := t.store.Claim(ctx, t.id)
	if err != nil {
		return nil, t.failed(ctx, "claim", err)
	}
	t.forgetEvents(r.out)
	saved, err := t.load(ctx)
	if err != nil {
		if leaser := leaserOf(t.store); leaser != nil {
			leaser.Release(context.WithoutCancel(ctx), t.id, fence) //nolint:errcheck // a claim that cannot be released runs out
		}
		return nil, err
	}
	*r.state = saved.state
	r.save = &saver{
		store: t.store, ctx: context.WithoutCancel(ctx), clock: r.clock, thread: t.id, fence: fence, seq: saved.seq,
		graph: t.app.fingerprint, stored: saved.graph, logged: saved.logged, snapshot: saved.snapshot,
		entry: newWriter(), version: t.app.settings.versions.text(),
	}
	r.save.pending.Store(len(saved.pending) > 0)
	r.save.options = t.threadOptions
	if t.durability == exitWrites {
		r.save.queue = newWriteQueue(r.save.writeAll)
	}
	r.journals.save = r.save.notes
	return saved, nil
}

func (t *Thread[S, U]) load(ctx context.Context) (*restored[S], error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	rec, err := t.store.Load(ctx, t.id)
	if err != nil {
		return nil, t.failed(ctx, "load", err)
	}
	return t.app.restore(t.id, &rec)
}

func (t *Thread[S, U]) usable(ctx context.Context) error {
	if t.id == "" || !t.child && strings.Contains(t.id, ChildMark) {
		return fmt.Errorf("%w: %q", ErrThreadID, t.id)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (t *Thread[S, U]) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s thread %q: %w", what, t.id, err)
}
