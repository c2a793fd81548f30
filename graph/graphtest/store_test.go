package graphtest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

func TestAFaultyStoreThatPassesEverythingKeepsTheContract(t *testing.T) {
	Store(t, func(*testing.T) graph.Store {
		return Faulty(graph.NewMemoryStore(), func(Op) Verdict { return Pass })
	})
}

func TestEveryCheckOfTheSuiteBites(t *testing.T) {
	bitten := map[string]bool{}
	for _, b := range slices.Concat(brokenLogs, brokenThreads, brokenTrims, brokenCopies) {
		t.Run(b.name, func(t *testing.T) {
			for _, name := range b.fails {
				i := slices.IndexFunc(storeChecks, func(c storeCheck) bool { return c.name == name })
				if i < 0 {
					t.Fatalf("there is no check %q", name)
				}
				bitten[name] = true
				if said := fails(t, storeChecks[i].run, b.open(graph.NewMemoryStore())); said == "" {
					t.Errorf("the check %q did not notice", name)
				} else {
					t.Logf("%s: %s", name, said)
				}
			}
		})
	}
	for _, c := range storeChecks {
		if !bitten[c.name] {
			t.Errorf("no broken store fails the check %q", c.name)
		}
	}
}

// fails runs a check against a store and returns what it complained of, "" when it passed.
func fails(t *testing.T, check func(*storeTest), store graph.Store) string {
	fake := &fakeTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done) // also when a Fatal ends the goroutine
		check(&storeTest{TB: fake, store: store})
	}()
	<-done
	return strings.Join(fake.said, "; ")
}

// A fakeTB takes failures without passing them on.
type fakeTB struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (f *fakeTB) Helper() {}

func (f *fakeTB) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func (f *fakeTB) Error(args ...any) { f.Errorf("%s", fmt.Sprint(args...)) }

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

func (f *fakeTB) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }
