package postgres_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// grown is a state that grows by one word a step.
type grown []string

func (g grown) Apply(more []string) (grown, error) { return graph.Append(g, more...), nil }

// grower appends n words of the given size, one a step. They do not compress.
func grower(t testing.TB, n, size int) *graph.App[grown, []string] {
	t.Helper()
	random := rand.NewChaCha8([32]byte{1})
	g := graph.New[grown]("grower")
	grow := g.Node("grow", func(context.Context, grown) ([]string, error) {
		word := make([]byte, size*3/4)
		_, err := random.Read(word)
		return []string{base64.RawStdEncoding.EncodeToString(word)}, err
	})
	g.Start(grow)
	graph.Route(g, grow, moreUntil(n), graph.Case("again", grow), graph.Case("done", graph.End))
	app, err := g.Compile(graph.MaxSteps(n))
	require.NoError(t, err)
	return app
}

// moreUntil ends a loop at n words.
func moreUntil(n int) func(grown) string {
	return func(s grown) string {
		if len(s) < n {
			return "again"
		}
		return "done"
	}
}

// steps is a graph of five steps; at is called at the start of each.
func steps(t *testing.T, at func(n int)) *graph.App[grown, []string] {
	t.Helper()
	g := graph.New[grown]("steps")
	work := g.Node("work", func(_ context.Context, s grown) ([]string, error) {
		at(len(s) + 1)
		return []string{fmt.Sprint("step ", len(s)+1)}, nil
	})
	g.Start(work)
	graph.Route(g, work, moreUntil(5), graph.Case("again", work), graph.Case("done", graph.End))
	app, err := g.Compile()
	require.NoError(t, err)
	return app
}

// halfway is a graph whose second step has a task that is done and one that fails.
func halfway(t *testing.T) *graph.App[grown, []string] {
	t.Helper()
	g := graph.New[grown]("halfway")
	say := func(word string, err error) graph.NodeFunc[grown, []string] {
		return func(context.Context, grown) ([]string, error) { return []string{word}, err }
	}
	begin, good, bad := g.Node("begin", say("begin", nil)), g.Node("good", say("good", nil)), g.Node("bad", say("", errors.New("no")))
	g.Start(begin)
	g.Edge(begin, good)
	g.Edge(begin, bad)
	g.Edge(good, graph.End)
	g.Edge(bad, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	return app
}
