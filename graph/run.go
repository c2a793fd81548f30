package graph

import (
	"context"
	"errors"
	"fmt"
)

// A run is one call of Invoke, Resume or Stream. It belongs to the caller's goroutine; tasks of a parallel step read it
// and write only their own result.
type run[S Reducer[S, U], U any] struct {
	app    *App[S, U]
	shared *taskShared // of the tasks of this call; a step may have its own
	number int64       // of the run on its thread, from 1
	settings

	state    *S // after the last committed step
	after    *S // with the running step folded in
	pos      *Position
	spare    *Position // memory for the next position
	states   [2]S      // what state and after point to, in turns
	places   [2]Position
	step     int // committed steps of the run
	results  []result[U]
	outcomes []Outcome
	pending  []storedPending // of the step that is to run first
	journals journals        // of the running step
	ledger   ledger          // of this call
	clock    Clock
	begun    bool     // by this call; it goes on otherwise
	passed   bool     // the run has stopped before its next step already, and was resumed
	last     []string // nodes of the step before this call
	collect  *[]U     // takes the updates of committed steps, for a graph around this one; nil = nobody wants them
	failOne  func()   // cancels the siblings of a failed task; nil = they finish

	result   Result[S] // Steps and Discarded; State and Path are set at the end
	path     []int32   // nodes of the committed tasks
	contexts contextBlock
	save     *saver      // nil without a thread
	point    bool        // one step of a Point
	name     string      // of the Point
	out      *sink[S, U] // nil without a consumer
	wire     *wire[S, U] // from tasks that run beside the consumer's goroutine
	finished []int       // tasks of the step in the order in which they ended; kept for a consumer only
}

// result is what one task of the running step has come to.
type result[U any] struct {
	update  U
	more    []U    // further updates, of a sub-graph with the same state
	encoded []byte // update and more as the log has them, when a pending write holds them
	attempt int
	done    bool
	failed  bool      // done in that its handler follows; there is no update
	waiting bool      // for an answer
	cache   *cacheUse // nil without a cache, or a key
	err     error
}

// newRun is a run that has not begun: zero state, nowhere.
func (a *App[S, U]) newRun(ctx context.Context, out *sink[S, U], opts []Option) (*run[S, U], error) {
	r := &run[S, U]{app: a, settings: a.settings, out: out, clock: clockFrom(ctx)}
	r.state, r.after, r.pos, r.spare = &r.states[0], &r.states[1], &r.places[0], &r.places[1]
	if len(opts) > 0 {
		var err error
		if r.settings, err = a.settings.with(opts); err != nil {
			return nil, err
		}
		if err := r.checkStops(a.plan.has); err != nil {
			return nil, err
		}
		if r.versions != a.settings.versions {
			return nil, fmt.Errorf("%w: it is for Compile", ErrStateVersion)
		}
		if r.detached && (out == nil || !out.detached) {
			return nil, ErrDetached
		}
	}
	if r.observer != nil {
		r.watch = &watch{observer: r.observer}
	}
	r.ledger.limits, r.ledger.parent = r.budgets, r.parent
	return r, nil
}

// input folds in into the state and places the run at the start.
func (r *run[S, U]) input(in U) error {
	if r.isolate {
		if err := tryApply(r.state, in); err != nil {
			return fmt.Errorf("apply the input: %w", err)
		}
	}
	next, err := applyTo(*r.state, in)
	if err != nil {
		return fmt.Errorf("apply the input: %w", err)
	}
	pos := r.app.plan.Start()
	if err := r.saveInput(&in, &pos, &next); err != nil {
		return err
	}
	*r.state, *r.pos, r.begun = next, pos, true
	return nil
}

// execute runs steps until nothing is left or something fails.
func (r *run[S, U]) execute(ctx context.Context) (Result[S], error) {
	if r.watch != nil {
		return r.watchRun(ctx)
	}
	return r.proceed(ctx)
}

func (r *run[S, U]) proceed(ctx context.Context) (Result[S], error) {
	if d := r.wallTime; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, ErrWallTime)
		defer cancel()
	}
	r.reportStart()
	r.shared = r.share(ctx)
	if r.save != nil {
		r.save.overlap()
	}
	err := r.loop(ctx)
	if r.save != nil {
		err = r.save.close(err)
	}
	r.result.State, r.result.Charged = *r.state, r.ledger.sums()
	if len(r.path) > 0 {
		r.result.Path = make([]string, len(r.path))
		for i, n := range r.path {
			r.result.Path[i] = r.app.plan.names[n]
		}
	}
	return r.result, err
}

// share is what the contexts of this call's tasks have in common.
func (r *run[S, U]) share(ctx context.Context) *taskShared {
	s := &taskShared{
		Context: ctx, run: r.number, first: r.step - r.result.Steps, names: r.app.plan.names,
		journals: &r.journals, ledger: &r.ledger, watch: r.watch,
	}
	s.isolate = r.isolate
	if s.begun = r.begun; r.save != nil {
		s.save, s.thread = r.save, r.save.thread
		s.options = r.save.options
	}
	s.name = r.name
	return s
}

func (r *run[S, U]) loop(ctx context.Context) error {
	limited := r.ledger.limited()
	for !r.pos.Done() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(r.pos.Next) == 0 {
			return r.app.plan.stuck(&r.pos.Joins[0])
		}
		if len(r.stopBefore)+len(r.stopAfter) > 0 {
			if stops, err := r.stops(); err != nil || len(stops) > 0 {
				r.result.Interrupts = stops
				return err
			}
		}
		if limited {
			if err := r.ledger.exceeded(); err != nil {
				return err
			}
		}
		if r.result.Steps >= r.steps {
			return fmt.Errorf("%w: %d steps, next is %s", ErrStepLimit, r.result.Steps, r.pos.Next[0].ID())
		}
		var err error
		if r.watch == nil {
			err = r.runStep(ctx)
		} else {
			err = r.watchStep(ctx)
		}
		if err != nil || len(r.result.Interrupts) > 0 {
			return err
		}
	}
	return nil
}

func (r *run[S, U]) runStep(ctx context.Context) error {
	r.reset(len(r.pos.Next))
	r.journals.step = r.step + 1
	stepCtx := ctx
	if d := r.stepTimeout; d > 0 {
		var cancel context.CancelFunc
		stepCtx, cancel = context.WithTimeoutCause(ctx, d, ErrStepTimeout)
		defer cancel()
		defer func(shared *taskShared) { r.shared = shared }(r.shared)
		r.shared = r.share(stepCtx)
	}
	if r.journals.active.Load() {
		r.hold()
	}
	var err error
	if len(r.pos.Next) == 1 {
		err = r.runOne(stepCtx)
	} else {
		err = r.runMany(stepCtx)
	}
	if r.journals.active.Load() {
		r.result.Interrupts = r.interrupts()
	}
	switch {
	case err != nil:
		return withCause(ctx, stepCtx, err)
	case len(r.result.Interrupts) > 0:
		return context.Cause(ctx) // nil unless the call was cancelled meanwhile
	}
	return r.commit()
}

// reset clears the results for a step of n tasks.
func (r *run[S, U]) reset(n int) {
	r.finished = r.finished[:0]
	if cap(r.results) < n {
		r.results, r.outcomes = make([]result[U], n), make([]Outcome, n)
		return
	}
	r.results, r.outcomes = r.results[:n], r.outcomes[:n]
	for i := range n {
		r.results[i].reset()
		r.outcomes[i].reset()
	}
}

// reset makes the result that of a task that has not run. It writes no more than it has to: clearing pointers costs.
func (res *result[U]) reset() {
	if res.more == nil && res.encoded == nil && res.cache == nil && res.err == nil {
		res.attempt, res.done, res.failed, res.waiting = 0, false, false, false // the update is overwritten by the next one
		return
	}
	*res = result[U]{}
}

// runOne runs the only task of a step, on this goroutine unless what it says has to reach a consumer meanwhile.
func (r *run[S, U]) runOne(ctx context.Context) error {
	switch {
	case r.results[0].waiting:
	case r.wants(live):
		r.runTasks(ctx, []int{0})
	default:
		r.perform(ctx, 0, &r.contexts.take(1)[0])
	}
	return r.results[0].err
}

// commit plans what follows, saves the step and reports it. From here on the step counts.
func (r *run[S, U]) commit() error {
	r.app.plan.next(r.spare, r.pos, r.outcomes)
	if r.save != nil {
		if err := r.saveStep(r.spare, r.after); err != nil {
			return err
		}
	}
	if r.journals.active.Load() {
		r.journals.clear()
	}
	if r.collect != nil {
		r.collectUpdates()
	}
	r.state, r.after = r.after, r.state
	r.pos, r.spare = r.spare, r.pos
	r.step++
	r.result.Steps++
	for i := range r.spare.Next {
		r.path = append(r.path, int32(r.spare.Next[i].at-1))
	}
	if r.out != nil {
		r.reportStep(r.spare.Next)
	}
	return nil
}

// collectUpdates keeps the updates of the step that was committed just now.
func (r *run[S, U]) collectUpdates() {
	for i := range r.results {
		if res := &r.results[i]; !res.failed {
			*r.collect = append(append(*r.collect, res.update), res.more...)
		}
	}
}

// withCause turns the failure of a step whose context has ended into the cause of that end. Failures of nodes that have
// nothing to do with it are kept beside it.
func withCause(run, step context.Context, err error) error {
	if step.Err() == nil {
		return err
	}
	cause := context.Cause(step)
	if run.Err() != nil {
		cause = context.Cause(run)
	}
	var others []error
	for _, e := range split(err) {
		if !errors.Is(e, step.Err()) && !errors.Is(e, cause) {
			others = append(others, e)
		}
	}
	if run.Err() == nil { // the step timed out: say which nodes did
		return errors.Join(cause, err)
	}
	if len(others) == 0 {
		return cause
	}
	return errors.Join(append([]error{cause}, others...)...)
}

// split lists what errors.Join has joined.
func split(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}
