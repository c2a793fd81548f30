package graph_test

import (
	"context"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// A node whose result depends on the text alone need not run twice for the same text.
func ExampleCache() {
	calls := 0
	g := graph.New[Draft]("letter")
	translate := g.Node("translate", func(_ context.Context, d Draft) (Edit, error) {
		calls++
		return Edit{Notes: []string{"in French: " + d.Text}}, nil
	}, graph.Cache(func(d Draft) string { return d.Text }, time.Hour), graph.CacheSize(100))
	g.Start(translate)
	g.Edge(translate, graph.End)
	app := must(g.Compile())

	ctx := context.Background()
	for _, text := range []string{"Hello", "Goodbye", "Hello"} {
		for e := range app.Stream(ctx, Edit{Text: graph.To(text)}, graph.Tasks) {
			if e.Kind == graph.TaskEnd {
				fmt.Println(e.Update.Notes, e.Cached)
			}
		}
	}
	fmt.Println(calls, "calls")
	// Output:
	// [in French: Hello] false
	// [in French: Goodbye] false
	// [in French: Hello] true
	// 2 calls
}

// Work's cache sees the argument of the Send.
func ExampleCacheWork() {
	g := graph.New[Draft]("fetch")
	fetch := graph.Work(g, "fetch", func(_ context.Context, _ Draft, url string) (Edit, error) {
		fmt.Println("fetching", url)
		return Edit{Notes: []string{"content of " + url}}, nil
	}, graph.CacheWork(func(_ Draft, url string) string { return url }, time.Hour))
	list := g.Dynamic("list", func(_ context.Context, d Draft) (graph.Command[Edit], error) {
		return graph.Command[Edit]{Sends: []graph.Send{fetch.Send(d.Text)}}, nil
	})
	g.Start(list)
	g.Targets(list, fetch.Node)
	g.Edge(fetch.Node, graph.End)
	app, ctx := must(g.Compile()), context.Background()
	must(app.Invoke(ctx, Edit{Text: graph.To("a")}))
	res, err := app.Invoke(ctx, Edit{Text: graph.To("a")})
	fmt.Println(res.State.Notes, err)
	// Output:
	// fetching a
	// [content of a] <nil>
}
