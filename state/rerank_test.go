package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

func TestRankingAnewMovesPassagesIntoTheContextAndOut(t *testing.T) {
	item := func(id string) state.Evidence { return state.Evidence{ID: id, Grade: new(0.5)} }
	before := state.AgentState{
		Context:     []state.Evidence{item("a"), item("b")},
		Quarantined: []state.Quarantine{{Item: item("c"), Score: 0.1}, {Item: item("d"), Score: 0.2}},
		Rounds:      3,
	}
	after, err := before.Apply(state.Update{Reranked: &[]state.Evidence{item("c"), item("a")}})
	require.NoError(t, err)
	assert.Equal(t, []state.Evidence{item("c"), item("a")}, after.Context)
	require.Len(t, after.Quarantined, 2)
	assert.Equal(t, "d", after.Quarantined[0].Item.ID, "c is back")
	assert.Equal(t, state.Quarantine{Item: item("b"), Score: 0.5, Reason: "others fit better, ordered anew", Round: 3}, after.Quarantined[1])
	assert.Len(t, before.Quarantined, 2)
	assert.Equal(t, "c", before.Quarantined[0].Item.ID, "the state before is as it was")
}
