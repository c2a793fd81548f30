package peers_test

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	lgraph "github.com/smallnest/langgraphgo/graph"
	lstore "github.com/smallnest/langgraphgo/store"
	lsqlite "github.com/smallnest/langgraphgo/store/sqlite"
)

// langgraphgo: StateGraph[S], and CheckpointableStateGraph with MaxCheckpoints 0, which keeps them all.
var langgraphgo = peer{
	name: "langgraphgo",
	loop: func(t testing.TB) work {
		g := lgraph.NewStateGraph[state]()
		lgLoop(g)
		app := must[*lgraph.StateRunnable[state]](t)(g.Compile())
		return work{run: func() error {
			s, err := app.Invoke(context.Background(), state{})
			if err != nil {
				return err
			}
			return ended(s)
		}}
	},
	fanOut: func(t testing.TB) work {
		g := lgraph.NewStateGraph[bag]()
		g.SetSchema(lgraph.NewStructSchema(bag{}, func(now, more bag) (bag, error) {
			return bag{append(now.Items[:len(now.Items):len(now.Items)], more.Items...)}, nil
		}))
		nothing := func(context.Context, bag) (bag, error) { return bag{}, nil }
		g.AddNode("split", "", nothing)
		g.AddNode("sum", "", nothing)
		g.SetEntryPoint("split")
		for i := range fanOut {
			name := "fetch " + strconv.Itoa(i)
			g.AddNode(name, "", func(context.Context, bag) (bag, error) { return bag{[]int{i}}, nil })
			g.AddEdge("split", name)
			g.AddEdge(name, "sum")
		}
		g.AddEdge("sum", lgraph.END)
		app := must[*lgraph.StateRunnable[bag]](t)(g.Compile())
		return work{run: func() error {
			b, err := app.Invoke(context.Background(), bag{})
			if err != nil {
				return err
			}
			return gathered(b.Items)
		}}
	},
	history: func(testing.TB) work {
		return lgDurable(func() lstore.CheckpointStore { return lgraph.NewMemoryCheckpointStore() })
	},
	sqlite: func(t testing.TB) work {
		store := must[*lsqlite.SqliteCheckpointStore](t)(lsqlite.NewSqliteCheckpointStore(lsqlite.SqliteOptions{
			Path: "file:" + filepath.Join(t.TempDir(), "lg.db") + "?_journal_mode=WAL&_synchronous=NORMAL",
		}))
		t.Cleanup(func() { store.Close() })
		return lgDurable(func() lstore.CheckpointStore { return store })
	},
}

type lgBuilder interface {
	AddNode(name, description string, fn func(context.Context, state) (state, error))
	AddConditionalEdge(from string, condition func(context.Context, state) string)
	SetEntryPoint(name string)
}

func lgLoop(g lgBuilder) {
	g.AddNode("loop", "", func(_ context.Context, s state) (state, error) { return s.next(), nil })
	g.SetEntryPoint("loop")
	g.AddConditionalEdge("loop", func(_ context.Context, s state) string {
		if s.Count < loopSteps {
			return "loop"
		}
		return lgraph.END
	})
}

// listed lets a listenable graph, whose AddNode returns the node, be built like a plain one.
type listed struct {
	*lgraph.CheckpointableStateGraph[state]
}

func (l listed) AddNode(name, description string, fn func(context.Context, state) (state, error)) {
	l.CheckpointableStateGraph.AddNode(name, description, fn)
}

// lgDurable compiles before each run: a compiled graph keeps the checkpoints of all its runs as one execution.
func lgDurable(open func() lstore.CheckpointStore) work {
	var app *lgraph.CheckpointableRunnable[state]
	return work{
		run: func() error {
			g := lgraph.NewCheckpointableStateGraphWithConfig[state](lgraph.CheckpointConfig{Store: open(), AutoSave: true})
			lgLoop(listed{g})
			var err error
			if app, err = g.CompileCheckpointable(); err != nil {
				return err
			}
			s, err := app.Invoke(context.Background(), state{})
			if err != nil {
				return err
			}
			return ended(s)
		},
		saved: func() error {
			list, err := app.ListCheckpoints(context.Background())
			if err != nil {
				return err
			}
			return kept(len(list))
		},
	}
}
