package nodes

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Token is a piece of the answer as it grows; Synthesize emits it. Restart says that the pieces so far are void: the
// model failed in mid-answer and another answer follows.
type (
	Token   struct{ Text string }
	Restart struct{}
)

// Synthesize is the node synthesize: it writes the answer from the evidence, checks its citations and ends the run.
// It never returns an empty answer: without usable evidence it abstains with the fixed sentence.
func (n *Nodes) Synthesize() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameSynthesize, func(ctx context.Context, t *turn) error {
		request := t.synthesisRequest()
		if t.state.Correcting() {
			graph.Emit(ctx, Restart{})
		}
		answer, by, err := t.write(ctx, request)
		if err != nil {
			return err
		}
		final, err := t.finish(ctx, request, answer)
		if err != nil {
			return err
		}
		t.show(ctx, final.Answer)
		if t.checked(final) {
			t.update.Draft = &final
			if err := t.fire(ctx, rules.EventAnswered); err != nil {
				return err
			}
			return t.auditSynthesis(ctx, request, final, by)
		}
		t.update.Final = &final
		if err := t.fire(ctx, rules.EventAnswered, rules.EventDeliver); err != nil {
			return err
		}
		if err := t.auditSynthesis(ctx, request, final, by); err != nil {
			return err
		}
		return t.auditRunEnd(ctx, final)
	})
}

// checked says whether an answer goes to verify_answer: small talk and abstentions do not, unless the abstention stands
// where an answer is corrected, of which there may be a better one.
func (t *turn) checked(final state.Final) bool {
	s := t.state
	if !s.Settings.Verify || s.Route == state.RouteChitchat {
		return false
	}
	return final.Status != state.StatusAbstained || s.Correcting()
}

// Limits of what a synthesizer sees.
const (
	synthesisRunes   = 32000 // of all items together, about 8,000 tokens
	lowEvidenceItems = 5     // quarantined items that a capped run may answer from
)

func (t *turn) synthesisRequest() SynthesisRequest {
	s := t.state
	items, low := answerItems(s)
	q := SynthesisRequest{
		Route: s.Route, Question: s.Question, Query: s.Query(), Category: s.Category, Messages: s.Messages,
		Items: fit(items, synthesisRunes), Mode: s.Settings.AnswerMode,
		Sufficient: s.GraderAction == state.ActionGenerate, LowEvidence: low, Abstention: s.Settings.Abstention,
	}
	q.Missing = rules.Missing(q.Query, q.Items)
	return q
}

// answerItems is what the answer is written from: the context; or, when a limit ended the loop with nothing kept and
// answers are not strict, the best of what grading had removed.
func answerItems(s state.AgentState) (items []state.Evidence, low bool) {
	if len(s.Context) > 0 {
		return s.Context, false
	}
	limited := s.StopReason == state.StopMaxIterations || s.StopReason == state.StopBudget
	if !limited || s.Settings.AnswerMode == state.ModeStrict {
		return nil, false
	}
	removed := slices.Clone(s.Quarantined)
	slices.SortStableFunc(removed, func(a, b state.Quarantine) int { return cmp.Compare(b.Score, a.Score) })
	seen := make(map[string]bool)
	for _, q := range removed {
		if !seen[q.Item.ID] && len(items) < lowEvidenceItems {
			seen[q.Item.ID] = true
			items = append(items, q.Item)
		}
	}
	return items, len(items) > 0
}

// Written is the items that the answer of a state was written from, and that its claims are judged by.
func Written(s state.AgentState) []state.Evidence {
	items, _ := answerItems(s)
	return fit(items, synthesisRunes)
}

// fit is the first items whose text fits into limit runes together, at least one.
func fit(items []state.Evidence, limit int) []state.Evidence {
	used := 0
	for i, item := range items {
		used += len([]rune(item.Content))
		if used > limit && i > 0 {
			return items[:i]
		}
	}
	return items
}

// finish turns what a synthesizer wrote into the answer of the run: true citations, no card numbers, or an abstention.
func (t *turn) finish(ctx context.Context, q SynthesisRequest, answer Synthesis) (state.Final, error) {
	abstention := state.Final{Answer: q.Abstention, Status: state.StatusAbstained, Message: q.Abstention}
	if answer.Abstained {
		return abstention, nil
	}
	c := cited{text: mask.Cards(answer.Text), citations: answer.Quoted}
	message := mask.Cards(answer.Plain)
	switch {
	case q.Route == state.RouteChitchat:
		c.text = strings.TrimSpace(withoutMarkers(c.text))
		return state.Final{Answer: c.text, Status: state.StatusAnswered, Message: c.text}, nil
	case answer.Quoted == nil:
		c = cite(answer.Text, q.Items)
		message = withoutMarkers(c.text)
		if err := t.auditCitations(ctx, c); err != nil {
			return state.Final{}, err
		}
	}
	text := strings.TrimSpace(c.text)
	uncited := len(c.citations) == 0
	if text == "" || uncited && (q.Mode == state.ModeStrict || strings.Contains(text, q.Abstention)) {
		return abstention, nil
	}
	if uncited {
		t.warn("the answer cites no evidence")
	}
	if q.LowEvidence {
		t.warn("low evidence: grading had judged the passages behind this answer to be of little relevance")
	}
	return state.Final{Answer: text, Status: state.StatusAnswered, Citations: c.citations, Message: strings.TrimSpace(message)}, nil
}

func (t *turn) auditCitations(ctx context.Context, c cited) error {
	for _, fault := range c.faults {
		if err := t.audit(ctx, AuditCitationRemoved, details{"marker": fault.marker, "reason": fault.reason}); err != nil {
			return err
		}
	}
	if n := len(c.faults); n > 0 {
		t.warn("%d citation(s) removed: %s", n, c.faults[0].reason)
	}
	return nil
}

func (t *turn) auditSynthesis(ctx context.Context, q SynthesisRequest, final state.Final, by player) error {
	return t.audit(ctx, AuditSynthesize, by.into(details{
		"items": len(q.Items), "low_evidence": q.LowEvidence, "status": final.Status, "citations": len(final.Citations),
	}, "extractive"))
}

// auditRunEnd closes the audit of a run.
func (t *turn) auditRunEnd(ctx context.Context, final state.Final) error {
	usage := t.state.Usage.Plus(t.meter.usage())
	return t.audit(ctx, AuditRunEnd, details{
		"status": final.Status, "stop_reason": t.stopReason(), "iteration": t.state.Iteration, "usage": usage,
		"elapsed_ms": (t.state.Elapsed + t.meter.running()).Milliseconds(),
		"path":       append(slices.Clip(t.state.Path), t.name), "warnings": append(slices.Clip(t.state.Warnings), t.update.Warnings...),
	})
}
