package scenario

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kbagent/kbagent/graph"
)

// Subject is what scenarios run against. Start must give every session a world of its own: sessions run in parallel.
type Subject[G, W, O any] interface {
	Start(ctx context.Context, given G) (Session[W, O], error)
	// Topology is the graph whose edges count for the coverage.
	Topology() graph.Topology
	// Moves is what else counts for the coverage, e.g. the rows of a state machine.
	Moves() []string
}

// Session is one running scenario.
type Session[W, O any] interface {
	// Turn does what when says and returns what was seen. A failure that a person would see is part of what was seen;
	// an error is a fault of the scenario itself, e.g. a script that ran out.
	Turn(ctx context.Context, when W) (O, Trace, error)
	// Close ends the session. It returns an error when the script was not used up.
	Close() error
}

// Trace is what a turn went through, for the coverage.
type Trace struct {
	Edges []graph.Edge
	Moves []string
	// Idle says that the turn found nothing to do, e.g. an answer for a run that waits for none. Lint tells of it.
	Idle bool
}

// Options tunes Run.
type Options struct {
	Parallel int           // scenarios at once; default the number of processors
	Timeout  time.Duration // for each scenario; default 30 s
}

// Run runs scenarios against a subject and reports in their order.
func Run[G, W, O any](ctx context.Context, subject Subject[G, W, O], scenarios []Scenario[G, W], opts Options) Report {
	if opts.Parallel <= 0 {
		opts.Parallel = runtime.GOMAXPROCS(0)
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 30 * time.Second
	}
	started := time.Now()
	report := Report{Results: make([]Result, len(scenarios))}
	traces := make([]Trace, len(scenarios))
	var group errgroup.Group
	group.SetLimit(opts.Parallel)
	for i, s := range scenarios {
		group.Go(func() error {
			report.Results[i], traces[i] = runOne(ctx, subject, s, opts.Timeout)
			return nil
		})
	}
	_ = group.Wait() // the functions return no error
	report.Coverage = cover(subject.Topology(), subject.Moves(), traces)
	report.count(time.Since(started))
	return report
}

func runOne[G, W, O any](ctx context.Context, subject Subject[G, W, O], s Scenario[G, W], limit time.Duration) (Result, Trace) {
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result := Result{File: s.File, Line: s.Line, Scenario: s.Name}
	seen, trace, err := play(ctx, subject, s)
	for _, t := range seen {
		result.Mismatches = append(result.Mismatches, t.mismatches...)
	}
	result.seen = seen
	if err != nil {
		result.Error, result.err = err.Error(), err
	}
	result.Passed = err == nil && len(result.Mismatches) == 0
	result.ElapsedMS = float64(time.Since(started).Microseconds()) / 1000
	return result, trace
}

// sight is what was seen in a turn, and what of it was not expected.
type sight struct {
	got        any // as decoded JSON
	mismatches []Mismatch
	idle       bool // see Trace
}

func play[G, W, O any](ctx context.Context, subject Subject[G, W, O], s Scenario[G, W]) (sights []sight, trace Trace, err error) {
	session, err := subject.Start(ctx, s.Given)
	if err != nil {
		return nil, trace, fmt.Errorf("given: %w", err)
	}
	defer func() {
		if closing := session.Close(); err == nil {
			err = closing
		}
	}()
	for i, turn := range s.Turns {
		seen, part, err := session.Turn(ctx, turn.When)
		trace.Edges = append(trace.Edges, part.Edges...)
		trace.Moves = append(trace.Moves, part.Moves...)
		if err != nil {
			return sights, trace, fmt.Errorf("turns[%d]: %w", i, err)
		}
		one := sight{got: jsonValue(seen), idle: part.Idle}
		if turn.then != nil {
			one.mismatches = compare(s.File, fmt.Sprintf("turns[%d].then", i), turn.then, one.got)
		}
		sights = append(sights, one)
	}
	return sights, trace, nil
}
