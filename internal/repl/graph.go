package repl

import (
	"context"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// graph draws the agent and marks the way of the thread's last run.
func (s *session) graph(ctx context.Context, _ string) error {
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	topology := s.cfg.Agent.Topology()
	way := taken(topology, last)
	s.screen.println(strings.TrimRight(clean(topology.Highlight(way...).ASCII()), "\n"))
	if len(way) > 0 {
		s.screen.println("\n=> is the way of the last run.")
	}
	return nil
}

// taken is the edges that a run took. The state of a resumed run knows all of them, its events only the later ones.
func taken(t graph.Topology, s state.AgentState) []graph.Edge {
	if len(s.Path) == 0 {
		return nil
	}
	stops := append([]string{"START"}, s.Path...)
	if s.Finished() {
		stops = append(stops, "END")
	}
	var edges []graph.Edge
	for i := 1; i < len(stops); i++ {
		ways := slices.DeleteFunc(slices.Clone(t.Edges), func(e graph.Edge) bool { return e.From != stops[i-1] || e.To != stops[i] })
		if len(ways) > 1 { // several outcomes lead to the answer: the machine knows which one it was
			ways = slices.DeleteFunc(ways, func(e graph.Edge) bool { return !slices.Contains(outcomes(s), e.Label) })
		}
		edges = append(edges, ways...)
	}
	return edges
}

// outcomes is what the labels of the edge into the answer may be: the event that led there, and its action.
func outcomes(s state.AgentState) []string {
	for _, move := range s.Transitions {
		if move.To == state.PhaseGenerate {
			if rules.Event(move.Event) == rules.EventSufficient {
				return []string{move.Event, string(state.ActionGenerate)}
			}
			return []string{move.Event}
		}
	}
	return nil
}
