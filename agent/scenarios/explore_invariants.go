package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

// invariants hold in every run of the agent, whatever its environment does.
func (w *cosmos) invariants(cfg state.Settings) []explore.Invariant[state.AgentState] {
	type inv = explore.Invariant[state.AgentState]
	return []inv{
		{Name: "an answer is never empty", End: func(s state.AgentState) error {
			if s.Answer == "" || s.Status == "" {
				return errors.New("the run ended without an answer or a status")
			}
			return nil
		}},
		{Name: "the limits hold", State: func(s state.AgentState) error { return limits(s, cfg) }},
		{Name: "no cited item is below the threshold outside the capped round", End: citedItems},
		{Name: "nothing passes that was not verified", End: func(s state.AgentState) error { return passed(s, cfg) }},
		{Name: "every move is a row of the machine", Step: func(from, to state.AgentState, _ string) error { return movesOf(from, to) }},
		{Name: "the audit is complete", Step: w.audited},
		{Name: "the conversation gets one question and one answer", End: func(s state.AgentState) error {
			if len(s.Messages) != 2 {
				return fmt.Errorf("%d messages", len(s.Messages))
			}
			return nil
		}},
		{Name: "the best attempt is delivered", End: bestDelivered},
	}
}

func limits(s state.AgentState, cfg state.Settings) error {
	switch {
	case s.Iteration > cfg.MaxIterations:
		return fmt.Errorf("%d iterations of %d", s.Iteration, cfg.MaxIterations)
	case s.Corrections > cfg.VerifyAttempts:
		return fmt.Errorf("%d corrections of %d", s.Corrections, cfg.VerifyAttempts)
	case s.WebRounds > 1:
		return fmt.Errorf("%d rounds of web search", s.WebRounds)
	case cfg.MaxLLMCalls > 0 && s.Usage.LLMCalls > cfg.MaxLLMCalls:
		return fmt.Errorf("%d model calls of %d", s.Usage.LLMCalls, cfg.MaxLLMCalls)
	case len(s.Context) > cfg.MaxContextItems && !cfg.RefineContext:
		return fmt.Errorf("%d items of %d", len(s.Context), cfg.MaxContextItems)
	}
	return nil
}

func movesOf(from, to state.AgentState) error {
	at := from.Phase
	for _, t := range to.Transitions[min(len(from.Transitions), len(to.Transitions)):] {
		if at != "" && t.From != at {
			return fmt.Errorf("a move from %s while the machine stands at %s", t.From, at)
		}
		if !slices.ContainsFunc(rules.Table(), func(r rules.Row) bool { return r.From == t.From && string(r.Event) == t.Event && r.To == t.To }) {
			return fmt.Errorf("%s %s %s is no row", t.From, t.Event, t.To)
		}
		at = t.To
	}
	if to.Phase != at {
		return fmt.Errorf("the state says %s, its moves say %s", to.Phase, at)
	}
	return nil
}

// audited says whether the lines that a step has written name all that it did.
func (w *cosmos) audited(from, to state.AgentState, thread string) error {
	lines := w.heard(thread)
	count := func(action string) (n int) {
		for _, l := range lines {
			if l.Action == action {
				n++
			}
		}
		return n
	}
	if moves := len(to.Transitions) - len(from.Transitions); count(nodes.AuditTransition) != moves {
		return fmt.Errorf("%d moves, %d lines of them", moves, count(nodes.AuditTransition))
	}
	if ended := to.Finished() && !from.Finished(); ended != (count(nodes.AuditRunEnd) == 1) {
		return fmt.Errorf("the run has ended: %t, lines of its end: %d", ended, count(nodes.AuditRunEnd))
	}
	calls := len(to.ToolHistory) - len(from.ToolHistory)
	if got := count(nodes.AuditToolCall) + count(nodes.AuditToolError); got != calls {
		return fmt.Errorf("%d calls of tools, %d lines of them", calls, got)
	}
	if removed := len(to.Quarantined) - len(from.Quarantined); count(nodes.AuditEvidenceRemoved) != removed && !to.Settings.WebReplace {
		return fmt.Errorf("%d items removed, %d lines of them", removed, count(nodes.AuditEvidenceRemoved))
	}
	return nil
}

func citedItems(s state.AgentState) error {
	if s.Review != nil && s.Review.Status == state.ReviewCorrected {
		return nil // a person's answer
	}
	limited := s.StopReason == state.StopMaxIterations || s.StopReason == state.StopBudget
	for _, c := range s.Citations {
		low := slices.ContainsFunc(s.Quarantined, func(q state.Quarantine) bool { return q.Item.ID == c.ItemID })
		kept := slices.ContainsFunc(s.Context, func(e state.Evidence) bool {
			return e.ID == c.ItemID && rules.AtLeast(e.GradeOf(), s.Settings.EvidenceMinScore)
		})
		if low && !kept && !limited && len(s.Attempts) < 2 { // the best of several answers may rest on what a later round dropped
			return fmt.Errorf("%s is cited and was removed", c.ItemID)
		}
	}
	return nil
}

func passed(s state.AgentState, cfg state.Settings) error {
	if s.Status != state.StatusPass && s.Status != state.StatusCorrected && s.Status != state.StatusWebSearch || s.Review != nil {
		return nil
	}
	v := s.Verification
	if v == nil || v.Outcome != state.OutcomeVerified || !rules.AtLeast(v.Confidence, cfg.VerifyMin) {
		return fmt.Errorf("%s with the verification %+v", s.Status, v)
	}
	return nil
}

// bestDelivered says whether no answer of the run stands higher than the one that was delivered.
func bestDelivered(s state.AgentState) error {
	if s.Status == state.StatusAbstained || len(s.Attempts) == 0 || s.Review != nil {
		return nil // what a person has decided stands
	}
	at := slices.IndexFunc(s.Attempts, func(a state.Attempt) bool {
		return a.Answer == s.Answer && a.Verification.Confidence == s.Verification.Confidence && (a.Confidence == nil || a.Confidence.Total == s.Confidence.Total)
	})
	if at < 0 {
		return errors.New("the answer that was delivered is none of those that were checked")
	}
	for _, a := range s.Attempts {
		if compareAttempts(a, s.Attempts[at], s.Settings) > 0 {
			return fmt.Errorf("an answer of %.2f was delivered, there is a better one of %.2f", scoreOf(s.Attempts[at]), scoreOf(a))
		}
	}
	return nil
}
