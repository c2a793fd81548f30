package graph_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 9.
func TestOneAppServesManyThreadsAtOnce(t *testing.T) {
	app := chain(t, nil, "a", "b", "c")
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			thread := app.Thread(fmt.Sprint("thread ", i))
			for round := range 5 {
				res, err := thread.Invoke(t.Context(), step{Path: []string{fmt.Sprint(i)}})
				if err != nil || len(res.State.Path) != 4*(round+1) || res.State.Path[0] != fmt.Sprint(i) {
					t.Errorf("thread %d: %v %v", i, res.State.Path, err)
				}
			}
		})
	}
	wg.Wait()
}

// Rule 9.
func TestAGraphThatChangesAfterCompileDoesNotChangeTheApp(t *testing.T) {
	g := graph.New[trail]("g")
	a := g.Node("a", say("a"))
	g.Start(a)
	g.Edge(a, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	before := app.Fingerprint() + app.Topology().Mermaid()
	graph.Route(g, a, func(trail) verdict { panic("a route of the graph, not of the app") }, graph.Case(good, graph.End))
	b := g.Node("b", say("b"))
	g.Edge(a, b)
	g.Edge(b, graph.End)
	app.Topology().Nodes[0] = "changed"
	res, err := app.Invoke(t.Context(), step{})
	require.NoError(t, err)
	graphtest.Path(t, res.Path, "a")
	assert.Equal(t, before, app.Fingerprint()+app.Topology().Mermaid())
	second, err := g.Compile()
	require.NoError(t, err)
	assert.NotEqual(t, app.Fingerprint(), second.Fingerprint())
}

// Rule 10: a plain append into spare capacity would write into what a sibling sees.
func TestAppendNeverWritesMemoryThatAnotherStateCanSee(t *testing.T) {
	base := make([]string, 1, 8)
	left := append(base, "left")
	_ = append(base, "right")
	require.Equal(t, "right", left[1], "this is the corruption that Append prevents")
	clear(base[:cap(base)])
	left = graph.Append(base, "left")
	right := graph.Append(base, "right")
	assert.Equal(t, []string{"", "left"}, left)
	assert.Equal(t, []string{"", "right"}, right)
	assert.Empty(t, base[:2][1], "the spare capacity is as it was")
	assert.Nil(t, graph.Append[string](nil))
}

// Rule 10.
func TestAnEarlierStateOfTheStreamStaysAsItWas(t *testing.T) {
	var states []trail
	for e, err := range chain(t, nil, "a", "b", "c", "d").Stream(t.Context(), step{Path: []string{"in"}}, graph.Values) {
		require.NoError(t, err)
		if e.Kind == graph.ValuesKind {
			states = append(states, e.State)
		}
	}
	require.Len(t, states, 4)
	for i, s := range states {
		assert.Equal(t, []string{"in", "a", "b", "c", "d"}[:i+2], s.Path)
	}
}
