package explore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// key is the hash of a canonical form.
type key [sha256.Size]byte

// place is a state that was reached, in the tree of shortest paths.
type place[S graph.Reducer[S, U], U any] struct {
	key    key
	parent int // -1 for the first ones
	depth  int
	done   bool
	step   Step
	next   []int32            // places that one step leads to, in the order of the choices
	failed int                // steps that lead nowhere, since they failed
	point  *graph.Point[S, U] // until the place was expanded
}

// explorer is one exploration.
type explorer[S graph.Reducer[S, U], U any] struct {
	subject  Subject[S, U]
	topology graph.Topology
	opts     Options
	places   []place[S, U]
	first    []int // places that the first step leads to, once for each way
	index    map[key]int
	flow     map[graph.Edge]int // transitions by edge
	nodes    map[string]int     // places by the nodes that run next
	moves    map[string]bool
	options  map[string]map[string]bool // by point
	taken    int                        // transitions
	twins    []twin[S, U]
	joined   int // pairs of different states that were joined
	rng      *rand.Rand
	compared int // twins
	endings  []ending
	ends     int // steps that have ended a run
	replayed int
	found    []Violation
	broken   map[string]bool // invariants with a violation
	complete bool
	named    atomic.Int64 // steps that got a name: each has its own
}

// Run explores a subject. An error is a limit that was reached, the end of ctx, or a mistake of the subject; the report
// holds what was seen until then, and is not Complete.
func Run[S graph.Reducer[S, U], U any](ctx context.Context, subject Subject[S, U], opts Options) (Report, error) {
	started := time.Now()
	if subject.App == nil || subject.Canonical == nil || len(subject.Inputs) == 0 {
		return Report{Violations: []Violation{}}, errors.New("explore: a Subject needs App, Canonical and an input")
	}
	opts.MaxStates = cmp.Or(opts.MaxStates, 1_000_000)
	opts.MaxViolations = cmp.Or(opts.MaxViolations, 10)
	opts.Parallel = cmp.Or(opts.Parallel, runtime.GOMAXPROCS(0))
	opts.Twins, opts.Replays = max(cmp.Or(opts.Twins, 500), 0), max(cmp.Or(opts.Replays, 50), 0)
	x := &explorer[S, U]{
		subject: subject, topology: subject.App.Topology(), opts: opts, index: map[key]int{}, flow: map[graph.Edge]int{}, nodes: map[string]int{},
		moves: map[string]bool{}, broken: map[string]bool{}, options: map[string]map[string]bool{}, rng: rand.New(rand.NewPCG(1, 2)),
	}
	err := x.search(ctx)
	if x.complete && len(x.found) == 0 {
		err = cmp.Or(x.cycles(ctx), x.compareTwins(ctx), x.replays(ctx))
		x.complete = err == nil
	}
	return x.report(time.Since(started)), err
}

// chunk is how many places are expanded before what they led to is joined.
const chunk = 64

// search goes through all states, breadth first.
func (x *explorer[S, U]) search(ctx context.Context) error {
	open, err := x.begin(ctx)
	if err != nil {
		return err
	}
	for depth := 2; len(open) > 0; depth++ {
		var fresh []int
		for part := range slices.Chunk(open, chunk) {
			steps := make([]expansion[S, U], len(part))
			if err := x.each(ctx, len(part), func(i int) (err error) {
				steps[i], err = x.expand(ctx, part[i])
				return err
			}); err != nil {
				return err
			}
			for i, at := range part { // in the order of the places, so that the result is the same every time
				fresh = append(fresh, x.enter(at, depth, steps[i])...)
			}
			if x.opts.Progress != nil {
				x.opts.Progress(depth, len(x.places), len(open)+len(fresh))
			}
			switch {
			case len(x.found) >= x.opts.MaxViolations, x.broken[x.opts.Until]:
				return nil
			case len(x.places) > x.opts.MaxStates:
				return fmt.Errorf("%w: more than %d", ErrTooMany, x.opts.MaxStates)
			}
		}
		open = fresh
	}
	x.complete = true
	return nil
}

// begin takes the first step.
func (x *explorer[S, U]) begin(ctx context.Context) (open []int, err error) {
	for _, input := range slices.Sorted(maps.Keys(x.subject.Inputs)) {
		p, err := x.subject.App.Begin("", x.subject.Inputs[input])
		if err != nil {
			return nil, fmt.Errorf("explore: %w", err)
		}
		for _, e := range x.topology.Edges {
			if e.From == start {
				x.flow[e]++
			}
		}
		outcomes, err := x.steps(ctx, p, "", nil)
		if err != nil {
			return nil, err
		}
		for i := range outcomes {
			outcomes[i].step.Input = input
		}
		open = append(open, x.enter(-1, 1, expansion[S, U]{outcomes: outcomes})...)
	}
	return open, nil
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
	return cmp.Or(context.Cause(ctx), first)
}

// enter joins what the steps from a place led to with what is known, and returns the places to go on from.
func (x *explorer[S, U]) enter(from, depth int, e expansion[S, U]) (fresh []int) {
	if e.damage != nil {
		x.violate(Survives, e.damage, x.places[from].parent, x.places[from].step)
	}
	for i := range e.outcomes {
		if to, isNew := x.join(from, depth, &e.outcomes[i]); isNew && !x.places[to].done {
			fresh = append(fresh, to)
		}
	}
	if from >= 0 {
		x.places[from].point = nil
	}
	return fresh
}

// join notes one step.
func (x *explorer[S, U]) join(from, depth int, o *outcome[S, U]) (to int, isNew bool) {
	x.taken++
	for _, c := range o.step.Choices {
		if x.options[c.Point] == nil {
			x.options[c.Point] = map[string]bool{}
		}
		x.options[c.Point][c.Option] = true
	}
	for _, e := range o.edges {
		x.flow[e]++
	}
	for _, m := range o.moves {
		x.moves[m] = true
	}
	for _, b := range o.broken {
		x.violate(b.invariant, b.reason, from, o.step)
	}
	if o.failed {
		if from >= 0 {
			x.places[from].failed++
		}
		return 0, false
	}
	to, known := x.index[o.key]
	if !known {
		to = len(x.places)
		x.index[o.key] = to
		p := place[S, U]{key: o.key, parent: from, step: o.step, depth: depth, done: o.point.Done()}
		if !p.done {
			p.point = &o.point
			x.nodes[name(o.point.Next())]++
		}
		x.places = append(x.places, p)
	} else {
		x.pair(from, to, o)
	}
	if x.places[to].done {
		x.finish(from, to, o.step)
	}
	if from >= 0 {
		x.places[from].next = append(x.places[from].next, int32(to))
	} else {
		x.first = append(x.first, to)
	}
	return to, !known
}

// violate notes a violation, the first and so the shortest of each invariant.
func (x *explorer[S, U]) violate(invariant string, reason error, from int, last Step) {
	if reason != nil {
		x.breaks(invariant, reason, append(x.path(from), last))
	}
}

// breaks notes a violation at the end of a path.
func (x *explorer[S, U]) breaks(invariant string, reason error, path []Step) {
	if !x.broken[invariant] {
		x.broken[invariant] = true
		x.found = append(x.found, Violation{Invariant: invariant, Reason: reason.Error(), Path: path})
	}
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
