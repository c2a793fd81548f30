package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// moved is a run that has made these moves.
func moved(strategies []state.Strategy, moves ...rules.Event) state.AgentState {
	s := state.AgentState{Question: "Which doors are there?", Route: state.RouteSearch, AttemptedStrategies: strategies, GraderAction: state.ActionRefine, Phase: state.PhaseRoute}
	for _, event := range moves {
		m, err := rules.Fire(s.Phase, event)
		if err != nil {
			panic(err)
		}
		s.Transitions, s.Phase = append(s.Transitions, m...), m[0].To
	}
	return s
}

func TestExplainTellsACorrectionFromASearchOfTheWeb(t *testing.T) {
	text := agent.Explain(moved([]state.Strategy{state.StrategyWeb}, rules.EventSearch, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered,
		rules.EventCorrect, rules.EventRetrieved, rules.EventCapped))
	assert.Contains(t, text, "Round 1: search the web")
	assert.Contains(t, text, "Round 2: a search for what the answer lacked support for")
	assert.Contains(t, text, "only partly good; but a correction has one round")
	assert.NotContains(t, text, "a limit of the run was reached")

	text = agent.Explain(moved([]state.Strategy{state.StrategyKeyword, state.StrategyWeb}, rules.EventSearch, rules.EventRetrieved, rules.EventSufficient,
		rules.EventAnswered, rules.EventWeb, rules.EventRetrieved, rules.EventSufficient))
	assert.Contains(t, text, "Round 2: search the web")
}

func TestExplainSaysThatAPersonHasRejectedTheAnswer(t *testing.T) {
	s := moved([]state.Strategy{state.StrategyKeyword}, rules.EventSearch, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered, rules.EventReview, rules.EventDecided)
	s.Status, s.Attempts, s.Review = state.StatusAbstained, []state.Attempt{{Kind: state.AttemptFirst}}, &state.Review{ID: "v1", Status: state.ReviewRejected}
	text := agent.Explain(s)
	assert.Contains(t, text, "No answer was given: a person has rejected the one that was found.")
	assert.NotContains(t, text, "none held well enough")
}

func TestTheDrawingOfTheMachineHasEveryRowByItsEvent(t *testing.T) {
	edges := agent.MachineTopology().Edges[1:] // the first comes from START
	var got, want []string
	for _, e := range edges {
		got = append(got, e.From+" "+e.Label+" "+e.To)
	}
	for _, row := range rules.Table() {
		want = append(want, string(row.From)+" "+string(row.Event)+" "+string(row.To))
	}
	assert.Equal(t, want, got)
}
