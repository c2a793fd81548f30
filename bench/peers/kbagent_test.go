package peers_test

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

var kbagent = peer{
	name: "kbagent",
	loop: func(t testing.TB) work {
		app := kbLoop(t)
		return work{run: func() error {
			res, err := app.Invoke(context.Background(), "")
			if err != nil {
				return err
			}
			return ended(state(res.State))
		}}
	},
	fanOut: func(t testing.TB) work {
		app := kbFanOut(t)
		return work{run: func() error {
			res, err := app.Invoke(context.Background(), nil)
			if err != nil {
				return err
			}
			return gathered(res.State.Items)
		}}
	},
	history: func(t testing.TB) work {
		return kbDurable(kbLoop(t), func() graph.Store { return graph.NewMemoryStore() })
	},
	sqlite: func(t testing.TB) work {
		path := filepath.Join(t.TempDir(), "kb.db")
		db := must[*sqlite.DB](t)(sqlite.Open(context.Background(), path, sqlite.Options{Synchronous: "NORMAL"}))
		t.Cleanup(func() { db.Close() })
		store := db.Checkpoints()
		return kbDurable(kbLoop(t), func() graph.Store { return store })
	},
}

// kbDurable runs every time on a thread of its own.
func kbDurable(app *graph.App[kbState, string], open func() graph.Store) work {
	var store graph.Store
	runs := 0
	return work{
		run: func() error {
			store = open()
			runs++
			res, err := app.Thread(strconv.Itoa(runs), graph.WithStore(store)).Invoke(context.Background(), "")
			if err != nil {
				return err
			}
			return ended(state(res.State))
		},
		saved: func() error {
			n := 0
			for _, err := range store.Log(context.Background(), strconv.Itoa(runs), 0) {
				if err != nil {
					return err
				}
				n++
			}
			return kept(n)
		},
	}
}

// kbState is state with the reducer that graph asks for. An update is the line to add; the input, "", adds none.
type kbState state

func (s kbState) Apply(line string) (kbState, error) {
	if line == "" {
		return s, nil
	}
	return kbState{s.Count + 1, graph.Append(s.Log[max(0, len(s.Log)-7):], line)}, nil
}

func kbLoop(t testing.TB) *graph.App[kbState, string] {
	g := graph.New[kbState]("loop")
	loop := g.Node("loop", func(_ context.Context, s kbState) (string, error) { return lines[s.Count&15], nil })
	g.Start(loop)
	graph.Route(g, loop, again, graph.Case("again", loop), graph.Case("done", graph.End))
	return must[*graph.App[kbState, string]](t)(g.Compile(graph.MaxSteps(loopSteps)))
}

func again(s kbState) string {
	if s.Count < loopSteps {
		return "again"
	}
	return "done"
}

type kbBag bag

func (b kbBag) Apply(more []int) (kbBag, error) {
	return kbBag{graph.Append(b.Items, more...)}, nil
}

func kbFanOut(t testing.TB) *graph.App[kbBag, []int] {
	g := graph.New[kbBag]("fan-out")
	fetch := graph.Work(g, "fetch", func(_ context.Context, _ kbBag, i int) ([]int, error) { return []int{i}, nil })
	split := g.Dynamic("split", func(context.Context, kbBag) (graph.Command[[]int], error) {
		var c graph.Command[[]int]
		for i := range fanOut {
			c.Sends = append(c.Sends, fetch.Send(i))
		}
		return c, nil
	})
	sum := g.Node("sum", func(context.Context, kbBag) ([]int, error) { return nil, nil })
	g.Start(split)
	g.Targets(split, fetch.Node)
	g.Join(sum, fetch.Node)
	g.Edge(sum, graph.End)
	return must[*graph.App[kbBag, []int]](t)(g.Compile())
}
