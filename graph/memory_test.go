package graph_test

import (
	"testing"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

func TestTheMemoryStoreKeepsTheContract(t *testing.T) {
	graphtest.Store(t, func(*testing.T) graph.Store { return graph.NewMemoryStore() })
}
