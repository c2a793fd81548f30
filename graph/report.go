package graph

// sink delivers events to the consumer of a stream, always on the goroutine of the run.
type sink[S, U any] struct {
	yield    func(Event[S, U], error) bool
	mode     Mode
	thread   string
	call     int64
	run      int64
	seq      int64
	step     int    // of the last event
	detached bool   // there is no consumer that could leave
	stopped  bool   // the consumer has left, and yield must not be called again
	cancel   func() // cancels the run
}

func (o *sink[S, U]) send(e Event[S, U], err error) {
	if o.stopped {
		return
	}
	o.seq++
	e.Seq, e.Thread, e.Call, e.Run = o.seq, o.thread, o.call, o.run
	o.stopped = true // also when the consumer panics
	if o.yield(e, err) {
		o.stopped = false
		return
	}
	o.cancel()
}

// finish delivers the last events of a call.
func (o *sink[S, U]) finish(res *Result[S], err error) {
	if o == nil {
		return
	}
	for _, i := range res.Interrupts {
		o.send(Event[S, U]{Kind: Interrupted, Step: i.Step, Node: i.Node, Task: i.Task, Interrupt: i}, nil)
	}
	o.send(Event[S, U]{Kind: RunEnd, Step: o.step, State: res.State, Err: err, Discarded: res.Discarded}, err)
}

// reportStart reports the start of a run that stands where its input or its last commit has put it.
func (r *run[S, U]) reportStart() {
	if r.out == nil {
		return
	}
	r.out.step, r.out.run = r.step, r.number
	if r.save != nil {
		r.out.call = r.save.fence
	}
	r.send(Event[S, U]{Kind: RunStart, Step: r.step, State: *r.state, Discarded: r.result.Discarded}, 0)
	if r.begun {
		r.reportEntry()
	}
	if r.step == 0 {
		r.sendEdges(0, r.app.startEdges())
	}
}

// reportEntry reports the last commit.
func (r *run[S, U]) reportEntry() {
	if r.save != nil {
		r.send(Event[S, U]{Kind: Committed, Step: r.step, Entry: r.save.seq}, Checkpoints)
	}
}

func (r *run[S, U]) wants(m Mode) bool { return r.out != nil && r.out.mode&m != 0 }

// send delivers an event when one of the modes is wanted; 0 stands for always.
func (r *run[S, U]) send(e Event[S, U], m Mode) {
	if r.out == nil || m != 0 && r.out.mode&m == 0 {
		return
	}
	if w := r.wire; w != nil {
		w.send(e)
		return
	}
	r.out.send(e, nil)
}

// startTask reports the start of an attempt.
func (r *run[S, U]) startTask(t *Task, res *result[U]) {
	if r.wants(Tasks) {
		r.send(Event[S, U]{Kind: TaskStart, Step: r.step + 1, Node: t.Node, Task: t.ID(), Attempt: res.attempt}, Tasks)
	}
}

// endTask reports the end of an attempt.
func (r *run[S, U]) endTask(step int, t *Task, res *result[U], err error) {
	if r.wants(Tasks) {
		r.send(Event[S, U]{
			Kind: TaskEnd, Step: step, Node: t.Node, Task: t.ID(), Attempt: res.attempt, Update: res.update, Err: err, Cached: res.hit(),
		}, Tasks)
	}
}

// reportStep reports a committed step. The only task of a step has not been reported before: until the commit
// it was not stored.
func (r *run[S, U]) reportStep(tasks []Task) {
	r.out.step = r.step
	if len(tasks) == 1 {
		r.finished = append(r.finished, 0)
		if !r.results[0].failed {
			r.endTask(r.step, &tasks[0], &r.results[0], nil)
		}
	}
	r.reportEntry()
	if r.wants(Updates) {
		for _, i := range r.finished {
			t, res := &tasks[i], &r.results[i]
			if res.failed {
				continue
			}
			for k := range 1 + len(res.more) {
				u := res.update
				if k > 0 {
					u = res.more[k-1]
				}
				r.send(Event[S, U]{Kind: UpdateKind, Step: r.step, Node: t.Node, Task: t.ID(), Update: u}, Updates)
			}
		}
	}
	if r.wants(Edges) {
		var edges []Edge
		for i := range tasks {
			edges = r.app.plan.taken(edges, &tasks[i], &r.outcomes[i])
		}
		r.sendEdges(r.step, edges)
	}
	r.send(Event[S, U]{Kind: ValuesKind, Step: r.step, State: *r.state}, Values)
}

func (r *run[S, U]) sendEdges(step int, edges []Edge) {
	for _, e := range edges {
		r.send(Event[S, U]{Kind: EdgeTaken, Step: step, Edge: e}, Edges)
	}
}
