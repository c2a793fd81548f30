package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// A world is what the nodes of a built shape share.
type world struct {
	shape
	mu      sync.Mutex
	fails   map[string]int // left
	journal graphtest.Journal
	handles []graph.Node
	work    map[int]graph.WorkNode[int]
	handler map[int]graph.WorkNode[graph.Failure]
}

// enter is what every node does: it gives way to others, asks, fails, and says a word.
func (w *world) enter(ctx context.Context, n shapeNode, word string) (step, error) {
	w.journal.Note(ctx)
	for range rand.IntN(4) {
		runtime.Gosched()
	}
	info, _ := graph.InfoFrom(ctx)
	task := fmt.Sprintf("%d/%s", info.Step, info.Task)
	var waiting error
	for k := range n.asks {
		answer, err := graph.Ask[int](ctx, fmt.Sprint("q", k), task)
		if err != nil && !n.together {
			return step{}, err
		}
		waiting = errors.Join(waiting, err)
		word += fmt.Sprint("=", answer)
	}
	if waiting != nil {
		return step{}, waiting
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.doomed[task] || info.Attempt <= n.transient || w.fails[task] > 0 {
		if info.Attempt == n.attempts && w.fails[task] > 0 {
			w.fails[task]--
		}
		return step{Path: []string{"never"}}, errBoom
	}
	return w.says(word), nil
}

func (w *world) options(n shapeNode) []graph.NodeOption {
	opts := []graph.NodeOption{graph.Retry(n.attempts, nil), graph.Backoff(time.Nanosecond, time.Nanosecond)}
	if n.deferred {
		opts = append(opts, graph.Deferred())
	}
	return opts
}

func (w *world) handle(i int) graph.Node {
	if i == shapeEnd {
		return graph.End
	}
	return w.handles[i]
}

// build makes the graph, nil when Compile refuses the shape.
func (w *world) build(t require.TestingT) *graph.App[trail, step] {
	g := graph.New[trail]("shape")
	w.handles = make([]graph.Node, len(w.nodes))
	w.work, w.handler = map[int]graph.WorkNode[int]{}, map[int]graph.WorkNode[graph.Failure]{}
	for i, n := range w.nodes {
		w.declare(g, i, n)
	}
	g.Start(w.handles[0])
	for i, n := range w.nodes {
		w.connect(g, i, n)
	}
	app, err := g.Compile(graph.MaxSteps(40))
	if errors.Is(err, graph.ErrUnreachable) || errors.Is(err, graph.ErrEndlessCycle) {
		return nil // the drawing of another shape is cheaper than avoiding these
	}
	require.NoError(t, err)
	return app
}

func (w *world) declare(g *graph.Graph[trail, step], i int, n shapeNode) {
	switch n.kind {
	case "dynamic":
		w.handles[i] = g.Dynamic(n.name, func(ctx context.Context, s trail) (c graph.Command[step], err error) {
			c.Goto = []graph.Node{w.handle(n.targets[n.choice(s.Count, len(n.targets))])}
			if n.sends >= 0 {
				for k := range s.Count % 3 {
					c.Sends = append(c.Sends, w.work[n.sends].Send(k))
				}
			}
			c.Update, err = w.enter(ctx, n, n.name)
			return c, err
		}, w.options(n)...)
	case "work":
		w.work[i] = graph.Work(g, n.name, func(ctx context.Context, _ trail, k int) (step, error) {
			return w.enter(ctx, n, fmt.Sprint(n.name, ":", k))
		}, w.options(n)...)
		w.handles[i] = w.work[i].Node
	case "handler":
		w.handler[i] = graph.Work(g, n.name, func(ctx context.Context, _ trail, f graph.Failure) (step, error) {
			return w.enter(ctx, n, fmt.Sprint(n.name, ":", f.Step, "/", f.Task, "@", f.Attempt))
		}, w.options(n)...)
		w.handles[i] = w.handler[i].Node
	default:
		w.handles[i] = g.Node(n.name, func(ctx context.Context, _ trail) (step, error) { return w.enter(ctx, n, n.name) }, w.options(n)...)
	}
}

func (w *world) connect(g *graph.Graph[trail, step], i int, n shapeNode) {
	for _, to := range n.edges {
		g.Edge(w.handles[i], w.handle(to))
	}
	for _, to := range n.targets {
		g.Targets(w.handles[i], w.handle(to))
	}
	if n.sends >= 0 {
		g.Targets(w.handles[i], w.handles[n.sends])
	}
	var branches []graph.Branch
	for b, targets := range n.branches {
		var to []graph.Node
		for _, k := range targets {
			to = append(to, w.handle(k))
		}
		branches = append(branches, graph.Case(fmt.Sprint("b", b), to...))
	}
	if branches != nil {
		graph.Route(g, w.handles[i], func(s trail) string { return fmt.Sprint("b", n.choice(s.Count, len(n.branches))) }, branches...)
	}
	var from []graph.Node
	for _, f := range n.join {
		from = append(from, w.handles[f])
	}
	if from != nil {
		g.Join(w.handles[i], from...)
	}
	if n.handler >= 0 {
		g.OnError(w.handles[i], w.handler[n.handler])
	}
}
