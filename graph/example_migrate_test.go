package graph_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// Letter is Draft after its field Text was renamed to Body.
type Letter struct {
	Body  string
	Notes []string
}

// Change is what one node says about a Letter.
type Change struct {
	Body  graph.Set[string] `json:",omitzero"`
	Notes []string          `json:",omitempty"`
}

// Apply folds a Change into the next Letter.
func (l Letter) Apply(c Change) (Letter, error) {
	l.Body = c.Body.Or(l.Body)
	l.Notes = graph.Append(l.Notes, c.Notes...)
	return l, nil
}

// A thread that was written with an older type of the state is read with the new one.
func ExampleStateVersion() {
	ctx, store := context.Background(), graph.NewMemoryStore()
	must(line(noting("written")).Thread("letter", graph.WithStore(store)).Invoke(ctx, Edit{Text: graph.To("Dear reader")}))

	g := graph.New[Letter]("line")
	again := g.Node("a", func(context.Context, Letter) (Change, error) { return Change{Notes: []string{"read again"}}, nil })
	g.Start(again)
	g.Edge(again, graph.End)
	rename := func(data json.RawMessage) (json.RawMessage, error) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
		if text, ok := fields["Text"]; ok {
			fields["Body"] = text
			delete(fields, "Text")
		}
		return json.Marshal(fields)
	}
	app := must(g.Compile(graph.StateVersion(2, graph.Migration{State: rename, Update: rename}))) // 1 to 2

	res, err := app.Thread("letter", graph.WithStore(store)).Invoke(ctx, Change{})
	fmt.Printf("%s %q %v\n", res.State.Body, res.State.Notes, err)
	// Output: Dear reader ["written" "read again"] <nil>
}
