package graph_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// A node may be another graph with a state of its own: in makes its input, out makes a command of the parent.
func ExampleSub() {
	child := graph.New[graph.Simple[int]]("count")
	double := child.Node("double", func(_ context.Context, n graph.Simple[int]) (int, error) { return 2 * n.Value, nil })
	child.Start(double)
	child.Edge(double, graph.End)

	g := graph.New[Draft]("letter")
	write := g.Node("write", noting("written"))
	count := graph.Sub(g, "count", must(child.Compile()),
		func(d Draft) (int, error) { return len(d.Text), nil },
		func(_ Draft, n graph.Simple[int]) (graph.Command[Edit], error) {
			return graph.Command[Edit]{Update: Edit{Notes: []string{fmt.Sprint("twice as long: ", n.Value)}}}, nil
		})
	g.Start(write)
	g.Edge(write, count)
	g.Edge(count, graph.End)

	res, err := must(g.Compile()).Invoke(context.Background(), Edit{Text: graph.To("Dear reader")})
	fmt.Printf("%q %v %v\n", res.State.Notes, res.Path, err)
	// Output: ["written" "twice as long: 22"] [write count] <nil>
}

// Inline runs a graph on the same state; each of its updates becomes one of the parent's.
func ExampleInline() {
	review := line(noting("spelled"), noting("styled"))

	g := graph.New[Draft]("letter")
	write := g.Node("write", noting("written"))
	check := graph.Inline(g, "check", review)
	g.Start(write)
	g.Edge(write, check)
	g.Edge(check, graph.End)

	res, err := must(g.Compile()).Invoke(context.Background(), Edit{})
	fmt.Println(res.State.Notes, res.Path, err)
	// Output: [written spelled styled] [write check] <nil>
}
