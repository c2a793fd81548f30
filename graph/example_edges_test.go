package graph_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// A route reads an outcome from the state; each outcome has a case, which may fan out.
func ExampleRoute() {
	g := graph.New[Draft]("letter")
	write := g.Node("write", noting("written"))
	more := g.Node("more", noting("more is needed"))
	spell := g.Node("spell", noting("spelled"))
	style := g.Node("style", noting("styled"))

	g.Start(write)
	graph.Route(g, write, func(d Draft) string {
		if len(d.Text) < 3 {
			return "short"
		}
		return "long"
	}, graph.Case("short", more), graph.Case("long", spell, style))
	g.Edge(more, graph.End)
	g.Edge(spell, graph.End)
	g.Edge(style, graph.End)

	app := must(g.Compile())
	res, err := app.Invoke(context.Background(), Edit{Text: graph.To("Dear reader")})
	fmt.Printf("%q %v\n", res.State.Notes, err)
	// Output: ["written" "spelled" "styled"] <nil>
}

// Compile reports every mistake at once.
func ExampleGraph_Compile() {
	g := graph.New[Draft]("letter")
	a := g.Node("write", noting("a"))
	b := g.Node("write", noting("b"))
	c := g.Node("lost", nil)
	g.Edge(a, b)
	g.Edge(b, a)
	g.Edge(c, graph.End)
	_, err := g.Compile()
	fmt.Println(err)
	// Output:
	// bad name: node "write" is declared twice
	// nil function: node "lost"
	// no start node
	// no way from node to End: write
	// no way from node to End: write
	// cycle without a route: write -> write -> write
}

// A Dynamic node says itself what follows. What it may say is declared.
func ExampleGraph_Dynamic() {
	g := graph.New[Draft]("letter")
	var cut graph.Node
	read := g.Dynamic("read", func(_ context.Context, d Draft) (graph.Command[Edit], error) {
		update := Edit{Notes: []string{"read"}}
		if len(d.Text) > 20 {
			return graph.Command[Edit]{Update: update, Goto: []graph.Node{cut}}, nil
		}
		return graph.Command[Edit]{Update: update}, nil // without Goto the edges fire
	})
	cut = g.Node("cut", noting("cut"))
	send := g.Node("send", noting("sent"))

	g.Start(read)
	g.Edge(read, send)
	g.Targets(read, cut)
	g.Edge(cut, send)
	g.Edge(send, graph.End)

	app := must(g.Compile())
	short, err := app.Invoke(context.Background(), Edit{Text: graph.To("Dear reader")})
	fmt.Println(short.Path, err)
	long, err := app.Invoke(context.Background(), Edit{Text: graph.To("Dear reader of long letters")})
	fmt.Println(long.Path, err)
	// Output:
	// [read send] <nil>
	// [read cut send] <nil>
}

// One task for every Send, run in parallel and folded in the order of the Sends.
func ExampleWork() {
	g := graph.New[Draft]("fetch")
	fetch := graph.Work(g, "fetch", func(_ context.Context, _ Draft, url string) (Edit, error) {
		return Edit{Notes: []string{"content of " + url}}, nil
	})
	list := g.Dynamic("list", func(context.Context, Draft) (graph.Command[Edit], error) {
		return graph.Command[Edit]{Sends: []graph.Send{fetch.Send("a"), fetch.Send("b")}}, nil
	})
	sum := g.Node("sum", func(_ context.Context, d Draft) (Edit, error) {
		return Edit{Text: graph.To(fmt.Sprint(len(d.Notes), " pages"))}, nil
	})

	g.Start(list)
	g.Targets(list, fetch.Node)
	g.Join(sum, fetch.Node)
	g.Edge(sum, graph.End)

	app := must(g.Compile())
	res, err := app.Invoke(context.Background(), Edit{})
	fmt.Printf("%q %s %v\n", res.State.Notes, res.State.Text, err)
	// Output: ["content of a" "content of b"] 2 pages <nil>
}

// A join waits for all its sources, in whatever steps they run.
func ExampleGraph_Join() {
	g := graph.New[Draft]("letter")
	write := g.Node("write", noting("written"))
	stamp := g.Node("stamp", noting("stamp bought"))
	spell := g.Node("spell", noting("spelled"))
	send := g.Node("send", noting("sent"))

	g.Start(write, stamp)
	g.Edge(write, spell)
	g.Join(send, spell, stamp) // stamp ends in step 1, spell in step 2
	g.Edge(send, graph.End)

	app := must(g.Compile())
	res, err := app.Invoke(context.Background(), Edit{})
	fmt.Printf("%q %v\n", res.State.Notes, err)
	// Output: ["written" "stamp bought" "spelled" "sent"] <nil>
}

// A deferred node runs once, when no other work is left, however many ways lead to it.
func ExampleDeferred() {
	g := graph.New[Draft]("letter")
	short := g.Node("short", noting("short way"))
	long := g.Node("long", noting("long way"))
	detour := g.Node("detour", noting("detour"))
	report := g.Node("report", func(_ context.Context, d Draft) (Edit, error) {
		return Edit{Text: graph.To(fmt.Sprintf("%d notes", len(d.Notes)))}, nil
	}, graph.Deferred())

	g.Start(short, long)
	g.Edge(short, report)
	g.Edge(long, detour)
	g.Edge(detour, report)
	g.Edge(report, graph.End)

	app := must(g.Compile())
	res, err := app.Invoke(context.Background(), Edit{})
	fmt.Println(res.State.Text, res.Path, err)
	// Output: 3 notes [short long detour report] <nil>
}
