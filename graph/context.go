package graph

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A TaskInfo tells a node which task it is running.
type TaskInfo struct {
	Thread  string // the name of a Point; "" in App.Invoke and App.Stream
	Run     int64  // number of the run on its thread, from 1: every input, fork and change of the state by hand starts one
	Step    int    // step of the run, from 1; a resumed run counts on
	Node    string
	Task    string // id within the step: the node's name, with #n for the n-th Send
	Attempt int    // from 1; starts again when a run is resumed
	// Key is an idempotency key for side effects: equal for every attempt of this task, also after a crash and a
	// resume, and different for any other task. Empty without a thread, where nothing could make it unique.
	Key string
}

// InfoFrom returns the task whose node got ctx or a context derived from it, and false for any other context.
func InfoFrom(ctx context.Context) (TaskInfo, bool) {
	c, ok := ctx.Value(taskKey{}).(*taskContext)
	if !ok {
		return TaskInfo{}, false
	}
	info := TaskInfo{
		Thread: c.shared.label(), Run: c.shared.run, Step: c.shared.first + int(c.step),
		Node: c.name(), Task: c.task(), Attempt: int(c.attempt),
	}
	if c.shared.thread != "" {
		info.Key = fmt.Sprintf("%s/%d/%d/%s", info.Thread, info.Run, info.Step, info.Task)
	}
	return info, true
}

type taskKey struct{}

// taskShared is what the task contexts of a run have in common. A step with a timeout or with a consumer of what its tasks say has its own.
type taskShared struct {
	context.Context
	thread   string
	name     string // of a Point, which has no thread
	run      int64
	first    int // steps of the run before this call
	names    []string
	modes    Mode                           // that the consumer wants; 0 = nobody listens
	report   func(c *taskContext, s signal) // set when modes is
	options  threadOptions                  // of the thread, for sub-graphs
	isolate  bool                           // for sub-graphs
	journals *journals
	ledger   *ledger
	watch    *watch // nil when nobody observes
	begun    bool   // the run began with this call
	save     *saver // nil without a thread
}

// label is what the run is called: by its thread, or by its Point.
func (s *taskShared) label() string { return cmp.Or(s.thread, s.name) }

// A taskContext is the context of one attempt. It is small, since every task needs one.
type taskContext struct {
	shared  *taskShared
	step    int32 // within this call
	node    int32
	send    int32
	attempt int32
	over    atomic.Bool // the attempt has ended; a goroutine that its node has left behind may notice at any time
}

func (c *taskContext) name() string { return c.shared.names[c.node] }

// task is the id of the task within its step.
func (c *taskContext) task() string {
	t := Task{Node: c.name(), Send: int(c.send)}
	return t.ID()
}

// notes is the journal of an attempt that goes on. The caller checks again, with the journal's lock held, before it
// puts something down: the run sets over before it looks for journals, and then takes their locks.
func (c *taskContext) notes() (*journal, error) {
	if c.over.Load() {
		return nil, errAttemptOver
	}
	return c.journal(), nil
}

var errAttemptOver = fmt.Errorf("%w: the attempt whose context this is has ended", ErrNoTask)

func (c *taskContext) journal() *journal { return c.shared.journals.of(c.task(), c.name()) }

// Deadline, Done and Err are those of the step.
func (c *taskContext) Deadline() (time.Time, bool) { return c.shared.Deadline() }
func (c *taskContext) Done() <-chan struct{}       { return c.shared.Done() }
func (c *taskContext) Err() error                  { return c.shared.Err() }

// Value returns the task itself for taskKey.
func (c *taskContext) Value(key any) any {
	if _, ok := key.(taskKey); ok {
		return c
	}
	return c.shared.Value(key)
}

// contextBlock hands out task contexts from blocks, since a node may keep its context for longer than its task.
type contextBlock struct {
	free []taskContext
	size int
}

func (b *contextBlock) take(n int) []taskContext {
	if len(b.free) < n {
		b.size = min(max(4, 2*b.size), 128)
		b.free = make([]taskContext, max(n, b.size))
	}
	taken := b.free[:n:n]
	b.free = b.free[n:]
	return taken
}
