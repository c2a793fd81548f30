package graph

import "slices"

// stops returns the interrupts of a requested stop at the present position. On a thread a stop is noted before it is
// reported, so that the run passes it when it is resumed.
func (r *run[S, U]) stops() ([]Interrupt, error) {
	if r.passed {
		r.passed = false
		return nil, nil
	}
	var list []Interrupt
	add := func(kind InterruptKind, at []string, step int, names []string) {
		for i, name := range names {
			if slices.Contains(at, name) && !slices.Contains(names[:i], name) {
				list = append(list, Interrupt{ID: interruptID(r.number, step, "", string(kind)+"/"+name), Kind: kind, Node: name, Step: step})
			}
		}
	}
	add(After, r.stopAfter, r.step, r.lastNodes())
	add(Before, r.stopBefore, r.step+1, nodesOf(r.pos.Next))
	if len(list) == 0 {
		return nil, nil
	}
	r.journals.step = r.step + 1
	return list, r.journals.write(&note{Kind: stopNote})
}

// lastNodes are the nodes of the last committed step, in task order.
func (r *run[S, U]) lastNodes() []string {
	if r.result.Steps == 0 {
		return r.last
	}
	return nodesOf(r.spare.Next)
}

func nodesOf(tasks []Task) []string {
	names := make([]string, len(tasks))
	for i := range tasks {
		names[i] = tasks[i].Node
	}
	return names
}

// hold marks the tasks that wait for an answer and have nothing new to hear: they do not run.
func (r *run[S, U]) hold() {
	now := r.clock.Now().UnixMilli()
	for i := range r.pos.Next {
		if j := r.journals.lookup(r.pos.Next[i].ID()); j != nil {
			r.results[i].waiting = j.waits(now)
		}
	}
}

// interrupts lists the questions of the tasks that wait, in task order.
func (r *run[S, U]) interrupts() []Interrupt {
	var list []Interrupt
	for i := range r.results {
		if r.results[i].waiting {
			list = append(list, r.journals.lookup(r.pos.Next[i].ID()).interrupts()...)
		}
	}
	return list
}

// interrupted says whether an attempt of a task has ended with an open question, and the failure that its node may have
// hidden: a note that could not be saved, or an answer of the wrong type.
func (r *run[S, U]) interrupted(t *Task) (waiting bool, err error) {
	j := r.journals.lookup(t.ID())
	if j == nil {
		return false, nil
	}
	if err := j.failed(); err != nil {
		return false, err
	}
	if !j.asked() {
		return false, nil
	}
	return true, j.settle()
}

// startJournal prepares the journal of a task that has one for another attempt.
func (r *run[S, U]) startJournal(t *Task) {
	if j := r.journals.lookup(t.ID()); j != nil {
		j.begin()
	}
}
