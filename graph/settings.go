package graph

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"
)

// An Option sets a limit or a habit. Given to [Graph.Compile] it holds for every call of the [App], given to a call it
// holds for that one and replaces what was compiled. The doc of an option says where it may not be given.
type Option func(*settings) error

// settings is what the options of a call add up to.
type settings struct {
	steps          int
	concurrency    int
	stepTimeout    time.Duration
	wallTime       time.Duration
	budgets        map[string]int64 // never changed in place
	cancelSiblings bool
	isolate        bool
	versions       *stateVersions // of the state; nil = there is only one
	stopBefore     []string       // nodes
	stopAfter      []string
	answers        []givenAnswer
	parent         *ledger // of the call around a sub-graph
	observer       Observer
	watch          *watch // of the call around a sub-graph, or of this one
	detached       bool
	keepEvents     int // 0 = all
	keepRuns       int
}

func defaultSettings() settings {
	return settings{steps: 100, concurrency: runtime.GOMAXPROCS(0), keepRuns: defaultKeepRuns}
}

// with returns settings changed by options.
func (s settings) with(opts []Option) (settings, error) {
	var mistakes []error
	for _, opt := range opts {
		if err := opt(&s); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return s, errors.Join(mistakes...)
}

// MaxSteps limits the steps of one call, fresh or resumed (n ≥ 1). The default is 100.
func MaxSteps(n int) Option {
	return func(s *settings) error {
		s.steps = n
		return positive("MaxSteps", n)
	}
}

// MaxConcurrency limits how many tasks of one step run at the same time (n ≥ 1). The default is GOMAXPROCS,
// which suits nodes that compute; give more to nodes that wait for a network.
func MaxConcurrency(n int) Option {
	return func(s *settings) error {
		s.concurrency = n
		return positive("MaxConcurrency", n)
	}
}

// StepTimeout cancels the tasks of a step after d (> 0), retries included; see [ErrStepTimeout]. Default: none.
func StepTimeout(d time.Duration) Option {
	return func(s *settings) error {
		s.stepTimeout = d
		if d <= 0 {
			return fmt.Errorf("%w: StepTimeout(%v)", ErrLimit, d)
		}
		return nil
	}
}

// WallTime cancels a call after d (> 0); the error is [ErrWallTime]. What was committed stays, and a thread can be resumed
// with a fresh allowance. Default: none.
func WallTime(d time.Duration) Option {
	return func(s *settings) error {
		s.wallTime = d
		if d <= 0 {
			return fmt.Errorf("%w: WallTime(%v)", ErrLimit, d)
		}
		return nil
	}
}

// Budget limits what the nodes of one call may [Charge] under a name (limit ≥ 0), for instance tokens or calls.
// Several budgets add up to a set; one of the same name is replaced. Default: none.
func Budget(name string, limit int64) Option {
	return func(s *settings) error {
		if name == "" || limit < 0 {
			return fmt.Errorf("%w: Budget(%q, %d)", ErrLimit, name, limit)
		}
		budgets := maps.Clone(s.budgets)
		if budgets == nil {
			budgets = map[string]int64{}
		}
		budgets[name] = limit
		s.budgets = budgets
		return nil
	}
}

// CancelSiblings cancels the other tasks of a parallel step as soon as one has failed for good. Without it they finish.
// Either way the updates of those that finished are kept as pending writes, and a resumed run does not run them again.
func CancelSiblings() Option {
	return func(s *settings) error {
		s.cancelSiblings = true
		return nil
	}
}

// StopBefore ends a call before a step in which one of the nodes would run, as if it had asked: the [Result] holds
// an [Interrupt] of kind [Before], and [Thread.Resume] goes on with the step.
func StopBefore(nodes ...Node) Option {
	return func(s *settings) error {
		s.stopBefore = Append(s.stopBefore, namesOf(nodes)...)
		return nil
	}
}

// StopAfter ends a call after a step in which one of the nodes ran, unless that was the last one;
// see [StopBefore]. The kind is [After].
func StopAfter(nodes ...Node) Option {
	return func(s *settings) error {
		s.stopAfter = Append(s.stopAfter, namesOf(nodes)...)
		return nil
	}
}

func namesOf(nodes []Node) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name()
	}
	return names
}

func positive(name string, n int) error {
	if n <= 0 {
		return fmt.Errorf("%w: %s(%d)", ErrLimit, name, n)
	}
	return nil
}

// checkStops refuses stops at nodes that the graph does not have.
func (s *settings) checkStops(has func(name string) bool) error {
	var mistakes []error
	for _, name := range slices.Concat(s.stopBefore, s.stopAfter) {
		if !has(name) {
			mistakes = append(mistakes, fmt.Errorf("%w: stop at %q", ErrForeignNode, name))
		}
	}
	return errors.Join(mistakes...)
}
