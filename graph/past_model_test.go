package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// moment is a checkpoint as the model keeps it: all in memory, nothing folded.
type moment struct {
	parent int64
	state  trail
	next   string // node; "" = done
	last   string // node that led here; "" = input
}

// pastModel is a thread of a → ask → c, where ask asks for a word, the obvious way.
type pastModel struct {
	moments map[int64]moment
	head    int64
	asked   bool // the question of the head's step is open
}

func (m *pastModel) push(parent int64, s moment) {
	m.head++
	s.parent = parent
	m.moments[m.head], m.asked = s, false
}

func (m *pastModel) now() moment { return m.moments[m.head] }

// walk runs what can run: up to the question, or to the end.
func (m *pastModel) walk() {
	for {
		now := m.now()
		switch now.next {
		case "a":
			m.push(m.head, moment{state: left(now.state, "a"), next: "ask", last: "a"})
		case "c":
			m.push(m.head, moment{state: left(now.state, "c"), last: "c"})
		case "ask":
			m.asked = true
			return
		default:
			return
		}
	}
}

// left is a state with one more word.
func left(s trail, word string) trail {
	next, err := s.Apply(step{Path: []string{word}})
	if err != nil {
		panic(err)
	}
	return next
}

var follows = map[string]string{"": "a", "a": "ask", "ask": "c", "c": ""}

// branch lists the checkpoints that the head goes back to, newest first.
func (m *pastModel) branch() []int64 {
	var way []int64
	for seq := m.head; ; seq = m.moments[seq].parent {
		if _, ok := m.moments[seq]; !ok {
			return way
		}
		way = append(way, seq)
	}
}

// prune forgets all that is older than the last n of the branch, and other branches when that is wanted.
func (m *pastModel) prune(n int, oneBranch bool) {
	way := m.branch()
	cut := way[min(n, len(way))-1]
	if n >= len(way) && !oneBranch {
		return
	}
	for seq := range m.moments {
		if seq < cut || oneBranch && !slices.Contains(way, seq) {
			delete(m.moments, seq)
		}
	}
}

// seqs lists the checkpoints that are left, newest first.
func (m *pastModel) seqs() []int64 {
	var list []int64
	for seq := range m.moments {
		list = append(list, seq)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// Rules 26 and 27: any sequence of calls, some of which crash, against a list of checkpoints in memory. A call that crashed is
// made again, unless the thread shows that it took effect.
func TestAnySequenceOfForksEditsAnswersAndPruningsKeepsThePast(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		r := &pastRun{T: t, store: graph.NewMemoryStore(), id: "t", app: compileIn(t), m: &pastModel{moments: map[int64]moment{}}, count: count}
		ops := map[string]func(){
			"invoke": r.invoke, "resume": r.resume, "answer": r.answer, "fork": r.fork, "edit": r.edit, "copy": r.copy, "prune": r.prune,
		}
		for range rapid.IntRange(1, 15).Draw(t, "calls") {
			op := rapid.SampledFrom([]string{"invoke", "resume", "answer", "answer", "fork", "fork", "edit", "copy", "prune"}).Draw(t, "op")
			if r.m.head == 0 && op != "edit" {
				op = "invoke"
			}
			ops[op]()
			r.m.check(t, r.thread())
		}
	})
	t.Logf("calls: %v", count)
	if testing.Short() { // too few to see the rare ones for sure
		return
	}
	for _, name := range []string{"invoke", "resume", "answer", "fork", "edit", "copy", "prune", "crash"} {
		require.NotZero(t, count[name], "%s never happened: the test has become blind", name)
	}
}

// pastRun is one sequence of calls on a thread, each of which is also made on the model.
type pastRun struct {
	*rapid.T
	store *graph.MemoryStore
	id    string
	app   *graph.App[trail, step]
	m     *pastModel
	count map[string]int
}

func (r *pastRun) thread() *graph.Thread[trail, step] {
	return r.app.Thread(r.id, graph.WithStore(r.store))
}

type pastCall = func(context.Context, *graph.Thread[trail, step]) error

func resumeCall(ctx context.Context, th *graph.Thread[trail, step]) error {
	_, err := th.Resume(ctx)
	return err
}

// do makes a call on a store that may crash, until the call has come through.
func (r *pastRun) do(name string, call pastCall) {
	r.count[name]++
	ctx, seq := context.Background(), r.seq()
	at := rapid.IntRange(0, 6).Draw(r.T, "crash")
	when := rapid.SampledFrom([]graphtest.Verdict{graphtest.FailBefore, graphtest.FailAfter}).Draw(r.T, "when")
	if at > 0 {
		err := call(ctx, r.app.Thread(r.id, graph.WithStore(graphtest.CrashAt(r.store, at, when))))
		if err == nil {
			return
		}
		require.ErrorIs(r, err, graphtest.ErrInjected, name)
		r.count["crash"]++
		switch {
		case r.seq() == seq:
		case name == "fork", name == "edit": // one commit each
			return
		case name == "invoke", name == "answer":
			call = resumeCall
		}
	}
	err := call(ctx, r.thread())
	if name == "answer" && errors.Is(err, graph.ErrAlreadyAnswered) {
		err = resumeCall(ctx, r.thread())
	}
	require.NoError(r, err, name)
}

// seq is the number of the last checkpoint.
func (r *pastRun) seq() int64 {
	head, err := r.thread().Head(context.Background())
	require.NoError(r, err)
	return head.Seq
}

func (r *pastRun) invoke() {
	r.m.push(r.m.head, moment{state: left(r.m.now().state, "in"), next: "a"})
	r.m.walk()
	r.do("invoke", func(ctx context.Context, th *graph.Thread[trail, step]) error {
		_, err := th.Invoke(ctx, step{Path: []string{"in"}})
		return err
	})
}

func (r *pastRun) resume() {
	r.m.walk()
	r.do("resume", resumeCall)
}

func (r *pastRun) answer() {
	if !r.m.asked {
		return
	}
	r.m.push(r.m.head, moment{state: left(r.m.now().state, "word=hi"), next: "c", last: "ask"})
	r.m.walk()
	head, err := r.thread().Head(context.Background())
	require.NoError(r, err)
	require.Len(r, head.Interrupts, 1)
	r.do("answer", func(ctx context.Context, th *graph.Thread[trail, step]) error {
		_, err := th.Resume(ctx, graph.Answer(head.Interrupts[0].ID, "hi"))
		return err
	})
}

func (r *pastRun) fork() {
	seq := rapid.SampledFrom(r.m.seqs()).Draw(r.T, "seq")
	r.m.push(seq, r.m.moments[seq])
	r.do("fork", func(ctx context.Context, th *graph.Thread[trail, step]) error {
		_, err := th.Fork(ctx, seq)
		return err
	})
}

func (r *pastRun) edit() {
	now := r.m.now()
	r.m.push(r.m.head, moment{state: left(now.state, "edit"), next: follows[now.last], last: now.last})
	r.do("edit", func(ctx context.Context, th *graph.Thread[trail, step]) error {
		_, err := th.UpdateState(ctx, step{Path: []string{"edit"}})
		return err
	})
}

// copy goes on with a copy.
func (r *pastRun) copy() {
	r.count["copy"]++
	require.NoError(r, r.thread().Copy(context.Background(), r.id+"+"))
	r.id += "+"
}

func (r *pastRun) prune() {
	n, one := rapid.IntRange(1, 6).Draw(r.T, "keep"), rapid.Bool().Draw(r.T, "one branch")
	r.m.prune(n, one)
	r.do("prune", func(ctx context.Context, th *graph.Thread[trail, step]) error {
		_, err := th.Prune(ctx, graph.Keep{Last: n, OneBranch: one})
		return err
	})
}

// compileIn is the graph of the model.
func compileIn(t require.TestingT) *graph.App[trail, step] {
	g := graph.New[trail]("past")
	a, ask, c := g.Node("a", say("a")), g.Node("ask", asking(new(graphtest.Journal), "word")), g.Node("c", say("c"))
	g.Start(a)
	g.Edge(a, ask)
	g.Edge(ask, c)
	g.Edge(c, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	return app
}

// check compares all that can be seen of a thread with the model.
func (m *pastModel) check(t *rapid.T, thread *graph.Thread[trail, step]) {
	head, err := thread.Head(context.Background())
	require.NoError(t, err)
	require.Equal(t, m.now().state, head.State)
	require.Equal(t, m.head, head.Seq)
	require.Equal(t, m.asked, len(head.Interrupts) == 1)
	list, states := wholePast(t, thread)
	require.Equal(t, m.seqs(), seqs(list))
	way := m.branch()
	for _, c := range list {
		want := m.moments[c.Seq]
		require.Equal(t, want.state, states[c.Seq], "the state at %d", c.Seq)
		if _, ok := m.moments[want.parent]; ok {
			require.Equal(t, want.parent, c.Parent)
		} else {
			require.Zero(t, c.Parent)
		}
		require.Equal(t, slices.Contains(way, c.Seq), c.Current)
		require.Equal(t, want.next == "", c.Done)
		if want.next != "" {
			require.Equal(t, []string{want.next}, c.Next)
		}
	}
}
