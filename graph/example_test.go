package graph_test

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// Draft is the state of the examples: a text, and what was noted on the way.
type Draft struct {
	Text  string
	Notes []string
	Tries int
}

// Edit is what one node says about a Draft.
type Edit struct {
	Text  graph.Set[string] `json:",omitzero"`
	Notes []string          `json:",omitempty"`
	Try   bool              `json:",omitzero"`
}

// Apply folds an Edit into the next Draft.
func (d Draft) Apply(e Edit) (Draft, error) {
	d.Text = e.Text.Or(d.Text)
	d.Notes = graph.Append(d.Notes, e.Notes...)
	if e.Try {
		d.Tries++
	}
	return d, nil
}

type verdict string

const (
	again verdict = "again"
	good  verdict = "good"
)

func Example() {
	g := graph.New[Draft]("writer")
	write := g.Node("write", func(_ context.Context, d Draft) (Edit, error) {
		return Edit{Text: graph.To(d.Text + "la"), Try: true}, nil
	})
	judge := g.Node("judge", func(context.Context, Draft) (Edit, error) { return Edit{}, nil })

	g.Start(write)
	g.Edge(write, judge)
	graph.Route(g, judge, func(d Draft) verdict {
		if len(d.Text) < 6 {
			return again
		}
		return good
	}, graph.Case(again, write), graph.Case(good, graph.End))

	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := app.Thread("letter").Invoke(context.Background(), Edit{Text: graph.To("la")})
	fmt.Println(res.State.Text, res.State.Tries, res.Path, err)
	// Output: lalala 2 [write judge write judge] <nil>
}

// must returns v, and ends an example that has failed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noting is a node that notes a text.
func noting(text string) graph.NodeFunc[Draft, Edit] {
	return func(context.Context, Draft) (Edit, error) { return Edit{Notes: []string{text}}, nil }
}

// line is a graph of one node after another.
func line(nodes ...graph.NodeFunc[Draft, Edit]) *graph.App[Draft, Edit] {
	g := graph.New[Draft]("line")
	var last graph.Node
	for i, fn := range nodes {
		n := g.Node(string(rune('a'+i)), fn)
		if i == 0 {
			g.Start(n)
		} else {
			g.Edge(last, n)
		}
		last = n
	}
	g.Edge(last, graph.End)
	return must(g.Compile())
}
