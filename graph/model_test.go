package graph_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// A shape is a random graph as plain data: what the engine is built from and what the interpreter below reads.
type shape struct {
	nodes []shapeNode // node 0 is the start
	limit int
	fails map[string]int // task → how many calls fail ("step/task"; each call is one call of Invoke or Resume)
}

type shapeNode struct {
	name     string
	kind     string // plain, route, dynamic, work
	edges    []int  // always
	branches [][]int
	targets  []int // dynamic: plain targets, one of which it goes to, or none
	sends    int   // dynamic: index of a work node, -1 without
	deferred bool
	join     []int // sources of the join into this node
}

const shapeEnd = -1

func (n shapeNode) choice(count, options int) int { return (count*7 + len(n.name)) % options }

// genShape draws a graph that Compile accepts: every node has a way to End by a route, an edge or a target.
func genShape(t *rapid.T) shape {
	n := rapid.IntRange(2, 6).Draw(t, "nodes")
	s := shape{limit: rapid.IntRange(5, 25).Draw(t, "limit"), fails: map[string]int{}}
	for i := range n {
		node := shapeNode{name: fmt.Sprintf("n%d", i), sends: -1}
		node.kind = rapid.SampledFrom([]string{"plain", "route", "route", "dynamic", "work"}).Draw(t, "kind")
		if i == 0 && node.kind == "work" {
			node.kind = "dynamic"
		}
		node.deferred = i > 0 && rapid.IntRange(0, 5).Draw(t, "deferred") == 0
		s.nodes = append(s.nodes, node)
	}
	target := rapid.Custom(func(t *rapid.T) int {
		i := rapid.IntRange(shapeEnd, n-1).Draw(t, "target")
		if i >= 0 && s.nodes[i].kind == "work" {
			return shapeEnd
		}
		return i
	})
	set := func(t *rapid.T, label string, least int) []int {
		list := rapid.SliceOfNDistinct(target, least, 3, rapid.ID).Draw(t, label)
		slices.Sort(list)
		return list
	}
	for i := range s.nodes {
		node := &s.nodes[i]
		switch node.kind {
		case "plain", "work":
			node.edges = onward(set(t, "edges", 0), i)
		case "route":
			node.edges = onward(set(t, "edges", 0), i)
			node.branches = [][]int{set(t, "branch", 1), {shapeEnd}, set(t, "branch", 1)}
		case "dynamic":
			node.targets = append(onward(set(t, "targets", 0), i), shapeEnd)
			slices.Sort(node.targets)
			node.targets = slices.Compact(node.targets)
			node.sends = rapid.IntRange(-1, n-1).Draw(t, "sends")
			if node.sends >= 0 && s.nodes[node.sends].kind != "work" {
				node.sends = -1
			}
		}
	}
	for i := 1; i < n; i++ {
		if s.nodes[i].kind != "work" && rapid.IntRange(0, 3).Draw(t, "joined") == 0 {
			s.nodes[i].join = joinSources(rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 1, 2, rapid.ID).Draw(t, "join"))
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "failures") {
		task := fmt.Sprintf("%d/n%d", rapid.IntRange(1, 6).Draw(t, "step"), rapid.IntRange(0, n-1).Draw(t, "node"))
		if rapid.Bool().Draw(t, "of a send") {
			task += "#1"
		}
		s.fails[task] = rapid.IntRange(1, 2).Draw(t, "times")
	}
	return s
}

// onward keeps static edges that lead forward, so that no cycle lacks a decision; END is added when nothing is left.
func onward(list []int, from int) []int {
	list = slices.DeleteFunc(list, func(to int) bool { return to != shapeEnd && to <= from })
	if len(list) == 0 {
		return []int{shapeEnd}
	}
	return list
}

func joinSources(list []int) []int { slices.Sort(list); return list }

// build makes the graph; nodes that Compile would call unreachable get an edge from the start.
func (s shape) build(t require.TestingT, tries map[string]int, j *graphtest.Journal) *graph.App[trail, step] {
	g := graph.New[trail]("shape")
	handles := make([]graph.Node, len(s.nodes))
	work := map[int]graph.WorkNode[int]{}
	enter := func(ctx context.Context) error {
		j.Note(ctx)
		info, _ := graph.InfoFrom(ctx)
		task := fmt.Sprintf("%d/%s", info.Step, info.Task)
		if tries[task] < s.fails[task] {
			return errBoom
		}
		return nil
	}
	for i, n := range s.nodes {
		var opts []graph.NodeOption
		if n.deferred {
			opts = append(opts, graph.Deferred())
		}
		switch n.kind {
		case "dynamic":
			handles[i] = g.Dynamic(n.name, func(ctx context.Context, st trail) (graph.Command[step], error) {
				c := graph.Command[step]{Update: step{Path: []string{n.name}}}
				to := n.targets[n.choice(st.Count, len(n.targets))]
				c.Goto = []graph.Node{handle(handles, to)}
				if n.sends >= 0 {
					for k := range st.Count % 3 {
						c.Sends = append(c.Sends, work[n.sends].Send(k))
					}
				}
				return c, enter(ctx)
			}, opts...)
		case "work":
			work[i] = graph.Work(g, n.name, func(ctx context.Context, _ trail, k int) (step, error) {
				return step{Path: []string{fmt.Sprint(n.name, ":", k)}}, enter(ctx)
			}, opts...)
			handles[i] = work[i].Node
		default:
			handles[i] = g.Node(n.name, func(ctx context.Context, _ trail) (step, error) {
				return step{Path: []string{n.name}}, enter(ctx)
			}, opts...)
		}
	}
	g.Start(handles[0])
	for i, n := range s.nodes {
		for _, to := range n.edges {
			g.Edge(handles[i], handle(handles, to))
		}
		if n.kind == "dynamic" {
			for _, to := range n.targets {
				g.Targets(handles[i], handle(handles, to))
			}
			if n.sends >= 0 {
				g.Targets(handles[i], handles[n.sends])
			}
		}
		if n.branches != nil {
			var branches []graph.Branch
			for b, targets := range n.branches {
				var to []graph.Node
				for _, i := range targets {
					to = append(to, handle(handles, i))
				}
				branches = append(branches, graph.Case(fmt.Sprint("b", b), to...))
			}
			graph.Route(g, handles[i], func(st trail) string { return fmt.Sprint("b", n.choice(st.Count, len(n.branches))) }, branches...)
		}
		if n.join != nil {
			var from []graph.Node
			for _, f := range n.join {
				from = append(from, handles[f])
			}
			g.Join(handles[i], from...)
		}
	}
	app, err := g.Compile(graph.MaxSteps(s.limit), graph.MaxConcurrency(3))
	if errors.Is(err, graph.ErrUnreachable) || errors.Is(err, graph.ErrEndlessCycle) {
		return nil // the drawing of another shape is cheaper than avoiding these
	}
	require.NoError(t, err)
	return app
}

func handle(handles []graph.Node, i int) graph.Node {
	if i == shapeEnd {
		return graph.End
	}
	return handles[i]
}

// modelTask is a task of the interpreter: a node, and the argument of a Send or -1.
type modelTask struct{ node, arg int }

// A model runs a shape the obvious way: one task after another, no store, no concurrency, sets and sorting everywhere.
type model struct {
	shape
	state    trail
	next     []modelTask
	deferred []modelTask
	arrived  map[int]map[int]bool // join target → sources
	step     int
}

func newModel(s shape) *model {
	m := &model{shape: s, arrived: map[int]map[int]bool{}}
	m.state, _ = m.state.Apply(step{})
	m.reach(&m.next, &m.deferred, 0)
	m.release()
	return m
}

func (m *model) reach(next, deferred *[]modelTask, to int) {
	if to == shapeEnd {
		return
	}
	list := next
	if m.nodes[to].deferred {
		list = deferred
	}
	if !slices.Contains(*list, modelTask{to, -1}) {
		*list = append(*list, modelTask{to, -1})
	}
}

// names are the ids of the tasks of the next step.
func (m *model) names() []string {
	var ids []string
	sent := map[int]int{}
	for _, t := range m.next {
		id := m.nodes[t.node].name
		if t.arg >= 0 {
			sent[t.node]++
			id = fmt.Sprintf("%s#%d", id, sent[t.node])
		}
		ids = append(ids, id)
	}
	return ids
}

// advance runs one step. It returns false when a task fails, and nothing has changed then.
func (m *model) advance(tries map[string]int, saved map[string]bool) bool {
	ok := true
	for _, id := range m.names() {
		task := fmt.Sprintf("%d/%s", m.step+1, id)
		if tries[task] < m.fails[task] {
			ok = false
		} else if len(m.next) > 1 {
			saved[task] = true
		}
	}
	if !ok {
		return false
	}
	var next []modelTask
	before, after := m.state, m.state
	for _, t := range m.next {
		n := m.nodes[t.node]
		word := n.name
		if t.arg >= 0 {
			word = fmt.Sprint(n.name, ":", t.arg)
		}
		after, _ = after.Apply(step{Path: []string{word}})
		own, _ := before.Apply(step{Path: []string{word}})
		for k := range before.Count % 3 {
			if n.sends >= 0 && m.nodes[n.sends].deferred {
				m.deferred = append(m.deferred, modelTask{n.sends, k})
			} else if n.sends >= 0 {
				next = append(next, modelTask{n.sends, k})
			}
		}
		if n.kind == "dynamic" { // it always says Goto: its joins do not fire
			m.reach(&next, &m.deferred, n.targets[n.choice(before.Count, len(n.targets))])
			continue
		}
		for _, to := range n.edges {
			m.reach(&next, &m.deferred, to)
		}
		if n.branches != nil {
			for _, to := range n.branches[n.choice(own.Count, len(n.branches))] {
				m.reach(&next, &m.deferred, to)
			}
		}
		for to, target := range m.nodes {
			if slices.Contains(target.join, t.node) {
				if m.arrived[to] == nil {
					m.arrived[to] = map[int]bool{}
				}
				m.arrived[to][t.node] = true
			}
		}
	}
	for to, target := range m.nodes {
		if target.join != nil && len(m.arrived[to]) == len(target.join) {
			delete(m.arrived, to)
			m.reach(&next, &m.deferred, to)
		}
	}
	m.state, m.next, m.step = after, next, m.step+1
	m.release()
	return true
}

// release lets deferred tasks run when nothing else is left, and sorts the tasks.
func (m *model) release() {
	if len(m.next) == 0 {
		m.next, m.deferred = m.deferred, nil
	}
	slices.SortStableFunc(m.next, func(a, b modelTask) int { return cmp.Compare(a.node, b.node) })
}

// call is what one Invoke or Resume has to end in.
func (m *model) call(tries map[string]int, saved map[string]bool) error {
	for n := 0; ; n++ {
		switch {
		case len(m.next) == 0 && len(m.arrived) > 0:
			return graph.ErrJoinUnreachable
		case len(m.next) == 0:
			return nil
		case n == m.limit:
			return graph.ErrStepLimit
		case !m.advance(tries, saved):
			return errBoom
		}
	}
}

// Random graphs with routes, Sends, joins, deferred nodes and failures, against the interpreter above: after every call the
// engine has to be where the interpreter is, on disk as well as in memory, and no saved task may run again.
func TestAnyGraphBehavesLikeTheInterpreter(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		require.NoError(t, checks.Value.Set("1500")) // one shape in four is a graph that Compile accepts
	}
	ran, ended := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := genShape(t)
		tries := map[string]int{} // before each call: how often the task has failed
		var j graphtest.Journal
		app := s.build(t, tries, &j)
		if app == nil {
			return
		}
		ran++
		thread := app.Thread("t")
		m := newModel(s)
		saved := map[string]bool{}
		call := func() (graph.Result[trail], error) { return thread.Invoke(context.Background(), step{}) }
		for range 8 {
			done := len(saved)
			before := map[string]bool{}
			for task := range saved {
				before[task] = true
			}
			seen := len(j.Runs())
			want := m.call(tries, saved)
			res, err := call()
			require.ErrorIs(t, err, want)
			require.Equal(t, m.state, res.State)
			head, herr := thread.Head(context.Background())
			require.NoError(t, herr)
			require.Equal(t, m.state, head.State, "what is stored is what was returned")
			require.Len(t, head.Next, len(m.next))
			require.Equal(t, want == nil, head.Done)
			for _, run := range j.Runs()[seen:] {
				task := fmt.Sprintf("%d/%s", run.Step, run.Task)
				require.False(t, before[task], "%s was saved (of %d) and ran again", task, done)
				if tries[task] < s.fails[task] {
					tries[task]++
				}
			}
			ended[fmt.Sprint(want)]++
			if want == nil {
				break
			}
			call = func() (graph.Result[trail], error) { return thread.Resume(context.Background()) }
		}
	})
	t.Logf("%d graphs; calls ended in %v", ran, ended)
	for _, end := range []error{nil, errBoom, graph.ErrStepLimit, graph.ErrJoinUnreachable} {
		require.NotZero(t, ended[fmt.Sprint(end)], "no run ended in %v: the test has become blind", end)
	}
}
