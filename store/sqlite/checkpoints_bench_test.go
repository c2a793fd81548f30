package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// BenchmarkStep compares a step of the graph with its floor, one prepared INSERT of the same bytes in its own transaction,
// both in WAL mode with synchronous=NORMAL:
//
//	go test -run '^$' -bench Step -count 10 ./store/sqlite
func BenchmarkStep(b *testing.B) {
	const steps = 500
	b.Run("floor", func(b *testing.B) {
		size := entrySize(b)
		insert := floorInsert(b)
		data, id := make([]byte, size), 0
		for b.Loop() {
			for range steps {
				id++
				if _, err := insert.Exec(id, data); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
	})
	b.Run("graph", func(b *testing.B) {
		app := counterApp(b, steps)
		store := openCheckpoints(b, filepath.Join(b.TempDir(), "kb.db"), sqlite.Options{Synchronous: "NORMAL"}).Checkpoints()
		n := 0
		for b.Loop() {
			n++
			if _, err := app.Thread(strconv.Itoa(n), graph.WithStore(store)).Invoke(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
	})
}

// counter is the state of the cost table: a counter and a log bounded to eight lines.
type counter struct {
	Count int      `json:"count"`
	Log   []string `json:"log"`
}

func (c counter) Apply(line string) (counter, error) {
	c.Count++
	c.Log = graph.Append(c.Log[max(0, len(c.Log)-7):], line)
	return c, nil
}

func counterApp(b *testing.B, steps int) *graph.App[counter, string] {
	g := graph.New[counter]("counter")
	count := g.Node("count", func(_ context.Context, c counter) (string, error) { return fmt.Sprint("line ", c.Count&15), nil })
	g.Start(count)
	graph.Route(g, count, func(c counter) string {
		if c.Count <= steps {
			return "again"
		}
		return "done"
	}, graph.Case("again", count), graph.Case("done", graph.End))
	app, err := g.Compile(graph.MaxSteps(steps))
	require.NoError(b, err)
	return app
}

// entrySize is the size of the entry of one step.
func entrySize(b *testing.B) int {
	store := graph.NewMemoryStore()
	_, err := counterApp(b, 20).Thread("t", graph.WithStore(store)).Invoke(b.Context(), "")
	require.NoError(b, err)
	size := 0
	for e, err := range store.Log(b.Context(), "t", 10) {
		require.NoError(b, err)
		size = len(e.Data)
	}
	return size
}
