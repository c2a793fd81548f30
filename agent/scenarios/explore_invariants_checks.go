package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// claimsHold counts the claims of a verification again.
func claimsHold(t transition) error {
	v := t.To.Verification
	if !ran(t, nodes.NameVerifyAnswer) || v == nil {
		return nil
	}
	if v.Outcome != state.OutcomeVerified {
		if v.Grounded || v.Confidence > 0 || v.Supported > 0 {
			return fmt.Errorf("the outcome is %s, and it is grounded: %+v", v.Outcome, *v)
		}
		return nil
	}
	items := t.From.Context
	for _, q := range t.From.Quarantined {
		items = append(slices.Clip(items), q.Item)
	}
	var supported, unsupported int
	for _, c := range v.Claims {
		switch c.Verdict {
		case state.ClaimSupported:
			supported++
			if c.Quote == "" || !slices.ContainsFunc(items, func(e state.Evidence) bool { return strings.Contains(e.Content, c.Quote) }) {
				return fmt.Errorf("%q is supported by %q, which no evidence holds", c.Text, c.Quote)
			}
		case state.ClaimUnsupported:
			unsupported++
		}
	}
	want := float64(supported)/float64(max(len(v.Claims), 1)) - 0.1*float64(unsupported)
	if unsupported == 0 {
		want += 0.1
	}
	want = min(max(want, 0), 1)
	if v.Supported != supported || v.Checked != len(v.Claims) || math.Abs(v.Confidence-want) > 1e-9 {
		return fmt.Errorf("%d of %d claims are supported, %d are not; it says %+v", supported, len(v.Claims), unsupported, *v)
	}
	return nil
}

// decisionFollows decides again about an answer.
func decisionFollows(t transition) error {
	from, to := t.From, t.To
	if !ran(t, nodes.NameDecide) {
		return nil
	}
	if len(to.Attempts) != len(from.Attempts)+1 {
		return fmt.Errorf("%d answers were decided about", len(to.Attempts)-len(from.Attempts))
	}
	a := to.Attempts[len(to.Attempts)-1]
	if a.Confidence != nil {
		if total := totalOf(a.Confidence.Components); math.Abs(total-a.Confidence.Total) > 1e-9 {
			return fmt.Errorf("the confidence is %v, its components make %v", a.Confidence.Total, total)
		}
	}
	if from.Settings.MaxLLMCalls > 0 {
		return nil // the budget may forbid what the table says
	}
	if want := decided(from, a); to.Decision != want {
		return fmt.Errorf("%s, not %s: verification %+v, confidence %+v, %d corrections, web rounds %d", to.Decision, want, a.Verification, a.Confidence, from.Corrections, from.WebRounds)
	}
	return nil
}

// totalOf weighs the components that there are.
func totalOf(c state.Components) float64 {
	var sum, weights float64
	for _, d := range []struct {
		value  *float64
		weight float64
	}{{c.Relevance, .25}, {c.Consistency, .2}, {c.Grounding, .25}, {c.Completeness, .15}, {c.Classification, .15}} {
		if d.value != nil {
			sum, weights = sum+*d.value*d.weight, weights+d.weight
		}
	}
	return sum / weights
}

// decided is what becomes of an answer.
func decided(s state.AgentState, a state.Attempt) state.Decision {
	person := state.DecideDeliver
	if s.Settings.ReviewMode != "" && s.Settings.ReviewMode != state.ReviewOff {
		person = state.DecideReview
	}
	cfg, v := s.Settings, a.Verification
	holds := v.Outcome == state.OutcomeVerified && atLeast(v.Confidence, cfg.VerifyMin)
	switch mendable := s.Corrections < cfg.VerifyAttempts; {
	case v.Outcome != state.OutcomeVerified:
		return person
	case a.Confidence == nil && holds:
		return state.DecidePass
	case a.Confidence == nil && mendable && (len(s.Attempts) == 0 || betterThanAll(s, a)):
		return state.DecideSelfCorrect
	case a.Confidence == nil:
		return state.DecideDeliver
	case a.Kind == state.AttemptCorrect && holds && atLeast(a.Confidence.Total, 0.65) && atLeast(a.Confidence.Total-scoreOf(bestAttempt(s)), 0.05):
		return state.DecidePass
	case a.Kind == state.AttemptWeb && holds && atLeast(a.Confidence.Total, cfg.ConfidenceReview):
		return state.DecidePass
	case a.Kind == state.AttemptWeb:
		return person
	case holds && atLeast(a.Confidence.Total, cfg.ConfidencePass) && overFloors(a.Confidence.Components, cfg.Floors):
		return state.DecidePass
	case holds && atLeast(a.Confidence.Total, cfg.ConfidenceReview):
		return person
	case mendable && atLeast(a.Confidence.Total, cfg.ConfidenceCorrect):
		return state.DecideSelfCorrect
	case !atLeast(a.Confidence.Total, cfg.ConfidenceCorrect) && cfg.WebSearch != state.WebOff && s.WebRounds == 0:
		return state.DecideWebSearch
	default:
		return person
	}
}

func bestAttempt(s state.AgentState) state.Attempt {
	return slices.MaxFunc(s.Attempts, func(a, b state.Attempt) int { return compareAttempts(a, b, s.Settings) })
}

func betterThanAll(s state.AgentState, a state.Attempt) bool {
	return compareAttempts(a, bestAttempt(s), s.Settings) > 0
}

func overFloors(c state.Components, f state.Floors) bool {
	over := func(x *float64, floor float64) bool { return x == nil || *x > floor+1e-9 }
	return c.Grounding != nil && over(c.Relevance, f.Relevance) && over(c.Grounding, f.Grounding) && over(c.Consistency, f.Consistency) && over(c.Completeness, f.Completeness)
}

// corrects says whether a correction looks for the claims that are not supported, or for the question when all are.
func corrects(t transition) error {
	s := t.To
	if ran(t, nodes.NameDecide) && s.Decision == state.DecideSelfCorrect {
		open := openClaims(*t.From.Verification)
		if len(open) == 0 {
			open = []string{s.Query()}
		}
		if len(s.Targets) == 0 || len(s.Targets) < min(len(open), 3) || s.Corrections != t.From.Corrections+1 {
			return fmt.Errorf("correction %d looks for %q, open are %q", s.Corrections, s.Targets, open)
		}
		for _, target := range s.Targets {
			if !slices.Contains(open, target) {
				return fmt.Errorf("it looks for %q, open are %q", target, open)
			}
		}
	}
	if ran(t, nodes.NamePlan) && s.Correcting() && len(s.PendingToolCalls) == 0 && len(t.From.ToolHistory) == 0 {
		return errors.New("a correction without a search")
	}
	return nil
}

func passed(s state.AgentState) error {
	cfg, v := s.Settings, s.Verification
	if s.Review != nil && s.Review.Status != state.ReviewPending {
		return nil // what a person has decided stands
	}
	switch s.Status {
	case state.StatusAnswered:
		if cfg.Verify && s.Route != state.RouteChitchat {
			return errors.New("the answer went out as if nobody had wanted it verified")
		}
	case state.StatusPass, state.StatusCorrected, state.StatusWebSearch:
		if v == nil || v.Outcome != state.OutcomeVerified || !atLeast(v.Confidence, cfg.VerifyMin) {
			return fmt.Errorf("%s with the verification %+v", s.Status, v)
		}
		if c := s.Confidence; cfg.ScoreConfidence && (c == nil || !atLeast(c.Total, cmp.Or(cfg.ConfidenceReview, 0.65))) {
			return fmt.Errorf("%s with the confidence %+v", s.Status, c)
		}
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
	if best := bestAttempt(s); compareAttempts(best, s.Attempts[at], s.Settings) > 0 {
		return fmt.Errorf("an answer of %.2f was delivered, there is a better one of %.2f", scoreOf(s.Attempts[at]), scoreOf(best))
	}
	return nil
}

// personDecides compares the end of a run with what a person has decided.
func personDecides(t transition) error {
	s := t.To
	if !ran(t, nodes.NameHumanReview) || s.Review == nil {
		return nil
	}
	best := bestAttempt(s)
	want, status := best.Answer, state.StatusPass
	switch s.Review.Status {
	case state.ReviewCorrected:
		want, status = s.Review.Corrected, state.StatusCorrected
	case state.ReviewRejected:
		want, status = s.Settings.Abstention, state.StatusAbstained
	case state.ReviewPending:
		status = state.StatusPendingReview
	}
	if s.Answer != want || s.Status != status {
		return fmt.Errorf("a person said %s: %s %q went out, not %s %q", s.Review.Status, s.Status, s.Answer, status, want)
	}
	return nil
}
