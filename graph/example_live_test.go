package graph_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/kbagent/kbagent/graph"
)

// A client starts a run, is cut off after the first words, and continues from the last event that it has seen.
func ExampleThread_Follow() {
	ctx := context.Background()
	g := graph.New[graph.Simple[string]]("chat")
	answer := g.Node("answer", func(ctx context.Context, _ graph.Simple[string]) (string, error) {
		for _, word := range []string{"to", "be", "or", "not"} {
			graph.Say(ctx, word)
		}
		return "done", nil
	})
	g.Start(answer)
	g.Edge(answer, graph.End)
	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	thread := app.Thread("hamlet")

	var call, seen int64
	for e, err := range thread.Stream(ctx, "", graph.Messages, graph.Detached()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if call, seen = e.Call, e.Seq; e.Text == "be" {
			break // the connection is lost; the run goes on
		}
		fmt.Println(e.Seq, e.Kind)
	}
	fmt.Println("cut off after", seen)
	for e, err := range thread.Follow(ctx, seen, graph.OfCall(call)) {
		fmt.Println(e.Seq, e.Kind, err)
	}
	fmt.Println(app.Close(ctx))
	// Output:
	// 1 run_start
	// 2 message
	// cut off after 3
	// 4 message <nil>
	// 5 message <nil>
	// 6 run_end <nil>
	// <nil>
}

func ExampleLog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "duration" {
				return slog.Attr{} // differ from run to run
			}
			return a
		},
	}))
	g := graph.New[graph.Simple[int]]("double")
	double := g.Node("double", func(_ context.Context, s graph.Simple[int]) (int, error) { return 2 * s.Value, nil })
	g.Start(double)
	g.Edge(double, graph.End)
	app, err := g.Compile(graph.Observe(graph.Log(logger)))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := app.Thread("t").Invoke(context.Background(), 21); err != nil {
		fmt.Println(err)
	}
	// Output:
	// level=INFO msg="run started" graph=double thread=t run=1 step=0
	// level=INFO msg="run ended" graph=double thread=t run=1 step=0 steps=1
}
