package graph_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// The history of a thread is its log, newest first; At gives the state of any of its checkpoints.
func ExampleThread_History() {
	app, ctx := line(noting("written"), noting("spelled")), context.Background()
	letter := app.Thread("letter")
	must(letter.Invoke(ctx, Edit{}))
	for c, err := range letter.History(ctx) {
		fmt.Println(c.Seq, c.Origin, c.Nodes, "then", c.Next, err)
	}
	_, state, err := letter.At(ctx, 2)
	fmt.Println(state.Notes, err)
	// Output:
	// 3 step [b] then [] <nil>
	// 2 step [a] then [b] <nil>
	// 1 input [] then [a] <nil>
	// [written] <nil>
}

// A fork goes back to a checkpoint; an edit changes the state there; Resume takes the new branch. The old one stays.
func ExampleThread_Fork() {
	app, ctx := line(noting("written"), noting("spelled")), context.Background()
	letter := app.Thread("letter")
	must(letter.Invoke(ctx, Edit{}))

	must(letter.Fork(ctx, 2)) // after the first node
	must(letter.UpdateState(ctx, Edit{Notes: []string{"corrected by hand"}}))
	res, err := letter.Resume(ctx)
	fmt.Printf("%q %v\n", res.State.Notes, err)

	for c := range letter.History(ctx) {
		fmt.Println(c.Seq, c.Origin, "after", c.Parent, c.Current)
	}
	// Output:
	// ["written" "corrected by hand" "spelled"] <nil>
	// 6 step after 5 true
	// 5 edit after 4 true
	// 4 fork after 2 true
	// 3 step after 2 false
	// 2 step after 1 true
	// 1 input after 0 true
}

// UpdateState acts as a node: what follows is what follows that node.
func ExampleThread_UpdateState() {
	g := graph.New[Draft]("letter")
	write, send := g.Node("write", noting("written")), g.Node("send", noting("sent"))
	g.Start(write)
	g.Edge(write, send)
	g.Edge(send, graph.End)

	ctx := context.Background()
	letter := must(g.Compile()).Thread("letter")
	must(letter.UpdateState(ctx, Edit{Notes: []string{"written by hand"}}, write))
	res, err := letter.Resume(ctx)
	fmt.Printf("%q %v %v\n", res.State.Notes, res.Path, err)
	// Output: ["written by hand" "sent"] [send] <nil>
}

// A copy is a thread of its own; pruning keeps the newest checkpoints; deleting takes everything.
func ExampleThread_Prune() {
	app, ctx := line(noting("written"), noting("spelled"), noting("sent")), context.Background()
	store := graph.NewMemoryStore()
	letter := app.Thread("letter", graph.WithStore(store))
	must(letter.Invoke(ctx, Edit{}))

	fmt.Println(letter.Copy(ctx, "backup"))
	pruned, err := letter.Prune(ctx, graph.Keep{Last: 2})
	fmt.Println(pruned.Entries, "checkpoints went,", must(letter.Head(ctx)).State.Notes, err)
	fmt.Println(letter.Delete(ctx))

	for t := range store.Threads(ctx) {
		fmt.Println("left:", t.Thread, t.Seq)
	}
	// Output:
	// <nil>
	// 2 checkpoints went, [written spelled sent] <nil>
	// <nil>
	// left: backup 4
}
