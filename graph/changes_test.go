package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// changesOf are those of a thread, oldest first.
func changesOf(t *testing.T, thread *graph.Thread[trail, step]) []graph.Change[step] {
	t.Helper()
	var list []graph.Change[step]
	for c, err := range thread.Changes(t.Context()) {
		require.NoError(t, err)
		list = append(list, c)
	}
	return list
}

func TestTheChangesOfAThreadLeadToItsState(t *testing.T) {
	for claim, thread := range map[string]*graph.Thread[trail, step]{
		"of one branch":     chain(t, nil, "a", "b").Thread("t"),
		"of several forks":  branched(t, graph.NewMemoryStore()),
		"that is not there": chain(t, nil, "a").Thread("none"),
	} {
		t.Run(claim, func(t *testing.T) {
			if claim == "of one branch" {
				_, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
				require.NoError(t, err)
				_, err = thread.UpdateState(t.Context(), step{Path: []string{"edit"}})
				require.NoError(t, err)
			}
			var state trail
			var err error
			for _, c := range changesOf(t, thread) {
				assert.True(t, c.Current)
				for _, u := range c.Updates {
					state, err = state.Apply(u.Update)
					require.NoError(t, err)
				}
			}
			head, err := thread.Head(t.Context())
			require.NoError(t, err)
			assert.Equal(t, head.State.Path, state.Path)
		})
	}
}

func TestAChangeNamesItsNodes(t *testing.T) {
	thread := chain(t, nil, "a", "b").Thread("t")
	_, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	var nodes []string
	for _, c := range changesOf(t, thread) {
		for _, u := range c.Updates {
			nodes = append(nodes, u.Node)
		}
	}
	assert.Equal(t, []string{"", "a", "b"}, nodes)
}

func TestWhatWasPrunedHasNoUpdates(t *testing.T) {
	thread := branched(t, graph.NewMemoryStore())
	_, err := thread.Prune(t.Context(), graph.Keep{Last: 2})
	require.NoError(t, err)
	list := changesOf(t, thread)
	require.NotEmpty(t, list)
	assert.Empty(t, list[0].Updates)
	assert.NotEmpty(t, list[len(list)-1].Updates)
}
