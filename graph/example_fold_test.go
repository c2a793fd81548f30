package graph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// Two tasks of one step that set the same plain value are an error: one of the two would be lost.
func ExampleConcurrentUpdateError() {
	g := graph.New[Draft]("letter")
	formal := g.Node("formal", func(context.Context, Draft) (Edit, error) {
		return Edit{Text: graph.To("Dear Sir")}, nil
	})
	casual := g.Node("casual", func(context.Context, Draft) (Edit, error) {
		return Edit{Text: graph.To("Hi")}, nil
	})
	g.Start(formal, casual)
	g.Edge(formal, graph.End)
	g.Edge(casual, graph.End)

	app, ctx := must(g.Compile()), context.Background()
	letter := app.Thread("letter")
	_, err := letter.Invoke(ctx, Edit{})
	if conflict, ok := errors.AsType[*graph.ConcurrentUpdateError](err); ok {
		fmt.Println(conflict.Field, "is set by", conflict.First, "and", conflict.Second)
	}

	// The thread is not lost: somebody decides, and the run goes on.
	must(letter.UpdateState(ctx, Edit{Text: graph.To("Dear Sir")}, formal, casual))
	res, err := letter.Resume(ctx)
	fmt.Println(res.State.Text, err)
	// Output:
	// Text is set by formal and casual
	// Dear Sir <nil>
}

// Append never writes into spare capacity, which an older state may share; the builtin does.
func ExampleAppend() {
	shared := make([]string, 1, 4)
	shared[0] = "first"
	left, right := append(shared, "left"), append(shared, "right")
	fmt.Println(left, right, "- the left one is damaged")

	left, right = graph.Append(shared, "left"), graph.Append(shared, "right")
	fmt.Println(left, right)
	// Output:
	// [first right] [first right] - the left one is damaged
	// [first left] [first right]
}

// With Simple, the update is the whole state.
func ExampleSimple() {
	g := graph.New[graph.Simple[int]]("count")
	double := g.Node("double", func(_ context.Context, n graph.Simple[int]) (int, error) { return 2 * n.Value, nil })
	g.Start(double)
	g.Edge(double, graph.End)
	res, err := must(g.Compile()).Invoke(context.Background(), 21)
	fmt.Println(res.State.Value, err)
	// Output: 42 <nil>
}
