package sealed_test

import (
	"testing"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// The floor is the memory store: the difference is what a seal costs.
func BenchmarkStore(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		graphtest.Benchmarks(b, func(*testing.B) graph.Store { return graph.NewMemoryStore() })
	})
	b.Run("sealed", func(b *testing.B) {
		graphtest.Benchmarks(b, func(b *testing.B) graph.Store { return seal(b, graph.NewMemoryStore(), keyOf(1)) })
	})
}
