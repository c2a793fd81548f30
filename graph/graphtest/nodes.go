package graphtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// A Journal records the tasks whose nodes ran, in the order in which they began. Its zero value is empty and ready;
// it is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	runs []graph.TaskInfo
}

// Note records the task of a node's context.
func (j *Journal) Note(ctx context.Context) {
	info, _ := graph.InfoFrom(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.runs = append(j.runs, info)
}

// Runs returns what was recorded.
func (j *Journal) Runs() []graph.TaskInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.runs)
}

// Count is how often the node ran.
func (j *Journal) Count(node string) int {
	n := 0
	for _, info := range j.Runs() {
		if info.Node == node {
			n++
		}
	}
	return n
}

// A Reply is what a scripted node does when it is called.
type Reply[U any] struct {
	Update U
	Err    error
	Panic  any // panics with this value unless it is nil
}

// Script returns a node that gives the replies one after another, each call the next, and notes itself in j unless that
// is nil. A call beyond the last reply fails. The node is safe for concurrent use.
func Script[S, U any](j *Journal, replies ...Reply[U]) graph.NodeFunc[S, U] {
	var (
		mu    sync.Mutex
		calls int
	)
	return func(ctx context.Context, _ S) (U, error) {
		if j != nil {
			j.Note(ctx)
		}
		mu.Lock()
		calls++
		n := calls
		mu.Unlock()
		var none U
		if n > len(replies) {
			return none, fmt.Errorf("the script has %d replies, this is call %d", len(replies), n)
		}
		r := replies[n-1]
		if r.Panic != nil {
			panic(r.Panic)
		}
		if r.Err != nil {
			return none, r.Err
		}
		return r.Update, nil
	}
}

// Path fails the test unless a run took exactly the nodes want.
func Path(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the path of the run is\n\t%q, want\n\t%q", got, want)
	}
}
