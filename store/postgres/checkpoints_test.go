package postgres_test

import (
	"testing"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/store/postgres"
)

func TestCheckpointsKeepTheContractOfGraphStore(t *testing.T) {
	graphtest.Store(t, func(t *testing.T) graph.Store { return open(t, postgres.Options{}).Checkpoints() })
}
