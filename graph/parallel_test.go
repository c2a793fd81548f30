package graph_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

func goroutine() string {
	var buf [64]byte
	return strings.Fields(string(buf[:runtime.Stack(buf[:], false)]))[1]
}

// Rule 5.
func TestAStepWithOneTaskRunsOnTheCallersGoroutine(t *testing.T) {
	var ran string
	app := compile(t, func(g *graph.Graph[trail, step]) {
		n := g.Node("a", func(context.Context, trail) (step, error) {
			ran = goroutine()
			return step{}, nil
		})
		g.Start(n)
		g.Edge(n, graph.End)
	})
	_, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.Equal(t, goroutine(), ran)
	for range app.Stream(t.Context(), step{}, graph.Values|graph.Updates|graph.Tasks|graph.Edges) {
	}
	assert.Equal(t, goroutine(), ran, "also with a consumer, unless it wants custom events")
}

// Rule 5.
func TestParallelTasksStayWithinMaxConcurrencyAndNoneIsDropped(t *testing.T) {
	for _, limit := range []int{1, 3, 100} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			app := compile(t, func(g *graph.Graph[trail, step]) {
				fetch := graph.Work(g, "fetch", func(_ context.Context, _ trail, i int) (step, error) {
					defer now.Add(-1)
					n := now.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					time.Sleep(time.Second) // in the bubble's time: whoever may begin has begun by then
					return step{Path: []string{fmt.Sprint(i)}}, nil
				})
				g.Start(spread(g, fetch, 20))
				g.Edge(fetch.Node, graph.End)
			}, graph.MaxConcurrency(limit))
			res, err := app.Invoke(t.Context(), step{})
			require.NoError(t, err)
			assert.Len(t, res.State.Path, 20)
			assert.Equal(t, min(limit, 20), int(most.Load()))
		})
	}
}

// spread is a node that sends 0, 1, …, n-1.
func spread(g *graph.Graph[trail, step], to graph.WorkNode[int], n int) graph.Node {
	split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
		var c graph.Command[step]
		for i := range n {
			c.Sends = append(c.Sends, to.Send(i))
		}
		return c, nil
	})
	g.Targets(split, to.Node)
	return split
}

// Rule 5.
func TestParallelTasksReallyRunAtTheSameTime(t *testing.T) {
	var meet sync.WaitGroup
	meet.Add(3)
	app := compile(t, func(g *graph.Graph[trail, step]) {
		fetch := graph.Work(g, "fetch", func(context.Context, trail, int) (step, error) {
			meet.Done()
			meet.Wait() // passes only when all three are here
			return step{}, nil
		})
		g.Start(spread(g, fetch, 3))
		g.Edge(fetch.Node, graph.End)
	}, graph.MaxConcurrency(3))
	_, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
}
