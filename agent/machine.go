package agent

import (
	"slices"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
)

// MachineTopology is the table of the corrective machine as a drawing.
func MachineTopology() graph.Topology {
	t := graph.Topology{Name: "corrective-machine", Edges: []graph.Edge{{From: "START", To: string(rules.Table()[0].From)}}}
	node := func(name string) {
		if !slices.Contains(t.Nodes, name) {
			t.Nodes = append(t.Nodes, name)
		}
	}
	for _, row := range rules.Table() {
		node(string(row.From))
		node(string(row.To))
		t.Edges = append(t.Edges, graph.Edge{From: string(row.From), To: string(row.To), Label: string(row.Event)})
	}
	return t
}
