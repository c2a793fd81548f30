package agent_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// benchmarkBase is the knowledge base of the benchmarks: the folder that KB_BENCH_DIR names, or the manual.
func benchmarkBase(b *testing.B) (*sqlite.DB, *index.Index) {
	b.Helper()
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "kbagent.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	ix, err := index.Open(b.Context(), db.Index(), nil, index.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := ix.Update(b.Context(), []string{cmp.Or(os.Getenv("KB_BENCH_DIR"), filepath.Join("..", "docs"))}, index.UpdateOptions{}); err != nil {
		b.Fatal(err)
	}
	return db, ix
}

// BenchmarkAsk is one question from end to end without a model: all five nodes, on the SQLite store with every step
// committed (synchronous FULL), and on the memory store. Its floor is one keyword search for the same question.
func BenchmarkAsk(b *testing.B) {
	const question = "How do I run the tests?"
	db, ix := benchmarkBase(b)
	for name, store := range map[string]graph.Store{"sqlite": db.Checkpoints(), "memory": graph.NewMemoryStore()} {
		b.Run(name, func(b *testing.B) {
			a, err := agent.New(agent.Config{Store: store, Nodes: nodes.Config{
				Tools: tools.NewSet(tools.Local(ix)...), Library: agent.Library(ix, false), Audit: nodes.Discard{},
			}})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := a.Do(b.Context(), agent.Question{Text: question}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if _, err := ix.Keyword(b.Context(), question, tools.DefaultK); err != nil {
				b.Fatal(err)
			}
		}
	})
}
