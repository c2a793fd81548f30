package nodes

import (
	"cmp"
	"context"
	"fmt"
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
		answer, byModel, err := t.write(ctx, request)
		if err != nil {
			return err
		}
		final, err := t.finish(ctx, request, answer)
		if err != nil {
			return err
		}
		t.update.Final = &final
		if err := t.fire(ctx, rules.EventAnswered, rules.EventDeliver); err != nil {
			return err
		}
		return t.auditEnd(ctx, request, final, source(byModel, "extractive"))
	})
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
		Sufficient: s.StopReason == state.StopSufficient, LowEvidence: low, Abstention: s.Settings.Abstention,
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

// write asks the synthesizer. Without evidence there is nothing to write from, and no call is made.
func (t *turn) write(ctx context.Context, q SynthesisRequest) (answer Synthesis, byModel bool, err error) {
	if q.Route != state.RouteChitchat && len(q.Items) == 0 {
		return Synthesis{Abstained: true}, false, nil
	}
	answer, byModel, reason, err := play(ctx, t.nodes.synthesis, func(s Synthesizer) (Synthesis, error) {
		out := newTokenFilter(len(q.Items), func(text string) { graph.Emit(ctx, Token{Text: text}) })
		q.Emit = out.write
		answer, err := s.Synthesize(ctx, q)
		if err == nil {
			out.flush()
		} else if out.wrote {
			graph.Emit(ctx, Restart{})
		}
		return answer, err
	})
	t.modelFailed(RoleSynthesizer, reason)
	t.update.Warnings = append(t.update.Warnings, answer.Notes...)
	return answer, byModel, err
}

// finish turns the text of a synthesizer into the answer of the run: true citations, no card numbers, or an abstention.
func (t *turn) finish(ctx context.Context, q SynthesisRequest, answer Synthesis) (state.Final, error) {
	if q.Route == state.RouteChitchat {
		text := mask.Cards(answer.Text)
		return state.Final{Answer: text, Status: state.StatusAnswered, Message: text}, nil
	}
	cited := cite(answer.Text, q.Items)
	if err := t.auditCitations(ctx, cited); err != nil {
		return state.Final{}, err
	}
	text := strings.TrimSpace(cited.text)
	uncited := len(cited.citations) == 0
	saysNothing := uncited && strings.Contains(text, q.Abstention)
	if answer.Abstained || text == "" || saysNothing || uncited && q.Mode == state.ModeStrict {
		return state.Final{Answer: q.Abstention, Status: state.StatusAbstained, Message: q.Abstention}, nil
	}
	if uncited {
		t.warn("the answer cites no evidence")
	}
	if q.LowEvidence {
		t.warn("low evidence: grading had judged the passages behind this answer to be of little relevance")
	}
	return state.Final{
		Answer: text, Status: state.StatusAnswered, Citations: cited.citations, Message: strings.TrimSpace(withoutMarkers(text)),
	}, nil
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

func (t *turn) auditEnd(ctx context.Context, q SynthesisRequest, final state.Final, source string) error {
	stop := t.state.StopReason
	err := t.audit(ctx, AuditSynthesize, details{
		"source": source, "items": len(q.Items), "low_evidence": q.LowEvidence, "status": final.Status, "citations": len(final.Citations),
	})
	if err != nil {
		return err
	}
	usage := t.state.Usage.Plus(t.meter.usage())
	err = t.audit(ctx, AuditRunEnd, details{
		"status": final.Status, "stop_reason": stop, "iteration": t.state.Iteration, "usage": usage,
		"path": append(slices.Clip(t.state.Path), t.name),
	})
	if err != nil {
		return fmt.Errorf("end the run: %w", err)
	}
	return nil
}
