package graph_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// A stream is the run as a sequence of events; leaving the loop cancels the run.
func ExampleApp_Stream() {
	app := line(func(ctx context.Context, _ Draft) (Edit, error) {
		for _, token := range []string{"Dear ", "reader"} {
			graph.Say(ctx, token)
		}
		graph.Emit(ctx, 100) // anything
		return Edit{Text: graph.To("Dear reader")}, nil
	})
	for e, err := range app.Stream(context.Background(), Edit{}, graph.Messages|graph.Custom|graph.Edges) {
		if err != nil {
			fmt.Println(err)
		}
		switch e.Kind {
		case graph.MessageKind:
			fmt.Printf("%s says %q\n", e.Node, e.Text)
		case graph.CustomKind:
			fmt.Println(e.Node, "emits", e.Custom)
		case graph.EdgeTaken:
			fmt.Println(e.Edge.From, "->", e.Edge.To)
		case graph.RunEnd:
			fmt.Println("end:", e.State.Text)
		}
	}
	// Output:
	// START -> a
	// a says "Dear "
	// a says "reader"
	// a emits 100
	// a -> END
	// end: Dear reader
}
