package otel_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/kbagent/kbagent/graph"
	graphotel "github.com/kbagent/kbagent/graph/otel"
)

// A program makes a provider once, with the exporter of its choice, and gives it to the graphs.
func Example() {
	exporter := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(exporter))

	g := graph.New[graph.Simple[int]]("double")
	double := g.Node("double", func(_ context.Context, s graph.Simple[int]) (int, error) { return 2 * s.Value, nil })
	g.Start(double)
	g.Edge(double, graph.End)
	app, err := g.Compile(graph.Observe(graphotel.New(provider)))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := app.Invoke(context.Background(), 21)
	fmt.Println(res.State.Value, err)
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name)
	}
	// Output:
	// 42 <nil>
	// node double
	// step
	// run double
}
