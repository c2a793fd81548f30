package nodes

import (
	"strings"
	"testing"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// BenchmarkStages is what the nodes around a model cost without its time. The limits that the project sets itself: 2 ms for
// judging 20 items, 100 µs for the rules path, 5 ms for verifying an answer of 10 claims without a model.
func BenchmarkStages(b *testing.B) {
	const query = "How long are the old logs of the daemon kept?"
	n := New(Config{Library: shelf{}, Audit: Discard{}, Tools: tools.NewSet()})
	settings := func(change func(*state.Settings)) state.Settings {
		s := state.DefaultSettings()
		change(&s)
		return s
	}
	items := passages(20)
	var answer strings.Builder
	for i := range 10 {
		answer.WriteString(strings.SplitAfter(items[i].Content, ".\n")[0])
	}
	cases := []struct {
		name  string
		node  graph.NodeFunc[state.AgentState, state.Update]
		state state.AgentState
	}{
		{"rules path, 2 items", n.GradeEvidence(), state.AgentState{Settings: state.DefaultSettings(), Phase: state.PhaseGrade, Context: items[:2]}},
		{"lexical, 20 items", n.GradeEvidence(), state.AgentState{Settings: state.DefaultSettings(), Phase: state.PhaseGrade, Context: items}},
		{"signals, 20 items", n.GradeEvidence(), state.AgentState{Phase: state.PhaseGrade, Context: items,
			Settings: settings(func(s *state.Settings) { s.Evaluator = state.EvaluatorSignals })}},
		{"heuristic, 20 items", n.GradeEvidence(), state.AgentState{Phase: state.PhaseGrade, Context: items,
			Settings: settings(func(s *state.Settings) { s.Evaluator = state.EvaluatorHeuristic })}},
		{"refine_context, 20 items", n.RefineContext(), state.AgentState{Settings: state.DefaultSettings(), Context: items}},
		{"verify_answer, 10 claims, 20 items", n.VerifyAnswer(), state.AgentState{Context: items, Answer: answer.String(), Status: state.StatusAnswered,
			Settings: settings(func(s *state.Settings) { s.Verify = true })}},
	}
	for _, c := range cases {
		c.state.Question, c.state.Rounds, c.state.Iteration = query, 1, 1
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.node(b.Context(), c.state); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("decide, 20 items", func(b *testing.B) {
		s := cases[len(cases)-1].state
		s.Question, s.Phase, s.Settings.ScoreConfidence = query, state.PhaseAnswered, true
		u, err := n.VerifyAnswer()(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		s.Verification = u.Verification
		node := n.Decide()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := node(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
	})
}
