package graph

// A Mode says which events a stream delivers. Modes are combined with |; RunStart, Interrupted and RunEnd always come.
type Mode uint

// The modes of a stream.
const (
	Values  Mode = 1 << iota // the state after each step
	Updates                  // the update of each task, once its step is committed
	Tasks                    // start and end of every attempt
	Custom                   // what nodes send with Emit
	Edges                    // the edges that each step took
)

// A Kind says what an [Event] reports and which of its fields are set. Every event has Kind, Seq, Thread and Step.
type Kind uint8

// The kinds of events, in the order in which a step delivers them.
const (
	RunStart    Kind = iota + 1 // State: before the first step; Discarded
	TaskStart                   // Node, Task, Attempt
	CustomKind                  // Node, Task, Attempt, Custom
	TaskEnd                     // Node, Task, Attempt; Err when the attempt failed, Update otherwise
	UpdateKind                  // Node, Task, Update: folded and, on a thread, committed; in the order of completion
	EdgeTaken                   // Edge: once for every edge that a step took, END included; those of START with step 0
	ValuesKind                  // State: after the step
	Interrupted                 // Interrupt: one that the run ends with
	RunEnd                      // State: after the last committed step; Err when the run failed
)

var kindNames = [...]string{"", "run_start", "task_start", "custom", "task_end", "update", "edge", "values", "interrupted", "run_end"}

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
	Step      int    // step of the run, from 1
	Node      string
	Task      string // id of the task within its step
	Attempt   int    // from 1
	Update    U
	State     S
	Custom    any
	Edge      Edge
	Err       error
	Discarded bool // a new input gave up an unfinished run
	Interrupt Interrupt
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

// sink delivers events to the consumer of a stream, always on the goroutine that ranges over it.
type sink[S, U any] struct {
	yield   func(Event[S, U], error) bool
	mode    Mode
	thread  string
	seq     int64
	step    int    // of the last event
	stopped bool   // the consumer has left, and yield must not be called again
	cancel  func() // cancels the run
}

func (o *sink[S, U]) send(e Event[S, U], err error) {
	if o.stopped {
		return
	}
	o.seq++
	e.Seq, e.Thread = o.seq, o.thread
	o.stopped = true // also when the consumer panics
	if o.yield(e, err) {
		o.stopped = false
		return
	}
	o.cancel()
}
