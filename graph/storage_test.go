package graph_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 22.
func TestStorageIsLinearInWhatIsAppended(t *testing.T) {
	const steps, size = 400, 500
	app := endless(t, func(_ context.Context, s trail) (step, error) {
		return step{Path: []string{strings.Repeat("x", size-10) + fmt.Sprintf("%010d", s.Count)}}, nil
	}, graph.MaxSteps(steps))
	store := graph.NewMemoryStore()
	thread := app.Thread("t", graph.WithStore(store))
	res, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	total := len(rec.Snapshot)
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		total += len(e.Data)
	}
	content := steps * size
	t.Logf("%d bytes for %d bytes of content: %.2f", total, content, float64(total)/float64(content))
	assert.Less(t, float64(total), 2.5*float64(content))
	assert.Less(t, len(rec.Log), steps*3/4, "a load does not read the whole log")
	require.NotZero(t, rec.SnapshotSeq)

	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.State, head.State, "snapshot and log fold to the state of the run")
}

// Rule 22.
func TestASnapshotAtTheHeadIsEnoughToGoOn(t *testing.T) {
	blob := strings.Repeat("y", 40<<10) // outweighs every snapshot before it
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", func(context.Context, trail) (step, error) { return step{Value: graph.To(blob)}, nil })
		b := g.Node("b", say("b"))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}, graph.MaxSteps(1))
	store := graph.NewMemoryStore()
	thread := app.Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	require.Empty(t, rec.Log)
	res, err := thread.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "b")
	assert.Equal(t, blob, res.State.Value)
}

// Rule 22.
func TestSnapshotsTogetherCostNoMoreThanTheLog(t *testing.T) {
	const steps, size = 1000, 500
	app := endless(t, func(_ context.Context, s trail) (step, error) {
		return step{Path: []string{strings.Repeat("x", size-10) + fmt.Sprintf("%010d", s.Count)}}, nil
	}, graph.MaxSteps(steps/10))
	store := &spy{Store: graph.NewMemoryStore()}
	thread := app.Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	for range 9 { // every resume goes on with the sizes that it found
		_, err = thread.Resume(t.Context())
		require.ErrorIs(t, err, graph.ErrStepLimit)
	}
	logged, snapshots, count := 0, 0, 0
	for _, e := range store.entries {
		logged += len(e.Data)
		snapshots += len(e.Snapshot)
		count += min(1, len(e.Snapshot))
	}
	assert.Less(t, snapshots, 2*logged, "all snapshots that were ever written")
	assert.Less(t, count, 12)
	assert.Greater(t, count, 3)
}
