package nodes

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// attempt is the answer of this state with what was found out about it.
func (t *turn) attempt(ctx context.Context) state.Attempt {
	s := t.state
	a := state.Attempt{
		Kind: state.AttemptFirst, Answer: s.Answer, Status: s.Status, Citations: s.Citations, Message: s.DraftMessage,
		Verification: *s.Verification, Items: len(Written(s)),
	}
	if len(s.Attempts) > 0 {
		a.Kind, a.Mending = state.AttemptCorrect, s.Mending
		if s.Decision == state.DecideWebSearch {
			a.Kind, a.Mending = state.AttemptWeb, ""
		}
	}
	if s.Settings.ScoreConfidence {
		a.Confidence = new(t.confidence(ctx, a))
	}
	return a
}

// confidence scores an answer over the dimensions that can be measured.
func (t *turn) confidence(ctx context.Context, a state.Attempt) state.Confidence {
	return verify.Score(t.nodes.cfg.Measure(ctx, t.state, a), t.nodes.cfg.Weights(t.state.Category))
}

// Measure measures what an answer's confidence is made of; it is the default of [Config.Measure].
func Measure(_ context.Context, s state.AgentState, a state.Attempt) state.Components {
	v := a.Verification
	items, _ := answerItems(s)
	c := state.Components{
		Relevance:      verify.Relevance(used(a, items)),
		Consistency:    verify.Consistency(v.Claims, items, contradicts),
		Classification: &s.RouteConfidence,
	}
	if v.Outcome == state.OutcomeVerified && v.Checked > 0 {
		c.Grounding = new(float64(v.Supported) / float64(v.Checked))
	}
	if score, _, ok := verify.Completeness(s.Query(), s.Category, a.Message); ok {
		c.Completeness = &score
	}
	return c
}

// contradicts is how far one text contradicts another, 0–1.
func contradicts(a, b string) float64 {
	score, _ := verify.Contradiction(a, b)
	return score
}

// used is the items that an answer cites, or all when it cites none.
func used(a state.Attempt, items []state.Evidence) []state.Evidence {
	var cited []state.Evidence
	for _, item := range items {
		if slices.ContainsFunc(a.Citations, func(c state.Citation) bool { return c.ItemID == item.ID }) {
			cited = append(cited, item)
		}
	}
	if len(cited) == 0 {
		return items
	}
	return cited
}

// acceptance is the decision on an answer that was corrected or searched for, where the table is not asked.
func acceptance(s state.AgentState, a state.Attempt) (rules.Outcome, bool) {
	if len(s.Attempts) == 0 || a.Confidence == nil || a.Verification.Outcome != state.OutcomeVerified {
		return rules.Outcome{}, false
	}
	before, after := score(best(s.Attempts, s.Settings)), a.Confidence.Total
	grounded := holds(a, s.Settings) && a.Confidence.Components.Grounding != nil
	switch {
	case a.Kind == state.AttemptCorrect && grounded && rules.Accept(before, after):
		return rules.Outcome{
			Decision: state.DecidePass, Row: rules.RowCorrectionAccepted,
			Reason: fmt.Sprintf("the correction raised the confidence from %.2f to %.2f", before, after),
		}, true
	case a.Kind == state.AttemptWeb && grounded && rules.AtLeast(after, s.Settings.ConfidenceReview):
		return rules.Outcome{Decision: state.DecidePass, Row: rules.RowWebAccepted, Reason: fmt.Sprintf("with the web the confidence is %.2f", after)}, true
	case a.Kind == state.AttemptWeb:
		o := rules.Outcome{Decision: state.DecideDeliver, Row: rules.RowWebNotAccepted, Reason: fmt.Sprintf("with the web the confidence is only %.2f", after)}
		if reviewOn(s.Settings) {
			o.Decision, o.Priority = state.DecideReview, true
		}
		return o, true
	}
	return rules.Outcome{}, false
}

// holds says whether the claims of an attempt hold as its verification demands: without that nothing passes.
func holds(a state.Attempt, s state.Settings) bool {
	return a.Verification.Outcome == state.OutcomeVerified && rules.AtLeast(a.Verification.Confidence, s.VerifyMin)
}

// score is the confidence of an attempt: scored where that is on, else verified.
func score(a state.Attempt) float64 {
	if a.Confidence != nil {
		return a.Confidence.Total
	}
	return a.Verification.Confidence
}

// compare orders attempts: an abstention is below every answer, one that could not be verified below every verified one,
// one whose claims do not hold below every one whose claims do, whatever it scores; then the confidence counts.
func compare(a, b state.Attempt, s state.Settings) int {
	standing := func(a state.Attempt) int {
		switch {
		case a.Status == state.StatusAbstained:
			return 0
		case a.Verification.Outcome != state.OutcomeVerified:
			return 1
		case !holds(a, s):
			return 2
		default:
			return 3
		}
	}
	return cmp.Or(cmp.Compare(standing(a), standing(b)), cmp.Compare(score(a), score(b)))
}

// best is the attempt that stands highest, the first of equal ones.
func best(attempts []state.Attempt, s state.Settings) state.Attempt {
	return slices.MaxFunc(attempts, func(a, b state.Attempt) int { return compare(a, b, s) })
}
