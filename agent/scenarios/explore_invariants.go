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

// invariant and transition are those of the agent.
type (
	invariant  = explore.Invariant[state.AgentState]
	transition = explore.Transition[state.AgentState]
)

// invariants hold in every run of the agent, whatever its environment does. They say what the agent promises, in their own
// words: where one computes what a rule computes, it does so without that rule.
func (w *cosmos) invariants() []invariant {
	return []invariant{
		{Name: "an answer is never empty", End: answered},
		{Name: "the limits hold", State: limits},
		{Name: "every move is a row of the machine", Step: movesOf},
		{Name: "the next node is where the move leads", Step: nextNode},
		{Name: "the audit is complete", Step: w.audited},
		{Name: "the conversation gets one question and one answer", End: conversation},

		{Name: "each strategy is taken once", Step: strategies},
		{Name: "no call is made twice", State: callsOnce},
		{Name: "what is planned is called, and what is found is kept", Step: roundOf},
		{Name: "only what was found is evidence", State: evidenceFound},

		{Name: "the action follows from the grades", Step: actionFollows},
		{Name: "only a rule that holds approves without grading", Step: approved},
		{Name: "the loop ends when it must, and not before", Step: loopEnds},

		{Name: "an answer cites what it was written from", Step: citesEvidence},
		{Name: "no cited item is below the threshold outside the capped round", End: citedItems},
		{Name: "an abstention says so, and nothing else does", End: abstains},

		{Name: "a claim holds when its quote stands in the evidence", Step: claimsHold},
		{Name: "the decision follows from the table", Step: decisionFollows},
		{Name: "nothing passes that was not verified", End: passed},
		{Name: "a correction looks for what lacks support", Step: corrects},
		{Name: "the best attempt is delivered", End: bestDelivered},
		{Name: "the decision of a person stands", Step: personDecides},
	}
}

// ran says whether a step is the one of a node, and that node has ended.
func ran(t transition, node string) bool {
	return len(t.To.Path) > len(t.From.Path) && lastNode(t.To) == node
}

func answered(s state.AgentState) error {
	if s.Answer == "" || s.Status == "" {
		return errors.New("the run ended without an answer or a status")
	}
	return nil
}

func limits(s state.AgentState) error {
	cfg := s.Settings
	switch {
	case s.Iteration > cfg.MaxIterations:
		return fmt.Errorf("%d iterations of %d", s.Iteration, cfg.MaxIterations)
	case s.Corrections > cfg.VerifyAttempts:
		return fmt.Errorf("%d corrections of %d", s.Corrections, cfg.VerifyAttempts)
	case s.WebRounds > 1:
		return fmt.Errorf("%d rounds of web search", s.WebRounds)
	case cfg.MaxLLMCalls > 0 && s.Usage.LLMCalls > cfg.MaxLLMCalls:
		return fmt.Errorf("%d model calls of %d", s.Usage.LLMCalls, cfg.MaxLLMCalls)
	case mendedByOrder(s) > 1:
		return fmt.Errorf("what was found is ordered anew %d times", mendedByOrder(s))
	case len(s.Context) > cfg.MaxContextItems && !cfg.RefineContext:
		return fmt.Errorf("%d items of %d", len(s.Context), cfg.MaxContextItems)
	}
	return nil
}

// mendedByOrder is how often the run has ordered its evidence anew.
func mendedByOrder(s state.AgentState) (n int) {
	for _, m := range s.Transitions {
		if m.Event == string(rules.EventRerank) {
			n++
		}
	}
	return n
}

func conversation(s state.AgentState) error {
	if len(s.Messages) != 2 || s.Messages[0].Content != s.Question || s.Messages[1].Content == "" {
		return fmt.Errorf("%d messages: %v", len(s.Messages), s.Messages)
	}
	return nil
}

func movesOf(t transition) error {
	at := t.From.Phase
	for _, m := range t.To.Transitions[min(len(t.From.Transitions), len(t.To.Transitions)):] {
		if at != "" && m.From != at {
			return fmt.Errorf("a move from %s while the machine stands at %s", m.From, at)
		}
		if !slices.ContainsFunc(rules.Table(), func(r rules.Row) bool { return r.From == m.From && string(r.Event) == m.Event && r.To == m.To }) {
			return fmt.Errorf("%s %s %s is no row", m.From, m.Event, m.To)
		}
		at = m.To
	}
	if t.To.Phase != at {
		return fmt.Errorf("the state says %s, its moves say %s", t.To.Phase, at)
	}
	return nil
}

// nextNode compares where the run goes with where the machine stands.
func nextNode(t transition) error {
	if len(t.To.Path) == len(t.From.Path) {
		return nil // it waits
	}
	s := t.To
	want := map[state.Phase]string{
		state.PhaseGrade: nodes.NameGradeEvidence, state.PhaseRefine: nodes.NamePlan, state.PhaseReRetrieve: nodes.NameAnalyzeAndRoute,
		state.PhaseGenerate: nodes.NameSynthesize, state.PhaseReview: nodes.NameHumanReview, state.PhaseAnswered: nodes.NameVerifyAnswer,
		state.PhaseRetrieve: nodes.NamePlan,
	}[s.Phase]
	switch last := lastNode(s); {
	case s.Phase == state.PhaseRetrieve && last == nodes.NamePlan:
		want = nodes.NameToolCall
	case s.Phase == state.PhaseAnswered && last == nodes.NameVerifyAnswer:
		want = nodes.NameDecide
	case last == nodes.NameDecide && s.Phase == state.PhaseGenerate:
		want = nodes.NameRerank
	case last == nodes.NameGradeEvidence && s.Phase == state.PhaseGenerate && s.Settings.RefineContext && len(s.Context) > 0:
		want = nodes.NameRefineContext
	}
	if got := slices.Concat(t.Next, []string{""})[0]; got != want || len(t.Next) > 1 {
		return fmt.Errorf("the machine stands at %s behind %s, and %q is next, not %q", s.Phase, lastNode(s), t.Next, want)
	}
	return nil
}

// audited says whether the lines that a step has written name all that it did.
func (w *cosmos) audited(t transition) error {
	from, to, lines := t.From, t.To, w.heard(t.Thread)
	if len(to.Path) == len(from.Path) {
		return nil // what the step did is not committed: it writes its lines again
	}
	count := func(actions ...string) (n int) {
		for _, l := range lines {
			if slices.Contains(actions, l.Action) {
				n++
			}
		}
		return n
	}
	ended := 0
	if to.Finished() && !from.Finished() {
		ended = 1
	}
	removed := len(to.Quarantined) - len(from.Quarantined)
	if to.Settings.WebReplace || lastNode(to) == nodes.NameRerank { // put away otherwise than by a grade
		removed = count(nodes.AuditEvidenceRemoved)
	}
	for _, c := range []struct {
		what      string
		did, told int
	}{
		{"moves", len(to.Transitions) - len(from.Transitions), count(nodes.AuditTransition)},
		{"ends of the run", ended, count(nodes.AuditRunEnd)},
		{"calls of tools", len(to.ToolHistory) - len(from.ToolHistory), count(nodes.AuditToolCall, nodes.AuditToolError)},
		{"items removed", removed, count(nodes.AuditEvidenceRemoved)},
		{"calls of the model", to.Usage.LLMCalls - from.Usage.LLMCalls, count(nodes.AuditLLMCall)},
		{"decisions", len(to.Attempts) - len(from.Attempts), count(nodes.AuditDecide)},
	} {
		if c.did != c.told {
			return fmt.Errorf("%d %s, %d lines of them", c.did, c.what, c.told)
		}
	}
	if w := told[lastNode(to)]; w != nil && count(w...) == 0 {
		return fmt.Errorf("no line %v of %s", w, lastNode(to))
	}
	return nil
}

// told are the lines of which each run of a node writes at least one.
var told = map[string][]string{
	nodes.NameAnalyzeAndRoute: {nodes.AuditRoute, nodes.AuditTransition},
	nodes.NamePlan:            {nodes.AuditPlan},
	nodes.NameGradeEvidence:   {nodes.AuditGradeResult, nodes.AuditFastPathHit},
	nodes.NameRefineContext:   {nodes.AuditRefineContext},
	nodes.NameRerank:          {nodes.AuditRerank},
	nodes.NameSynthesize:      {nodes.AuditSynthesize},
	nodes.NameVerifyAnswer:    {nodes.AuditVerify},
	nodes.NameHumanReview:     {nodes.AuditReview},
}
