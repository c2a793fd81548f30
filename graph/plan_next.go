package graph

import (
	"cmp"
	"encoding/json"
	"slices"
)

// next is Next without checks. It overwrites dst, whose memory it uses again, and leaves pos as it is.
func (p *Planner) next(dst, pos *Position, outcomes []Outcome) {
	dst.Deferred, dst.Joins = dst.Deferred[:0], dst.Joins[:0]
	if tasks := p.shortcut(pos, outcomes); tasks != nil {
		dst.Next, dst.lent = tasks, true
		return
	}
	if dst.lent {
		dst.Next, dst.lent = nil, false
	}
	dst.Next = dst.Next[:0]
	for _, t := range pos.Deferred {
		t.at = p.at(&t) + 1
		dst.Deferred = append(dst.Deferred, t)
	}
	for i := range pos.Joins {
		dst.Joins = append(dst.Joins, JoinWait{pos.Joins[i].Node, slices.Clone(pos.Joins[i].Arrived)})
	}
	for i := range pos.Next {
		if i == 0 || !sameWay(&pos.Next[i-1], &pos.Next[i], &outcomes[i-1], &outcomes[i]) {
			p.follow(dst, &pos.Next[i], &outcomes[i])
		}
	}
	p.fire(dst)
	p.settle(dst)
}

// sameWay says whether two tasks, such as Sends of one node, lead to the same: to follow the second one adds nothing then.
func sameWay(a, b *Task, of, to *Outcome) bool {
	return a.at == b.at && a.at > 0 && a.For == "" && b.For == "" && of.Route == to.Route && of.simple() && to.simple()
}

// simple says whether the outcome has no more than a route.
func (o *Outcome) simple() bool { return len(o.Goto) == 0 && len(o.Sends) == 0 && o.Failure == nil }

// shortcut is the answer for one task that leads to plain nodes while nothing waits, nil when there is more to plan.
func (p *Planner) shortcut(pos *Position, outcomes []Outcome) []Task {
	if len(pos.Next) != 1 || len(pos.Deferred) != 0 || len(pos.Joins) != 0 {
		return nil
	}
	n, o := &p.nodes[p.at(&pos.Next[0])], &outcomes[0]
	if !o.simple() || pos.Next[0].For != "" {
		return nil
	}
	return n.single[max(0, n.branch(o.Route))]
}

// precompute fills single for every node.
func (p *Planner) precompute() {
	for i := range p.nodes {
		n := &p.nodes[i]
		n.single = make([][]Task, max(1, len(n.branches)))
		if len(n.joins) > 0 {
			continue
		}
		for b := range n.single {
			var o Outcome
			if len(n.branches) > 0 {
				o.Route = n.branches[b].outcome
			}
			var pos Position
			task := p.task(i)
			p.follow(&pos, &task, &o)
			if len(pos.Deferred) > 0 {
				continue
			}
			p.settle(&pos)
			n.single[b] = pos.Next
		}
	}
}

// follow adds what one task leads to.
func (p *Planner) follow(dst *Position, t *Task, o *Outcome) {
	n := &p.nodes[p.at(t)]
	if o.Failure != nil {
		p.handle(dst, n, t.failed(), o.Failure)
		return
	}
	for _, name := range t.failed() { // the failure is dealt with: what waits for the node that failed need not wait longer
		for _, j := range p.nodes[p.index[name]].joins {
			p.arrive(dst, &p.joins[j], name)
		}
	}
	dst.Next = slices.Grow(dst.Next, len(o.Sends))
	for i := range o.Sends {
		send := o.Sends[i]
		to := p.at(&send)
		send.at, send.Send = to+1, 0
		if p.nodes[to].deferred {
			dst.Deferred = append(dst.Deferred, send)
		} else {
			dst.Next = append(dst.Next, send)
		}
	}
	if len(o.Goto) > 0 {
		for _, name := range o.Goto {
			if name != endName {
				p.reach(dst, p.index[name])
			}
		}
		return
	}
	for _, to := range n.edges {
		p.reach(dst, to)
	}
	if len(n.branches) > 0 {
		for _, to := range n.branches[n.branch(o.Route)].to {
			p.reach(dst, to)
		}
	}
	for _, j := range n.joins {
		p.arrive(dst, &p.joins[j], n.name)
	}
}

// handle schedules the handler of a failed task, which may itself have been that of others.
func (p *Planner) handle(dst *Position, failed *planNode, past []string, f *Failure) {
	arg, err := json.Marshal(f)
	if err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	t := Task{Node: p.nodes[failed.handler-1].name, at: failed.handler, Arg: arg, For: failed.name, Past: past}
	if p.nodes[failed.handler-1].deferred {
		dst.Deferred = append(dst.Deferred, t)
	} else {
		dst.Next = append(dst.Next, t)
	}
}

// reach schedules a plain task unless it is scheduled already.
func (p *Planner) reach(dst *Position, to int) {
	if to == endIndex {
		return
	}
	list := &dst.Next
	if p.nodes[to].deferred {
		list = &dst.Deferred
	}
	for i := range *list {
		if p.at(&(*list)[i]) == to {
			return
		}
	}
	*list = append(*list, p.task(to))
}

// arrive notes that a source has reached a join.
func (p *Planner) arrive(dst *Position, j *planJoin, source string) {
	to := p.nodes[j.to].name
	i := slices.IndexFunc(dst.Joins, func(w JoinWait) bool { return w.Node == to })
	if i < 0 {
		i = len(dst.Joins)
		dst.Joins = append(dst.Joins, JoinWait{Node: to})
	}
	w := &dst.Joins[i]
	if slices.Contains(w.Arrived, source) {
		return
	}
	w.Arrived = append(w.Arrived, source)
	slices.SortFunc(w.Arrived, func(a, b string) int {
		return cmp.Compare(slices.Index(j.from, p.index[a]), slices.Index(j.from, p.index[b]))
	})
}

// fire schedules the joins that are complete, no task of their sources being left to a handler, and keeps the others in the order of their declaration.
func (p *Planner) fire(dst *Position) {
	if len(dst.Joins) == 0 {
		return
	}
	waiting := dst.Joins[:0]
	for _, w := range dst.Joins {
		j := &p.joins[p.joinOf(w.Node)]
		if len(w.Arrived) == len(j.from) && !p.handled(dst, j) {
			p.reach(dst, j.to)
			continue
		}
		waiting = append(waiting, w)
	}
	dst.Joins = waiting
	slices.SortFunc(dst.Joins, func(a, b JoinWait) int { return cmp.Compare(p.joinOf(a.Node), p.joinOf(b.Node)) })
}

// handled says whether a handler is still to run for a source of a join: others of its Sends have ended well.
func (p *Planner) handled(dst *Position, j *planJoin) bool {
	for _, tasks := range [][]Task{dst.Next, dst.Deferred} {
		for i := range tasks {
			for _, name := range tasks[i].failed() {
				if slices.Contains(j.from, p.index[name]) {
					return true
				}
			}
		}
	}
	return false
}

// settle lets the deferred nodes run when nothing else is left, puts the tasks in order and numbers the Sends.
func (p *Planner) settle(dst *Position) {
	if len(dst.Next) == 0 && len(dst.Deferred) > 0 {
		dst.Next = append(dst.Next, dst.Deferred...)
		dst.Deferred = dst.Deferred[:0]
	}
	if byNode := func(a, b Task) int { return cmp.Compare(a.at, b.at) }; !slices.IsSortedFunc(dst.Next, byNode) {
		slices.SortStableFunc(dst.Next, byNode)
	}
	number, last := 0, 0
	for i := range dst.Next {
		t := &dst.Next[i]
		if t.at != last {
			number, last = 0, t.at
		}
		if p.nodes[t.at-1].work {
			number++
			t.Send = number
		}
	}
}

// taken adds the edges that one task took, each once.
func (p *Planner) taken(edges []Edge, t *Task, o *Outcome) []Edge {
	n := &p.nodes[p.at(t)]
	add := func(to, label string) {
		if e := (Edge{n.name, to, label}); !slices.Contains(edges, e) {
			edges = append(edges, e)
		}
	}
	if o.Failure != nil {
		add(p.nodes[n.handler-1].name, errorLabel)
		return edges
	}
	for i := range o.Sends {
		add(o.Sends[i].Node, sendLabel)
	}
	for _, name := range o.Goto {
		add(name, gotoLabel)
	}
	if len(o.Goto) > 0 {
		return edges
	}
	for _, to := range n.edges {
		add(p.nameOf(to), "")
	}
	if len(n.branches) > 0 {
		for _, to := range n.branches[n.branch(o.Route)].to {
			add(p.nameOf(to), o.Route)
		}
	}
	for _, j := range n.joins {
		add(p.nodes[p.joins[j].to].name, "")
	}
	return edges
}

func (p *Planner) nameOf(i int) string {
	if i == endIndex {
		return endName
	}
	return p.nodes[i].name
}
