package graph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// A run that fails is resumed behind its last commit: what is stored does not run again.
func ExampleThread_Resume() {
	down := true
	g := graph.New[Draft]("writer")
	write := g.Node("write", func(context.Context, Draft) (Edit, error) {
		fmt.Println("writing")
		return Edit{Text: graph.To("Dear reader")}, nil
	})
	send := g.Node("send", func(context.Context, Draft) (Edit, error) {
		if down {
			return Edit{}, errors.New("the post office is closed")
		}
		return Edit{Try: true}, nil
	})
	g.Start(write)
	g.Edge(write, send)
	g.Edge(send, graph.End)
	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	letter := app.Thread("letter", graph.WithStore(graph.NewMemoryStore()))
	_, err = letter.Invoke(ctx, Edit{})
	fmt.Println(err)
	down = false
	res, err := letter.Resume(ctx)
	fmt.Println(res.State.Text, res.Path, err)
	// Output:
	// writing
	// node send (step 2, attempt 1): the post office is closed
	// Dear reader [send] <nil>
}

// One task for every Send, run in parallel and folded in the order of the Sends.
func ExampleWork() {
	g := graph.New[trail]("fetch")
	fetch := graph.Work(g, "fetch", func(_ context.Context, _ trail, url string) (step, error) {
		return step{Path: []string{"content of " + url}}, nil
	})
	list := g.Dynamic("list", func(context.Context, trail) (graph.Command[step], error) {
		return graph.Command[step]{Sends: []graph.Send{fetch.Send("a"), fetch.Send("b")}}, nil
	})
	sum := g.Node("sum", func(_ context.Context, s trail) (step, error) {
		return step{Value: graph.To(fmt.Sprint(len(s.Path), " pages"))}, nil
	})
	g.Start(list)
	g.Targets(list, fetch.Node)
	g.Join(sum, fetch.Node)
	g.Edge(sum, graph.End)
	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := app.Invoke(context.Background(), step{})
	fmt.Printf("%q %s %v\n", res.State.Path, res.State.Value, err)
	// Output: ["content of a" "content of b"] 2 pages <nil>
}

// A stream is the run as a sequence of events; leaving the loop cancels the run.
func ExampleApp_Stream() {
	g := graph.New[trail]("talk")
	talk := g.Node("talk", func(ctx context.Context, _ trail) (step, error) {
		for _, word := range []string{"one", "two"} {
			graph.Emit(ctx, word)
		}
		return step{Value: graph.To("said")}, nil
	})
	g.Start(talk)
	g.Edge(talk, graph.End)
	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range app.Stream(context.Background(), step{}, graph.Custom|graph.Edges) {
		if err != nil {
			fmt.Println(err)
		}
		switch e.Kind {
		case graph.CustomKind:
			fmt.Println(e.Node, "says", e.Custom)
		case graph.EdgeTaken:
			fmt.Println(e.Edge.From, "->", e.Edge.To)
		case graph.RunEnd:
			fmt.Println("end:", e.State.Value)
		}
	}
	// Output:
	// START -> talk
	// talk says one
	// talk says two
	// talk -> END
	// end: said
}
