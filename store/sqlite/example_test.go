package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// A thread in a SQLite file outlives the process. With NORMAL instead of FULL a commit is cheaper, and the last ones
// before a power loss may be gone.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "threads")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	g := graph.New[graph.Simple[int]]("count")
	next := g.Node("next", func(_ context.Context, n graph.Simple[int]) (int, error) { return n.Value + 1, nil })
	g.Start(next)
	g.Edge(next, graph.End)
	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "threads.db"), sqlite.Options{Synchronous: "NORMAL"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	res, err := app.Thread("counter", graph.WithStore(db.Checkpoints())).Invoke(ctx, 1)
	fmt.Println(res.State.Value, err)
	// Output: 2 <nil>
}
