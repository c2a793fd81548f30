package graph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// A test scripts its nodes, lets the process "die" at a call of the store, and looks at what runs again.
func Example_crash() {
	var ran graphtest.Journal
	g := graph.New[Draft]("letter")
	write := g.Node("write", graphtest.Script[Draft](&ran,
		graphtest.Reply[Edit]{Err: errors.New("out of ink")},
		graphtest.Reply[Edit]{Update: Edit{Notes: []string{"written"}}}), graph.Retry(2, nil))
	send := g.Node("send", graphtest.Script[Draft](&ran,
		graphtest.Reply[Edit]{Update: Edit{Notes: []string{"sent"}}},
		graphtest.Reply[Edit]{Update: Edit{Notes: []string{"sent"}}}))
	g.Start(write)
	g.Edge(write, send)
	g.Edge(send, graph.End)
	app, ctx := must(g.Compile()), context.Background()

	disk := graph.NewMemoryStore()
	crash := graphtest.CrashAt(disk, 5, graphtest.FailBefore) // claim, load, input, first step, and then
	_, err := app.Thread("t", graph.WithStore(crash)).Invoke(ctx, Edit{})
	fmt.Println(errors.Is(err, graphtest.ErrInjected))

	res, err := app.Thread("t", graph.WithStore(disk)).Resume(ctx) // the next process
	fmt.Println(res.State.Notes, err)
	fmt.Println("write ran", ran.Count("write"), "times, send", ran.Count("send"))
	// Output:
	// true
	// [written sent] <nil>
	// write ran 2 times, send 2
}
