package graph_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 9: a compiled graph serves any number of threads at once. Run it under the race detector.
func TestTwoHundredThreadsOnOneCompiledGraphEndAsEachWouldAlone(t *testing.T) {
	ask := func(ctx context.Context, s trail) (step, error) {
		word, err := graph.Ask[string](ctx, "word", s.Value)
		return step{Path: []string{word}}, err
	}
	app := compile(t, func(g *graph.Graph[trail, step]) {
		fetch := graph.Work(g, "fetch", func(ctx context.Context, s trail, n int) (step, error) {
			return step{Path: []string{s.Value + strconv.Itoa(n)}}, graph.Charge(ctx, "fetches", 1)
		})
		split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
			c := graph.Command[step]{}
			for i := range 5 {
				c.Sends = append(c.Sends, fetch.Send(i))
			}
			return c, nil
		})
		q := g.Node("ask", ask)
		g.Start(split)
		g.Targets(split, fetch.Node)
		g.Join(q, fetch.Node)
		g.Edge(q, graph.End)
	})
	store := graph.NewMemoryStore()
	run := func(id int) (trail, error) {
		thread := app.Thread(strconv.Itoa(id), graph.WithStore(store))
		res, err := thread.Invoke(t.Context(), step{Value: graph.To(fmt.Sprintf("v%d-", id))})
		if err != nil || len(res.Interrupts) != 1 {
			return trail{}, fmt.Errorf("%w: %v", err, res.Interrupts)
		}
		res, err = thread.Resume(t.Context(), graph.Reply(strconv.Itoa(id)))
		return res.State, err
	}
	const threads = 200
	states, errs := make([]trail, threads), make([]error, threads)
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() { states[i], errs[i] = run(i) })
	}
	wg.Wait()
	for i := range threads {
		require.NoError(t, errs[i])
		v := fmt.Sprintf("v%d-", i)
		assert.Equal(t, trail{Path: []string{v + "0", v + "1", v + "2", v + "3", v + "4", strconv.Itoa(i)}, Value: v, Count: 8}, states[i])
	}
}

func BenchmarkMemoryStore(b *testing.B) {
	graphtest.Benchmarks(b, func(*testing.B) graph.Store { return graph.NewMemoryStore() })
}
