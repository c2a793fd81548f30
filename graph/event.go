package graph

import (
	"context"
	"time"
)

// A Mode says which events a stream delivers. Modes are combined with |; RunStart, Interrupted and RunEnd always come.
type Mode uint

// The modes of a stream.
const (
	Values      Mode = 1 << iota // the state after each step
	Updates                      // the update of each task, once its step is committed
	Tasks                        // start and end of every attempt
	Custom                       // what nodes send with Emit
	Edges                        // the edges that each step took
	Checkpoints                  // each commit on a thread
	Messages                     // the text that nodes send with Say
	Children                     // the events of sub-graphs, in the modes of this stream
	details                      // what only debugging needs: waits between attempts, charges

	// Debug is everything there is.
	Debug = Values | Updates | Tasks | Custom | Edges | Checkpoints | Messages | Children | details

	live = Custom | Messages | Children | details // what tasks send while they run
)

// A Kind says what an [Event] reports and which of its fields are set. Every event has Kind, Seq, Thread, Call, Run and Step.
// The names of the kinds, see [Kind.String], are stable; their numbers are not.
type Kind uint8

// The kinds of events, in the order in which a step delivers them.
const (
	RunStart    Kind = iota + 1 // State: before the first step; Discarded
	TaskStart                   // Node, Task, Attempt
	CustomKind                  // Node, Task, Attempt, Custom
	MessageKind                 // Node, Task, Attempt, Text
	ChildKind                   // Node, Task, Attempt, Path, Child: an event of the task's sub-graph
	ChargeKind                  // Node, Task, Attempt, Name, Amount: of a Charge; mode Debug
	TaskEnd                     // Node, Task, Attempt, Cached; Err when the attempt failed, Update otherwise
	RetryKind                   // Node, Task, Attempt, Delay: the attempt failed and another follows after Delay; mode Debug
	Committed                   // Entry: the input or the step is committed; under Async and Exit it is only on its way
	UpdateKind                  // Node, Task, Update: folded and, on a thread, committed; in the order of completion
	EdgeTaken                   // Edge: once for every edge that a step took, END included; those of START with step 0
	ValuesKind                  // State: after the step
	Interrupted                 // Interrupt: one that the run ends with
	RunEnd                      // State: after the last committed step; Err when the run failed
)

var kindNames = [...]string{
	"", "run_start", "task_start", "custom", "message", "child", "charge", "task_end", "retry", "checkpoint", "update", "edge",
	"values", "interrupted", "run_end",
}

// String is the name of the kind in snake_case.
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return "unknown"
}

// An Event is one thing that happened in a run. [Kind] says which fields are set.
type Event[S, U any] struct {
	Kind      Kind
	Seq       int64  // position in this stream, from 1 without gaps
	Thread    string // "" without a thread
	Call      int64  // the fence of the call: every later call on a thread of the store has a greater one; 0 without a thread
	Run       int64  // number of the run on its thread, from 1; see TaskInfo. 0 = the call could not begin
	Step      int    // step of the run, from 1
	Node      string
	Task      string // id of the task within its step
	Attempt   int    // from 1
	Update    U
	State     S
	Custom    any
	Text      string
	Path      []string // ids of the task and of those below it in sub-graphs, down to the one that the innermost Child is about
	Child     any      // an Event of the sub-graph, with its types and its own Seq; it may be of ChildKind again
	Edge      Edge
	Entry     int64 // Seq of the entry in the thread's log
	Name      string
	Amount    int64
	Delay     time.Duration
	Err       error
	Cached    bool // the result comes from the cache of the node, which did not run
	Discarded bool // a new input gave up an unfinished run
	Interrupt Interrupt
}

// path is what the event adds to the Path that it has in the stream of the graph around.
func (e Event[S, U]) path() []string {
	switch {
	case e.Kind == ChildKind:
		return e.Path
	case e.Task != "":
		return []string{e.Task}
	default:
		return nil
	}
}

// A Result is what a run returns, also together with an error: it then holds what was reached before it.
type Result[S any] struct {
	State      S                // after the last committed step
	Steps      int              // steps that this call committed
	Path       []string         // nodes of these steps, in task order
	Interrupts []Interrupt      // what the run waits for, in task order; it goes on with Thread.Resume
	Charged    map[string]int64 // what the nodes charged in this call; nil = nothing
	Discarded  bool             // the input of this call gave up an unfinished run
}

// Emit hands v to the consumer of the run's stream as an event of kind [CustomKind] and waits until it is taken.
// It does nothing when nobody listens for [Custom] events, when ctx is no task's context, and after the task's step has
// ended. A node may call it from any goroutine.
func Emit(ctx context.Context, v any) { say(ctx, Custom, signal{kind: CustomKind, value: v}) }

// Say hands a piece of text, such as the next tokens of a model, to the consumer of the run's stream as an event of kind
// [MessageKind]. It is like [Emit], for mode [Messages].
func Say(ctx context.Context, text string) { say(ctx, Messages, signal{kind: MessageKind, text: text}) }
