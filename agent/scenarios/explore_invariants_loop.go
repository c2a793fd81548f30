package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// strategies says whether the search has taken a strategy that was not attempted, or has ended since none was left.
func strategies(t transition) error {
	if !ran(t, nodes.NameAnalyzeAndRoute) {
		return nil
	}
	s := t.To
	if sorted := slices.Sorted(slices.Values(s.AttemptedStrategies)); len(slices.Compact(sorted)) < len(s.AttemptedStrategies) {
		return fmt.Errorf("a strategy is taken twice: %v", s.AttemptedStrategies)
	}
	switch {
	case s.Route == state.RouteChitchat && (s.StopReason != state.StopChitchat || len(s.AttemptedStrategies) > 0):
		return fmt.Errorf("small talk with the strategies %v and the stop reason %q", s.AttemptedStrategies, s.StopReason)
	case s.Route != state.RouteSearch || s.Phase == state.PhaseRetrieve && len(s.AttemptedStrategies) > len(t.From.AttemptedStrategies):
		return nil
	case s.StopReason != state.StopExhausted || s.Phase != state.PhaseGenerate:
		return fmt.Errorf("no strategy was taken, and the search ends with %q in %s", s.StopReason, s.Phase)
	}
	for _, left := range []struct {
		strategy state.Strategy
		sensible bool
	}{
		{state.StrategyKeyword, true}, {state.StrategyExpanded, len(rules.Keywords(s.Query())) > 0 && s.Settings.QueryExpansion},
		{state.StrategyDecomposed, len(s.SubQueries) > 1}, {state.StrategyWeb, s.Settings.WebSearch != state.WebOff && s.WebRounds == 0},
	} {
		if left.sensible && !slices.Contains(s.AttemptedStrategies, left.strategy) {
			return fmt.Errorf("the search ends, and %s was not tried", left.strategy)
		}
	}
	return nil
}

func callsOnce(s state.AgentState) error {
	made := map[string]bool{}
	for _, r := range s.ToolHistory {
		key := rules.CallKey(r.Name, r.Args)
		if made[key] {
			return fmt.Errorf("%s is called again", key)
		}
		made[key] = true
	}
	return nil
}

// roundOf compares a round of calls with its plan, and the context with what it found.
func roundOf(t transition) error {
	if !ran(t, nodes.NameToolCall) {
		return nil
	}
	from, to := t.From, t.To
	iterations := 1
	if from.Correcting() {
		iterations = 0
	}
	if to.Iteration != from.Iteration+iterations || to.Rounds != from.Rounds+1 {
		return fmt.Errorf("the round counts as %d iterations, not %d", to.Iteration-from.Iteration, iterations)
	}
	records := to.Round(to.Rounds)
	if len(records) != len(from.PendingToolCalls) || len(to.PendingToolCalls) > 0 {
		return fmt.Errorf("%d calls are planned, %d are made, %d are still open", len(from.PendingToolCalls), len(records), len(to.PendingToolCalls))
	}
	expected := idsOf(from.Context)
	for i, r := range records {
		if call := from.PendingToolCalls[i]; call.ID != r.ID || call.Name != r.Name {
			return fmt.Errorf("call %d is %s %s, planned is %s %s", i+1, r.ID, r.Name, call.ID, call.Name)
		}
		if r.Error != "" && len(r.ItemIDs) > 0 {
			return fmt.Errorf("%s failed and has evidence", r.Name)
		}
		expected = append(expected, r.ItemIDs...)
	}
	for _, id := range expected {
		if !slices.Contains(idsOf(to.Context), id) && len(to.Context) < to.Settings.MaxContextItems {
			return fmt.Errorf("%s is lost", id)
		}
	}
	return nil
}

// evidenceFound says whether a tool has found all evidence, or a passage that it is a strip of.
func evidenceFound(s state.AgentState) error {
	found := map[string]bool{}
	for _, r := range s.ToolHistory {
		for _, id := range r.ItemIDs {
			found[id] = true
		}
	}
	for _, e := range s.Context {
		if id, _, _ := strings.Cut(e.Path, "."); !found[e.ID] && (!found[id] || !strings.Contains(passage, e.Content)) {
			return fmt.Errorf("no tool has found %s of %s", e.ID, e.Path)
		}
	}
	return nil
}

// atLeast is a comparison with a threshold: what misses it by rounding meets it.
func atLeast(x, threshold float64) bool { return x-threshold > -1e-9 }

// actionFollows compares the action of a grading with its grades.
func actionFollows(t transition) error {
	if !ran(t, nodes.NameGradeEvidence) {
		return nil
	}
	from, to := t.From, t.To
	if len(to.EvidenceScores) != len(from.Context) {
		return fmt.Errorf("%d grades of %d items", len(to.EvidenceScores), len(from.Context))
	}
	var kept, sum float64
	var ids []string
	for i, grade := range to.EvidenceScores {
		if grade < 0 || grade > 1 || math.IsNaN(grade) {
			return fmt.Errorf("a grade of %v", grade)
		}
		if atLeast(grade, to.Settings.EvidenceMinScore) {
			kept, sum, ids = kept+1, sum+grade, append(ids, from.Context[i].ID)
		}
	}
	want := state.ActionRefine
	switch {
	case kept == 0:
		want = state.ActionReRetrieve
	case atLeast(sum/kept, to.Settings.GenerateMinScore):
		want = state.ActionGenerate
	}
	if to.GraderAction != want {
		return fmt.Errorf("grades %v lead to %s, not to %s", to.EvidenceScores, to.GraderAction, want)
	}
	if got := idsOf(to.Context); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ids))) {
		return fmt.Errorf("grades %v keep %v, not %v", to.EvidenceScores, got, ids)
	}
	if len(to.Quarantined)-len(from.Quarantined) != len(from.Context)-len(ids) {
		return fmt.Errorf("%d items are put away, of %d that go", len(to.Quarantined)-len(from.Quarantined), len(from.Context)-len(ids))
	}
	return nil
}

// approved says whether the pre-filter rule that a grading names holds; without one, all items went to the grader.
func approved(t transition) error {
	if !ran(t, nodes.NameGradeEvidence) {
		return nil
	}
	rule, fast := strings.CutPrefix(t.To.GradeSource, "rule:")
	n := len(t.From.Context)
	few := n > 0 && n <= t.To.Settings.AutoApproveMaxItems
	switch {
	case !fast && few:
		return fmt.Errorf("%d items are not approved", n)
	case fast && (rule != "few_context" || !few):
		return fmt.Errorf("%s approves %d items", rule, n)
	case fast && t.To.Usage.LLMCalls != t.From.Usage.LLMCalls:
		return errors.New("the model graded what a rule approves")
	case t.To.Usage.LLMCalls > t.From.Usage.LLMCalls+2:
		return errors.New("more than one batch and its repair")
	}
	return nil
}

// loopEnds compares the move behind a grading with the limits of the loop.
func loopEnds(t transition) error {
	if !ran(t, nodes.NameGradeEvidence) || len(t.To.Transitions) == 0 {
		return nil
	}
	s := t.To
	event := rules.Event(s.Transitions[len(s.Transitions)-1].Event)
	want, stop := rules.EventCapped, s.StopReason
	switch {
	case s.GraderAction == state.ActionGenerate:
		if want = rules.EventSufficient; !s.Correcting() {
			stop = state.StopSufficient
		}
	case s.Correcting():
	case s.Iteration >= s.Settings.MaxIterations:
		stop = state.StopMaxIterations
	case s.Settings.MaxLLMCalls > 0 && s.Usage.LLMCalls >= s.Settings.MaxLLMCalls:
		stop = state.StopBudget
	case standsStill(s):
		want, stop = rules.EventNoProgress, state.StopNoProgress
	case s.GraderAction == state.ActionRefine:
		want, stop = rules.EventMixed, ""
	default:
		want, stop = rules.EventPoor, ""
	}
	if event != want || s.StopReason != stop && s.StopReason != state.StopBudget {
		return fmt.Errorf("round %d of %d with the action %s leads to %s (%s), not to %s (%s)", s.Iteration, s.Settings.MaxIterations, s.GraderAction, event, s.StopReason, want, stop)
	}
	return nil
}

// standsStill says whether another round would find the same again: there was nothing new to ask. No call is made twice,
// so that two rounds are equal only when both are empty.
func standsStill(s state.AgentState) bool {
	if len(s.Round(s.Rounds)) > 0 {
		return false
	}
	for n := 1; n < s.Rounds; n++ {
		if len(s.Round(n)) == 0 {
			return true
		}
	}
	return s.GraderAction == state.ActionRefine
}
