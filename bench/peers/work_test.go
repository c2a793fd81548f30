package peers_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// The work is the same for all: a state with a counter and a log bounded to eight lines, one step adds one line.
const (
	loopSteps = 1000
	fanOut    = 100
)

type state struct {
	Count int      `json:"count"`
	Log   []string `json:"log"`
}

var lines = func() (lines [16]string) {
	for i := range lines {
		lines[i] = "line " + strconv.Itoa(i)
	}
	return lines
}()

// next is the state after one step. It never writes memory of the state before.
func (s state) next() state {
	log := make([]string, 0, 8)
	log = append(log, s.Log[max(0, len(s.Log)-7):]...)
	return state{s.Count + 1, append(log, lines[s.Count&15])}
}

// bag is the state of the fan-out.
type bag struct {
	Items []int `json:"items"`
}

// A peer is a runtime under measurement. A nil workload is one that it has no feature for.
type peer struct {
	name    string
	loop    func(testing.TB) work
	fanOut  func(testing.TB) work
	history func(testing.TB) work // every step kept in memory
	sqlite  func(testing.TB) work // every step in a file, WAL, synchronous=NORMAL
}

// work is a graph that is ready to run. Both functions say when a run did not end as it should.
type work struct {
	run   func() error // runs the graph once and looks at its last state
	saved func() error // looks at what the latest run has stored; not measured; nil = nothing is stored
}

var runtimes = []peer{kbagent, eino, langgraphgo, adk, trpc}

var errEnd = errors.New("the run did not end as it should")

var want = func() (s state) {
	for range loopSteps {
		s = s.next()
	}
	return s
}()

// ended checks the last state of a loop.
func ended(s state) error {
	if s.Count != want.Count || !slices.Equal(s.Log, want.Log) {
		return fmt.Errorf("%w: count %d, log %q", errEnd, s.Count, s.Log)
	}
	return nil
}

// gathered checks what a fan-out has brought together. The order is not asked for here.
func gathered(items []int) error {
	sorted := slices.Sorted(slices.Values(items))
	for i := range fanOut {
		if len(sorted) != fanOut || sorted[i] != i {
			return fmt.Errorf("%w: %d items, %v", errEnd, len(items), items)
		}
	}
	return nil
}

// kept checks how many checkpoints a run has left: one a step at least, and not more than a few besides.
func kept(n int) error {
	if n < loopSteps || n > loopSteps+10 {
		return fmt.Errorf("%w: %d checkpoints for %d steps", errEnd, n, loopSteps)
	}
	return nil
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
