package explore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// place is a state that was reached, in the tree of shortest paths.
type place[S any] struct {
	key    [sha256.Size]byte
	parent int // -1 for the first one
	step   Step
	plan   []int
	depth  int
	state  S
	done   bool
	asks   []graph.Interrupt
	next   []int // places that one step leads to
	thread string
}

// explorer is one exploration.
type explorer[S graph.Reducer[S, U], U any] struct {
	subject Subject[S, U]
	opts    Options
	places  []place[S]
	first   []int // places that the first step leads to, once for each way
	index   map[[sha256.Size]byte]int
	edges   map[graph.Edge]bool
	moves   map[string]bool
	options map[string]map[string]bool // by point
	taken   int                        // transitions
	found   []Violation
	broken  map[string]bool // invariants with a violation
}

// Run explores a subject. The report holds what was seen until ctx ended or the limits were reached, which is the error.
func Run[S graph.Reducer[S, U], U any](ctx context.Context, subject Subject[S, U], opts Options) (Report, error) {
	started := time.Now()
	opts.MaxStates = cmp.Or(opts.MaxStates, 1_000_000)
	opts.MaxViolations = cmp.Or(opts.MaxViolations, 10)
	opts.Parallel = cmp.Or(opts.Parallel, runtime.GOMAXPROCS(0))
	x := &explorer[S, U]{
		subject: subject, opts: opts, index: map[[sha256.Size]byte]int{}, edges: map[graph.Edge]bool{}, moves: map[string]bool{},
		broken: map[string]bool{}, options: map[string]map[string]bool{},
	}
	err := x.search(ctx)
	if err == nil && len(x.found) == 0 {
		x.cycles()
		err = x.replays(ctx)
	}
	return x.report(time.Since(started)), err
}

// search goes through all states, breadth first.
func (x *explorer[S, U]) search(ctx context.Context) error {
	open := []int{-1} // -1 is before the first step
	for depth := 1; len(open) > 0; depth++ {
		steps := make([][]outcome[S], len(open))
		if err := x.each(ctx, len(open), func(i int) error {
			var err error
			steps[i], err = x.expand(ctx, open[i])
			return err
		}); err != nil {
			return err
		}
		var fresh []int
		for i, at := range open { // in the order of the places, so that the result is the same every time
			for _, o := range steps[i] {
				if to, isNew := x.enter(at, depth, o); isNew && !x.places[to].done {
					fresh = append(fresh, to)
				}
			}
			if at >= 0 {
				x.drop(x.places[at].thread)
			}
			if len(x.found) >= x.opts.MaxViolations {
				return nil
			}
		}
		if len(x.places) > x.opts.MaxStates {
			return fmt.Errorf("%w: more than %d", ErrTooMany, x.opts.MaxStates)
		}
		open = fresh
		if x.opts.Progress != nil {
			x.opts.Progress(depth, len(x.places), len(open))
		}
	}
	return nil
}

// each calls do for 0…n-1, several at once, and returns the first error.
func (x *explorer[S, U]) each(ctx context.Context, n int, do func(i int) error) error {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		next  int
		first error
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= n || first != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(x.opts.Parallel, n) {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := do(i); err != nil {
					mu.Lock()
					first = cmp.Or(first, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(first, context.Cause(ctx))
}

// outcome is what one step led to.
type outcome[S any] struct {
	step   Step
	plan   []int
	state  S
	done   bool
	asks   []graph.Interrupt
	next   []string
	edges  []graph.Edge
	err    error // the step failed
	thread string
}

// expand takes all steps that are possible at a place.
func (x *explorer[S, U]) expand(ctx context.Context, at int) ([]outcome[S], error) {
	if at < 0 {
		return x.steps(ctx, at, "", nil)
	}
	p := &x.places[at]
	if len(p.asks) == 0 {
		return x.steps(ctx, at, "", nil)
	}
	if x.subject.Answers == nil {
		return nil, fmt.Errorf("explore: the graph asks %q, and nobody answers: Subject.Answers is nil", p.asks[0].Text())
	}
	var all []outcome[S]
	answers := x.subject.Answers(p.asks[0])
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		list, err := x.steps(ctx, at, name, graph.Answer(p.asks[0].ID, answers[name]))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// steps takes the next step of a place with every outcome of the environment.
func (x *explorer[S, U]) steps(ctx context.Context, at int, answer string, option graph.Option) ([]outcome[S], error) {
	var all []outcome[S]
	for plans := [][]int{nil}; len(plans) > 0; {
		plan := plans[0]
		plans = plans[1:]
		id := fmt.Sprintf("%d.%s.%v", at, answer, plan)
		o, asked, err := x.take(ctx, at, id, plan, option)
		if err != nil {
			return nil, err
		}
		o.step.Answer, o.plan = answer, picks(asked)
		all = append(all, o)
		plans = append(plans, branches(plan, asked)...)
	}
	return all, nil
}

// take takes one step on a thread of its own.
func (x *explorer[S, U]) take(ctx context.Context, at int, id string, plan []int, option graph.Option) (outcome[S], []Choice, error) {
	o := &oracle{plan: plan}
	ctx = context.WithValue(ctx, oracleKey{}, o)
	thread := x.subject.Thread(id)
	opts := []graph.Option{graph.MaxSteps(1)}
	if option != nil {
		opts = append(opts, option)
	}
	out := outcome[S]{thread: id}
	events := thread.Stream(ctx, x.subject.Input, graph.Edges, opts...)
	if at >= 0 {
		if err := x.subject.Thread(x.places[at].thread).Copy(ctx, id); err != nil {
			return out, nil, fmt.Errorf("explore: copy a thread: %w", err)
		}
		events = thread.ResumeStream(ctx, graph.Edges, opts...)
	}
	for e, err := range events {
		switch e.Kind {
		case graph.EdgeTaken:
			out.edges = append(out.edges, e.Edge)
			out.next = append(out.next, e.Edge.To)
			if e.Edge.From != start && !slices.Contains(out.step.Nodes, e.Edge.From) {
				out.step.Nodes = append(out.step.Nodes, e.Edge.From)
			}
		case graph.Interrupted:
			out.asks = append(out.asks, e.Interrupt)
			out.step.Nodes, out.next = []string{e.Interrupt.Node}, []string{e.Interrupt.Node}
		case graph.RunEnd:
			out.state = e.State
			out.done = err == nil && len(out.asks) == 0
			if err != nil && !errors.Is(err, graph.ErrStepLimit) {
				out.err = err
			}
		}
	}
	if ctx.Err() != nil {
		return out, nil, context.Cause(ctx)
	}
	if o.fault != nil {
		return out, nil, o.fault
	}
	out.step.Choices = o.asked
	return out, o.asked, nil
}

// enter joins what a step led to with what is known, and checks the invariants of the step.
func (x *explorer[S, U]) enter(from, depth int, o outcome[S]) (to int, isNew bool) {
	x.taken++
	for _, c := range o.step.Choices {
		if x.options[c.Point] == nil {
			x.options[c.Point] = map[string]bool{}
		}
		x.options[c.Point][c.Option] = true
	}
	for _, e := range o.edges {
		x.edges[e] = true
	}
	if o.err != nil {
		x.violate(NoError, o.err, from, o.step)
		x.drop(o.thread)
		return 0, false
	}
	key := x.key(o)
	to, known := x.index[key]
	if !known {
		to = len(x.places)
		x.index[key] = to
		x.places = append(x.places, place[S]{
			key: key, parent: from, step: o.step, plan: o.plan, depth: depth, state: o.state, done: o.done, asks: o.asks, thread: o.thread,
		})
	}
	x.check(from, o)
	if from >= 0 {
		x.places[from].next = append(x.places[from].next, to)
	} else {
		x.first = append(x.first, to)
	}
	if known || o.done {
		x.drop(o.thread)
	} else if _, err := x.subject.Thread(o.thread).Prune(context.Background(), graph.Keep{Last: 1, OneBranch: true}); err != nil {
		x.violate(NoError, fmt.Errorf("prune a thread: %w", err), from, o.step) // one checkpoint is enough to go on from, and quicker to read
	}
	return to, !known
}

// key is equal for states that are joined.
func (x *explorer[S, U]) key(o outcome[S]) [sha256.Size]byte {
	asks := make([]string, len(o.asks))
	for i, q := range o.asks {
		asks[i] = q.Node + "/" + q.Key
	}
	data, err := json.Marshal([]any{x.subject.Canonical(o.state), o.next, o.done, asks})
	if err != nil {
		panic(fmt.Sprintf("explore: the canonical form cannot be encoded: %v", err)) // a fault of the subject
	}
	return sha256.Sum256(data)
}

// check looks at the invariants of one step.
func (x *explorer[S, U]) check(from int, o outcome[S]) {
	var before S
	if from >= 0 {
		before = x.places[from].state
	}
	if x.subject.Moved != nil {
		for _, m := range x.subject.Moved(before, o.state) {
			x.moves[m] = true
		}
	}
	for _, inv := range x.subject.Invariants {
		if inv.State != nil {
			x.violate(inv.Name, inv.State(o.state), from, o.step)
		}
		if inv.Step != nil {
			x.violate(inv.Name, inv.Step(before, o.state, o.thread), from, o.step)
		}
		if inv.End != nil && o.done {
			x.violate(inv.Name, inv.End(o.state), from, o.step)
		}
	}
}

// violate notes a violation, the first and so the shortest of each invariant.
func (x *explorer[S, U]) violate(invariant string, reason error, from int, last Step) {
	if reason == nil || x.broken[invariant] {
		return
	}
	x.broken[invariant] = true
	x.found = append(x.found, Violation{Invariant: invariant, Reason: reason.Error(), Path: append(x.path(from), last)})
}

// path is the steps to a place.
func (x *explorer[S, U]) path(at int) []Step {
	var steps []Step
	for ; at >= 0; at = x.places[at].parent {
		steps = append(steps, x.places[at].step)
	}
	slices.Reverse(steps)
	return steps
}

// drop deletes a thread that is not needed any more.
func (x *explorer[S, U]) drop(thread string) {
	_ = x.subject.Thread(thread).Delete(context.Background()) // of a store in memory; a thread that is left costs memory only
}
