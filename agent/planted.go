package agent

import (
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// planted are faults of the picture: tests put them there to see that explorations find them. The zero value is none.
type planted struct {
	node func(name string, body graph.NodeFunc[state.AgentState, state.Update]) graph.NodeFunc[state.AgentState, state.Update]
	way  func(node, outcome string, s state.AgentState) string // another outcome of a route
}

func (p planted) body(name string, body graph.NodeFunc[state.AgentState, state.Update]) graph.NodeFunc[state.AgentState, state.Update] {
	if p.node == nil {
		return body
	}
	return p.node(name, body)
}

// route is the way that leads from a node.
func route[R ~string](p planted, from graph.Node, pick func(state.AgentState) R) func(state.AgentState) R {
	if p.way == nil {
		return pick
	}
	return func(s state.AgentState) R { return R(p.way(from.Name(), string(pick(s)), s)) }
}
