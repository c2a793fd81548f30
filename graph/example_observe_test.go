package graph_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/kbagent/kbagent/graph"
)

// Log is an observer that writes logs. Others make traces, count, or measure.
func ExampleObserve() {
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	app := line(noting("written"), noting("sent"))
	_, err := app.Invoke(context.Background(), Edit{}, graph.Observe(graph.Log(logger)))
	fmt.Println(err)
	// Output:
	// level=INFO msg="run started" graph=line run=1 step=0
	// level=INFO msg="run ended" graph=line run=1 step=0 steps=2
	// <nil>
}
