package graph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// Careless is a state whose Apply uses the builtin append, which may write into memory that a sibling shares.
type Careless struct{ Notes []string }

// Apply is not pure.
func (c Careless) Apply(note string) (Careless, error) {
	c.Notes = append(c.Notes, note)
	return c, nil
}

// Isolate finds in a test what would damage a state at some later time.
func ExampleIsolate() {
	g := graph.New[Careless]("careless")
	write := g.Node("write", func(context.Context, Careless) (string, error) { return "written", nil })
	g.Start(write)
	g.Edge(write, graph.End)
	_, err := must(g.Compile()).Invoke(context.Background(), "begun", graph.Isolate())
	fmt.Println(errors.Is(err, graph.ErrImpureApply))
	// Output: true
}
