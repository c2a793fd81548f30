package graph

import (
	"errors"
	"fmt"
)

// Mistakes in a graph. [Graph.Compile] joins all that it finds; each names the node or edge.
var (
	ErrNoStart       = errors.New("no start node")
	ErrName          = errors.New("bad name")                            // empty, used twice, reserved, or with a character that task ids use
	ErrUnreachable   = errors.New("node cannot be reached from start")   // no edge, route or target leads to it
	ErrNoEnd         = errors.New("no way from node to End")             // a run that gets there could never end
	ErrEndlessCycle  = errors.New("cycle without a route")               // static edges only: nothing could ever leave it
	ErrRoute         = errors.New("bad route")                           // no branches, a branch without targets, an outcome twice or empty, two routes
	ErrEdge          = errors.New("bad edge")                            // given twice, from End, or a plain edge into a Work node
	ErrJoin          = errors.New("bad join")                            // no source, a source twice, two joins for one node
	ErrTargets       = errors.New("bad targets")                         // of a node that is not Dynamic
	ErrForeignNode   = errors.New("node of another graph")               // also the zero Node
	ErrNilFunc       = errors.New("nil function")                        // a node or route without code
	ErrCodec         = errors.New("type does not survive its encoding")  // names the path of the field
	ErrLimit         = errors.New("limit must be positive")              // of an option that limits something, such as MaxSteps, Timeout or Budget
	errSibling       = errors.New("another task of the step has failed") // cause of the cancellation; never returned alone
	errStreamStopped = errors.New("the consumer of the stream has left") // cause of the cancellation; never returned
)

// Errors of a run.
var (
	// ErrStepLimit reports that work remains after the allowed number of steps. On a thread everything up to
	// there is saved, and [Thread.Resume] goes on with a fresh allowance.
	ErrStepLimit = errors.New("step limit reached with work left")
	// ErrConcurrentUpdate reports two tasks of one step that set the same plain value; see [ConcurrentUpdateError].
	ErrConcurrentUpdate = errors.New("two tasks of one step set the same value")
	// ErrUnknownOutcome reports a route whose function returned an outcome that has no [Case].
	ErrUnknownOutcome = errors.New("route has no case for the outcome")
	// ErrUndeclaredTarget reports a Goto or a Send to a node that [Graph.Targets] does not list.
	ErrUndeclaredTarget = errors.New("target was not declared")
	// ErrNoTarget reports a [Graph.Dynamic] node without edges that said neither Goto nor Sends. Goto End ends a path.
	ErrNoTarget = errors.New("dynamic node says nothing about what follows")
	// ErrOutcomes reports a call of [Planner.Next] whose outcomes are not one for each task.
	ErrOutcomes = errors.New("not one outcome for each task")
	// ErrJoinUnreachable reports that no work is left and a join still waits for a source; the text names both.
	ErrJoinUnreachable = errors.New("join waits for a node that will not come")
	// ErrTimeout reports an attempt that went over its node's [Timeout].
	ErrTimeout = errors.New("node timed out")
	// ErrStepTimeout reports a step that went over [StepTimeout].
	ErrStepTimeout = errors.New("step timed out")
	// ErrPanic reports a panic in a node, its route or Apply. [NodeError] holds the stack.
	ErrPanic = errors.New("panic")
	// ErrGoexit reports a node that ended its goroutine with runtime.Goexit (t.FailNow in a test does).
	ErrGoexit = errors.New("node ended its goroutine")
)

// Errors of a thread and its store.
var (
	// ErrNothingToResume reports a thread that was never started.
	ErrNothingToResume = errors.New("thread was never started")
	// ErrGraphChanged reports an unfinished run of a graph with another topology. A new input always works;
	// [AllowGraphChange] resumes nevertheless.
	ErrGraphChanged = errors.New("graph has changed since the run stopped")
	// ErrThreadID reports a thread id that is empty or contains [ChildMark].
	ErrThreadID = errors.New("bad thread id")
	// ErrFenced reports a writer that lost its thread to a later claim, or a thread that was deleted meanwhile.
	// The write that returned it has changed nothing.
	ErrFenced = errors.New("another run has taken the thread")
	// ErrSequence reports a commit that is not the next one of its thread. It has changed nothing.
	ErrSequence = errors.New("not the next entry of the thread")
	// ErrNoThread reports a thread that has no entry, where one is needed.
	ErrNoThread = errors.New("thread does not exist")
	// ErrThreadExists reports a copy onto a thread that exists.
	ErrThreadExists = errors.New("thread exists already")
	// ErrConflict reports a [Store.Trim] of a log that is not what the caller has read. It has changed nothing.
	ErrConflict = errors.New("thread has changed meanwhile")
	// ErrDamaged reports a stored row that cannot be read; see [RowError].
	ErrDamaged = errors.New("stored row is damaged")
	// ErrNewerFormat reports a stored row of a later version of this package; see [RowError].
	ErrNewerFormat = errors.New("stored row was written by a newer version")
)

// A NodeError says which task of a run failed. errors.As finds it in the error of a run;
// a parallel step may hold several, in task order.
type NodeError struct {
	Node    string // name of the node
	Task    string // id of the task in its step: the node's name, with #n for the n-th Send
	Step    int    // step of the run, from 1
	Attempt int    // the last attempt, from 1; 0 = the step was cancelled before the task began
	Err     error  // what the node returned, or ErrPanic, ErrTimeout, ErrUnknownOutcome, …
	Stack   []byte // of the goroutine that panicked; nil otherwise
}

// Error names task, step and attempt, without the stack.
func (e *NodeError) Error() string {
	return fmt.Sprintf("node %s (step %d, attempt %d): %v", e.Task, e.Step, e.Attempt, e.Err)
}

// Unwrap returns Err.
func (e *NodeError) Unwrap() error { return e.Err }

// A ConcurrentUpdateError names what two tasks of one step both set. It is an [ErrConcurrentUpdate].
type ConcurrentUpdateError struct {
	Field         string // path of the field in the update; "" with [Simple], where the update is the whole state
	First, Second string // ids of the tasks, in task order
	Step          int    // step of the run, from 1
}

// Error names the field and both tasks.
func (e *ConcurrentUpdateError) Error() string {
	field := e.Field
	if field == "" {
		field = "the whole state"
	}
	return fmt.Sprintf("step %d: %v: %s and %s both set %s", e.Step, ErrConcurrentUpdate, e.First, e.Second, field)
}

// Is makes errors.Is(err, ErrConcurrentUpdate) true.
func (e *ConcurrentUpdateError) Is(target error) bool { return target == ErrConcurrentUpdate }

// A SaveError reports a write that the store refused. The run stops; what it names is not stored, or the store
// could not say so. The thread can be resumed.
type SaveError struct {
	Thread string
	Seq    int64  // of the entry that was to be written
	What   string // "input", "step", or "task <id>" for a pending write
	Err    error  // from the codec or the store: ErrFenced, a full disk, …
}

// Error names the thread and the row.
func (e *SaveError) Error() string {
	return fmt.Sprintf("save %s of thread %q (entry %d): %v", e.What, e.Thread, e.Seq, e.Err)
}

// Unwrap returns Err.
func (e *SaveError) Unwrap() error { return e.Err }

// A RowError names a stored row that cannot be used. It wraps [ErrDamaged], [ErrNewerFormat] or [ErrMigration].
type RowError struct {
	Thread string
	Seq    int64
	Row    string // "entry", "snapshot" or "pending write <task>"
	Err    error
}

// Error names the row.
func (e *RowError) Error() string {
	return fmt.Sprintf("thread %q, %s %d: %v", e.Thread, e.Row, e.Seq, e.Err)
}

// Unwrap returns Err.
func (e *RowError) Unwrap() error { return e.Err }
