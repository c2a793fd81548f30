package graph

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
			Kind: TaskEnd, Step: step, Node: t.Node, Task: t.ID(), Attempt: res.attempt, Update: res.update, Err: err,
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
