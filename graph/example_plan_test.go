package graph_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// reviewed is a graph with a way back.
func reviewed() *graph.App[Draft, Edit] {
	g := graph.New[Draft]("writer")
	write := g.Node("write", func(context.Context, Draft) (Edit, error) { return Edit{Try: true}, nil })
	judge := g.Node("judge", noting("judged"))
	g.Start(write)
	g.Edge(write, judge)
	graph.Route(g, judge, func(d Draft) verdict {
		if d.Tries < 2 {
			return again
		}
		return good
	}, graph.Case(again, write), graph.Case(good, graph.End))
	return must(g.Compile())
}

// The same topology is drawn the same; the way of a run can be shown in it.
func ExampleTopology_ASCII() {
	app := reviewed()
	var taken []graph.Edge
	for e := range app.Stream(context.Background(), Edit{Try: true}, graph.Edges) {
		if e.Kind == graph.EdgeTaken {
			taken = append(taken, e.Edge)
		}
	}
	fmt.Print(app.Topology().Highlight(taken...).ASCII())
	// Output:
	// writer
	// START ==> write
	// write ==> judge
	// judge -+-(again)-> write
	//        +=(good)==> END
}

// The planner is a pure function: another engine runs the tasks and plans with it.
func ExamplePlanner() {
	planner := reviewed().Planner()
	pos := planner.Start()
	outcomes := map[string][]graph.Outcome{"write": {{}, {}}, "judge": {{Route: "again"}, {Route: "good"}}}
	for !pos.Done() {
		node := pos.Next[0].Node
		outcome := outcomes[node][0] // an engine runs the node and asks its route
		outcomes[node] = outcomes[node][1:]
		next, edges, err := planner.Next(pos, []graph.Outcome{outcome})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(edges[0].From, "->", edges[0].To)
		pos = next
	}
	// Output:
	// write -> judge
	// judge -> write
	// write -> judge
	// judge -> END
}
