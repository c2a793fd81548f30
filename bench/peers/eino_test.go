package peers_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/cloudwego/eino/compose"
)

// eino: compose.Graph in its Pregel mode. A checkpoint is written when a run is interrupted and at no other time, and no
// store for SQLite comes with it: history and sqlite have nothing to measure.
var eino = peer{
	name: "eino",
	loop: func(t testing.TB) work {
		g := compose.NewGraph[state, state]()
		check(t, g.AddLambdaNode("loop", compose.InvokableLambda(func(_ context.Context, s state) (state, error) { return s.next(), nil })))
		check(t, g.AddEdge(compose.START, "loop"))
		check(t, g.AddBranch("loop", compose.NewGraphBranch(func(_ context.Context, s state) (string, error) {
			if s.Count < loopSteps {
				return "loop", nil
			}
			return compose.END, nil
		}, map[string]bool{"loop": true, compose.END: true})))
		app := must[compose.Runnable[state, state]](t)(g.Compile(context.Background(), compose.WithMaxRunSteps(loopSteps)))
		return work{run: func() error {
			s, err := app.Invoke(context.Background(), state{})
			if err != nil {
				return err
			}
			return ended(s)
		}}
	},
	fanOut: func(t testing.TB) work {
		g := compose.NewGraph[int, bag]()
		check(t, g.AddLambdaNode("split", compose.InvokableLambda(func(_ context.Context, n int) (int, error) { return n, nil })))
		check(t, g.AddLambdaNode("sum", compose.InvokableLambda(func(_ context.Context, parts map[string]any) (bag, error) {
			var b bag
			for i := range fanOut {
				b.Items = append(b.Items, parts[strconv.Itoa(i)].(int))
			}
			return b, nil
		})))
		check(t, g.AddEdge(compose.START, "split"))
		for i := range fanOut {
			name := "fetch " + strconv.Itoa(i)
			fetch := compose.InvokableLambda(func(_ context.Context, n int) (int, error) { return n + i, nil })
			check(t, g.AddLambdaNode(name, fetch, compose.WithOutputKey(strconv.Itoa(i))))
			check(t, g.AddEdge("split", name))
			check(t, g.AddEdge(name, "sum"))
		}
		check(t, g.AddEdge("sum", compose.END))
		app := must[compose.Runnable[int, bag]](t)(g.Compile(context.Background()))
		return work{run: func() error {
			b, err := app.Invoke(context.Background(), 0)
			if err != nil {
				return err
			}
			return gathered(b.Items)
		}}
	},
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
