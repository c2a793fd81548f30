package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Errors of what a call may use up.
var (
	// ErrBudget reports a call that has charged more than a [Budget] allows; see [BudgetError].
	ErrBudget = errors.New("budget used up")
	// ErrWallTime reports a call that went over its [WallTime].
	ErrWallTime = errors.New("call took too long")
	// ErrNoTask reports a context that is not that of a task.
	ErrNoTask = errors.New("not called from a node")
)

// A BudgetError says which budget of a call is used up. It is an [ErrBudget].
type BudgetError struct {
	Name        string
	Used, Limit int64
}

// Error names the budget.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("%v: %s: %d of %d", ErrBudget, e.Name, e.Used, e.Limit)
}

// Is makes errors.Is(err, ErrBudget) true.
func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// Charge adds amount (≥ 0) to a counter of the call whose task ctx is of, and returns a [BudgetError] when the call's
// [Budget] of this name is now exceeded. The charge stands in any case. A node may still return its result, which is then
// kept; but the call ends with that error before its next step, whether the node returns it or not.
// A counter without a budget only counts. Result.Charged has the sums. It is safe for concurrent use.
func Charge(ctx context.Context, name string, amount int64) error {
	c, ok := ctx.Value(taskKey{}).(*taskContext)
	if !ok {
		return fmt.Errorf("charge %s: %w", name, ErrNoTask)
	}
	if amount < 0 {
		return fmt.Errorf("charge %s: %w: %d", name, ErrLimit, amount)
	}
	c.say(details, signal{kind: ChargeKind, text: name, amount: amount})
	return c.shared.ledger.charge(name, amount)
}

// ledger is what one call has used.
type ledger struct {
	parent *ledger // of the graph around this one; nil = none
	limits map[string]int64
	mu     sync.Mutex
	used   map[string]int64
	over   *BudgetError // the first
}

// charge counts for the call and for those around it, and returns the error of the innermost budget.
func (l *ledger) charge(name string, amount int64) error {
	err := l.count(name, amount)
	if l.parent != nil {
		if outer := l.parent.charge(name, amount); err == nil {
			err = outer
		}
	}
	return err
}

func (l *ledger) count(name string, amount int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used == nil {
		l.used = map[string]int64{}
	}
	l.used[name] += amount
	limit, limited := l.limits[name]
	if !limited || l.used[name] <= limit {
		return nil
	}
	err := &BudgetError{name, l.used[name], limit}
	if l.over == nil {
		l.over = err
	}
	return err
}

// limited says whether there is a budget at all.
func (l *ledger) limited() bool { return len(l.limits) > 0 || l.parent != nil && l.parent.limited() }

// exceeded returns the first BudgetError of the call or of those around it, with the sum as it is now.
func (l *ledger) exceeded() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over != nil:
		return &BudgetError{l.over.Name, l.used[l.over.Name], l.over.Limit}
	case l.parent != nil:
		return l.parent.exceeded()
	}
	return nil
}

// sums returns a copy of the counters, nil when there are none.
func (l *ledger) sums() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.used)
}
