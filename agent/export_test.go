package agent

import (
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// Body is what a node does.
type Body = graph.NodeFunc[state.AgentState, state.Update]

// PlantNode puts a fault around a node.
func (c *Config) PlantNode(name string, fault func(Body) Body) {
	c.planted.node = func(node string, body Body) Body {
		if node != name {
			return body
		}
		return fault(body)
	}
}

// PlantWay lets a route lead elsewhere.
func (c *Config) PlantWay(way func(node, outcome string, s state.AgentState) string) {
	c.planted.way = way
}
