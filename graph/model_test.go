package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kbagent/kbagent/graph"
)

// modelTask is a task of the interpreter.
type modelTask struct {
	node   int
	extra  string // what its word has besides the name: the argument of a Send, or the failure that it handles
	plain  bool   // reached by an edge
	stands int    // node whose failure it handles, -1 without
}

// A model runs a shape the obvious way: one task after another, no store, no concurrency, sets and sorting everywhere.
type model struct {
	shape
	left     map[string]int // calls in which a task still fails
	state    trail
	next     []modelTask
	deferred []modelTask
	arrived  map[int]map[int]bool // join target → sources
	step     int
	last     []string // nodes of the step before
	ran      []string // attempts of the call: "step/task@attempt"

	// Of the unfinished step, by task.
	done    map[string]bool     // also failed with a handler
	open    map[string][]string // questions without an answer, in the order in which they were asked
	heard   map[string][]string // questions with one
	news    map[string]bool     // it was answered since it ran
	stopped bool
}

func newModel(s shape) *model {
	m := &model{shape: s, left: maps.Clone(s.fails), arrived: map[int]map[int]bool{}}
	m.state, _ = m.state.Apply(step{})
	m.follow(&m.next, 0)
	m.settle()
	return m
}

// follow adds a plain task, unless there is one already.
func (m *model) follow(next *[]modelTask, to int) {
	if to == shapeEnd {
		return
	}
	if t := (modelTask{to, "", true, -1}); !slices.Contains(*m.list(next, to), t) {
		m.add(next, t)
	}
}

func (m *model) add(next *[]modelTask, t modelTask) {
	list := m.list(next, t.node)
	*list = append(*list, t)
}

func (m *model) list(next *[]modelTask, to int) *[]modelTask {
	if m.nodes[to].deferred {
		return &m.deferred
	}
	return next
}

// settle ends the planning of a step: deferred tasks run when nothing else is left, tasks are sorted, nothing is known of them.
func (m *model) settle() {
	if len(m.next) == 0 {
		m.next, m.deferred = m.deferred, nil
	}
	slices.SortStableFunc(m.next, func(a, b modelTask) int { return cmp.Compare(a.node, b.node) })
	m.done, m.news, m.stopped = map[string]bool{}, map[string]bool{}, false
	m.open, m.heard = map[string][]string{}, map[string][]string{}
}

// ids are those of the tasks of the next step.
func (m *model) ids() []string {
	var ids []string
	sent := map[int]int{}
	for _, t := range m.next {
		id := m.nodes[t.node].name
		if !t.plain {
			sent[t.node]++
			id = fmt.Sprintf("%s#%d", id, sent[t.node])
		}
		ids = append(ids, fmt.Sprintf("%d/%s", m.step+1, id))
	}
	return ids
}

// names are the nodes of the next step, once per task.
func (m *model) names() []string {
	var names []string
	for _, t := range m.next {
		names = append(names, m.nodes[t.node].name)
	}
	return names
}

// questions lists the open ones: "step/task/key".
func (m *model) questions() []string {
	var list []string
	for _, id := range m.ids() {
		for _, key := range m.open[id] {
			list = append(list, id+"/"+key)
		}
	}
	return list
}

// answer closes a question.
func (m *model) answer(task, key string) {
	m.open[task] = slices.DeleteFunc(m.open[task], func(k string) bool { return k == key })
	m.heard[task] = append(m.heard[task], key)
	m.news[task] = true
}

// try runs a task with all its attempts. It returns false when it has failed without a handler.
func (m *model) try(t modelTask, id string) bool {
	n := m.nodes[t.node]
	m.news[id] = false
	for attempt := 1; ; attempt++ {
		m.ran = append(m.ran, fmt.Sprint(id, "@", attempt))
		for k := range n.asks {
			key := fmt.Sprint("q", k)
			if slices.Contains(m.heard[id], key) || slices.Contains(m.open[id], key) {
				continue
			}
			if !n.together && len(m.open[id]) > 0 {
				break
			}
			m.open[id] = append(m.open[id], key)
		}
		switch {
		case len(m.open[id]) > 0:
			return true
		case !m.doomed[id] && m.left[id] == 0 && attempt > n.transient:
			m.done[id] = true
			return true
		case attempt < n.attempts:
		case m.doomed[id]:
			m.done[id] = true
			return true
		default:
			m.left[id]--
			return false
		}
	}
}

// run runs the tasks of a step that are not done and do not just wait. It says whether the step is complete.
func (m *model) run() (complete bool, err error) {
	complete = true
	for i, id := range m.ids() {
		if waits := len(m.open[id]) > 0 && !m.news[id]; !m.done[id] && !waits && !m.try(m.next[i], id) {
			err = errBoom
		}
		complete = complete && m.done[id]
	}
	return complete, err
}

// word is what a task says.
func (m *model) word(t modelTask, id string) step {
	word := m.nodes[t.node].name + t.extra
	for k := range m.nodes[t.node].asks {
		word += fmt.Sprint("=", answerTo(id, fmt.Sprint("q", k)))
	}
	return m.says(word)
}

// commit folds the updates of a complete step and plans the next one.
func (m *model) commit() {
	var next []modelTask
	before := m.state
	for i, id := range m.ids() {
		t := m.next[i]
		n := m.nodes[t.node]
		if m.doomed[id] {
			what := fmt.Sprintf(":%s@%d", id, n.attempts)
			m.add(&next, modelTask{n.handler, what, false, t.node})
			continue
		}
		m.state, _ = m.state.Apply(m.word(t, id))
		own, _ := before.Apply(m.word(t, id))
		if t.stands >= 0 {
			m.arrive(t.stands)
		}
		for k := range before.Count % 3 {
			if n.sends >= 0 {
				m.add(&next, modelTask{n.sends, fmt.Sprint(":", k), false, -1})
			}
		}
		if n.kind == "dynamic" { // it always says Goto: its joins do not fire
			m.follow(&next, n.targets[n.choice(before.Count, len(n.targets))])
			continue
		}
		for _, to := range n.edges {
			m.follow(&next, to)
		}
		if n.branches != nil {
			for _, to := range n.branches[n.choice(own.Count, len(n.branches))] {
				m.follow(&next, to)
			}
		}
		m.arrive(t.node)
	}
	for to, target := range m.nodes {
		if target.join != nil && len(m.arrived[to]) == len(target.join) && !m.handled(next, target.join) {
			delete(m.arrived, to)
			m.follow(&next, to)
		}
	}
	m.last, m.next, m.step = m.names(), next, m.step+1
	m.settle()
}

// handled says whether a handler is still to run for one of the nodes.
func (m *model) handled(next []modelTask, nodes []int) bool {
	return slices.ContainsFunc(slices.Concat(next, m.deferred), func(t modelTask) bool {
		return t.stands >= 0 && slices.Contains(nodes, t.stands)
	})
}

// arrive notes a source at its joins.
func (m *model) arrive(source int) {
	for to, target := range m.nodes {
		if slices.Contains(target.join, source) {
			if m.arrived[to] == nil {
				m.arrived[to] = map[int]bool{}
			}
			m.arrived[to][source] = true
		}
	}
}

// stops lists the static stops at this point: "after n1", "before n2".
func (m *model) stops(before, after []string) []string {
	var list []string
	add := func(kind string, names, at []string) {
		for _, name := range names {
			if stop := kind + " " + name; slices.Contains(at, name) && !slices.Contains(list, stop) {
				list = append(list, stop)
			}
		}
	}
	add("after", m.last, after)
	add("before", m.names(), before)
	return list
}

// call is what one Invoke or Resume has to end in.
func (m *model) call(limit int, before, after []string) (waits []string, err error) {
	m.ran = nil
	for n := 0; ; n++ {
		switch stops := m.stops(before, after); {
		case len(m.next) == 0 && len(m.arrived) > 0:
			return nil, graph.ErrJoinUnreachable
		case len(m.next) == 0:
			return nil, nil
		case len(stops) > 0 && !m.stopped:
			m.stopped = true
			return stops, nil
		case n == limit:
			return nil, graph.ErrStepLimit
		}
		complete, err := m.run()
		if !complete {
			return m.questions(), err
		}
		m.commit()
	}
}
