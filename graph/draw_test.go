package graph_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run the test with -update to accept the drawing")
}

// zoo has one of everything that a drawing shows.
func zoo(t testing.TB) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		begin := g.Node("begin", say("begin"))
		fetch := graph.Work(g, "fetch", func(_ context.Context, _ trail, url string) (step, error) { return step{Path: []string{url}}, nil })
		split := g.Dynamic("split", func(context.Context, trail) (graph.Command[step], error) {
			return graph.Command[step]{Sends: []graph.Send{fetch.Send("a"), fetch.Send("b")}}, nil
		})
		merge := g.Node("merge", say("merge"))
		side := g.Node("side", say("side"))
		tidy := g.Node("tidy", say("tidy"), graph.Deferred())
		g.Start(begin)
		g.Edge(begin, side)
		graph.Route(g, begin, func(s trail) verdict { return good }, graph.Case(again, begin), graph.Case(good, split, tidy))
		g.Targets(split, fetch.Node, graph.End)
		g.Join(merge, fetch.Node, side)
		g.Edge(merge, graph.End)
		g.Edge(tidy, graph.End)
	})
}

func TestDrawingsAreDeterministicAndShowEveryEdge(t *testing.T) {
	top := zoo(t).Topology()
	golden(t, "zoo.mmd", top.Mermaid())
	golden(t, "zoo.dot", top.DOT())
	golden(t, "zoo.txt", top.ASCII())
	for range 20 {
		again := zoo(t).Topology()
		require.Equal(t, top.Mermaid()+top.DOT()+top.ASCII(), again.Mermaid()+again.DOT()+again.ASCII())
	}
}

func TestThePathOfARunIsDrawnOverTheGraph(t *testing.T) {
	app := zoo(t)
	var taken []graph.Edge
	for e, err := range app.Stream(t.Context(), step{}, graph.Edges) {
		require.NoError(t, err)
		if e.Kind == graph.EdgeTaken {
			taken = append(taken, e.Edge)
		}
	}
	top := app.Topology().Highlight(taken...)
	golden(t, "zoo-run.mmd", top.Mermaid())
	golden(t, "zoo-run.dot", top.DOT())
	golden(t, "zoo-run.txt", top.ASCII())
	for _, e := range taken {
		assert.Contains(t, top.Edges, e, "every edge that a run takes is in the topology")
	}
}

func TestTheFingerprintChangesWithTheTopologyAndNothingElse(t *testing.T) {
	build := func(order []string, label verdict, opts ...graph.NodeOption) string {
		return compile(t, func(g *graph.Graph[trail, step]) {
			nodes := map[string]graph.Node{}
			for _, name := range order {
				nodes[name] = g.Node(name, say(name), opts...)
			}
			g.Start(nodes["a"])
			g.Edge(nodes["a"], nodes["b"])
			graph.Route(g, nodes["b"], func(trail) verdict { return label }, graph.Case(label, graph.End))
		}).Fingerprint()
	}
	base := build([]string{"a", "b"}, good)
	assert.Len(t, base, 16)
	assert.Equal(t, base, build([]string{"a", "b"}, good))
	assert.Equal(t, base, build([]string{"a", "b"}, good, graph.Retry(2, nil)), "options do not count")
	assert.NotEqual(t, base, build([]string{"b", "a"}, good), "order decides how updates are folded")
	assert.NotEqual(t, base, build([]string{"a", "b"}, again), "outcomes are logged")
	assert.NotEqual(t, base, build([]string{"a", "b"}, good, graph.Deferred()))
}
