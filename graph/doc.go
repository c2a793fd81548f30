// Package graph runs typed state machines step by step, durably and in a fixed order. It imports the standard library only.
//
// # State, update, fold
//
// A program gives two plain types: a state S, and an update U that says what one node found out.
// The method Apply of S folds an update into the next state; it is the only place where a state changes:
//
//	type State struct {
//		Docs   []string
//		Answer string
//	}
//
//	type Update struct {
//		Docs   []string           // appended
//		Answer graph.Set[string]  // a plain value: the last one stays
//	}
//
//	func (s State) Apply(u Update) (State, error) {
//		s.Docs = graph.Append(s.Docs, u.Docs...)
//		s.Answer = u.Answer.Or(s.Answer)
//		return s, nil
//	}
//
// The update is the unit of everything: of folding, of the stream, of the log on disk. A state is the fold of its updates.
// Apply must be pure: it must not write memory that the old state can reach, which a plain append into spare capacity does;
// [Append] never does.
//
// # Nodes and edges
//
// A [Graph] collects nodes and says which follows which: [Graph.Edge] always, [Route] by an outcome that a pure function
// reads from the state, [Graph.Join] after several, [Graph.Dynamic] by the node's own command, [Work] once for every
// [Send]; [Sub] and [Inline] are nodes that run another graph. [Graph.Compile] checks the whole and reports all mistakes
// at once; its result, an [App], never changes and serves any number of threads and goroutines at once.
//
// # Steps
//
// A run goes in supersteps. All tasks of a step read the same state; what they write is visible in the next step.
// Their updates are folded in task order (order of declaration, then of the Sends), never in the order in which they end,
// so that equal inputs give equal states. Two tasks of one step that set the same plain value are an error,
// [ErrConcurrentUpdate], because one of them would be lost silently.
//
// # Failure and limits
//
// A node may have a [Retry], a [Timeout] and, with [Graph.OnError], another node that stands in when it has failed. Panics
// are errors. [MaxSteps], [WallTime], [StepTimeout] and [Budget] limit a call. Cancelling its context ends the contexts of
// all running nodes; the call waits for them and keeps what they finished.
//
// # Threads
//
// [App.Invoke] runs in memory and forgets. [App.Thread] names a thread that is kept in a [Store]: every step is committed
// before the next one starts, so that a run that failed, was cancelled or was killed goes on with [Thread.Resume]
// exactly behind its last commit; [Async] and [Exit] trade that for speed. Parallel tasks are saved one by one as they
// finish. A node whose result is not stored runs again: [Once] keeps the result of a side effect inside of it.
// A thread has one writer: who claims it later wins, and the earlier one gets [ErrFenced] and changes nothing.
//
// [Thread.History] lists what a thread has been, [Thread.Fork] goes back to it, and [Thread.UpdateState] changes it by hand.
// Stores are in memory here, and in the packages store/sqlite and store/postgres; graph/sealed encrypts any of them.
//
// # People
//
// A node may [Ask]: the call ends with an [Interrupt], and the [Answer] comes with a later [Thread.Resume], in whatever
// process. [StopBefore] and [StopAfter] end a call beside a node.
//
// # Streams
//
// [App.Stream] and [Thread.Stream] are the same runs, seen as a sequence of [Event]. Nothing is dropped; a slow consumer
// slows the run down. Leaving the loop cancels the run and waits for its nodes. A run that is started [Detached] goes on
// without its consumer, and [Thread.Follow] shows its events from any point. [Observe] hands runs, steps and attempts to
// traces and logs.
//
// The manual, docs/runtime.md in the repository, has all of it with examples, what is guaranteed and what is not.
package graph
