package nodes

import (
	"context"
	"slices"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Decide is the node decide: it scores the verified answer and decides what becomes of it. An answer that is corrected
// goes back to plan, or to rerank; of all that were written the best is delivered, never just the last.
func (n *Nodes) Decide() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameDecide, func(ctx context.Context, t *turn) error {
		attempt := t.attempt(ctx)
		outcome, err := t.judgeAnswer(ctx, attempt)
		if err != nil {
			return err
		}
		t.update.Decision, t.update.Attempt, t.update.Confidence = &outcome.Decision, &attempt, attempt.Confidence
		d := details{"action": outcome.Decision, "row": outcome.Row, "reason": outcome.Reason, "attempt": attempt.Kind, "attempts": len(t.state.Attempts) + 1}
		if outcome.Priority {
			d["priority"] = "high"
		}
		if outcome.Decision == state.DecideSelfCorrect {
			t.chooseMending(attempt)
			d["mending"] = *t.update.Mending
		}
		if c := attempt.Confidence; c != nil {
			d["confidence"], d["components"], d["missing"] = c.Total, c.Components, c.Missing
		}
		if err := t.audit(ctx, AuditDecide, d); err != nil {
			return err
		}
		return t.follow(ctx, attempt, outcome)
	})
}

// judgeAnswer asks the table of decisions. Before it, an answer whose correction is accepted passes as corrected, and one
// from the web that holds as such; one from the web that does not goes to a person. With a used-up budget an answer is
// judged like any other, but nothing is done to mend it.
func (t *turn) judgeAnswer(ctx context.Context, a state.Attempt) (rules.Outcome, error) {
	s := t.state
	if o, ok := acceptance(s, a); ok {
		return o, nil
	}
	situation := rules.Situation{
		Verification: a.Verification, Confidence: a.Confidence, Retrieved: len(s.ToolHistory) > 0 && retrieved(s),
		Corrections: s.Corrections, MaxCorrections: s.Settings.VerifyAttempts, Improved: t.improved(a),
		WebPossible: t.webPossible(), ReviewOn: reviewOn(s.Settings), Thresholds: thresholds(s.Settings),
	}
	o := rules.DecideAnswer(situation)
	if used := t.overBudget(); used != "" && mends(o) {
		t.update.StopReason = new(state.StopBudget)
		t.warn("the budget of the run is used up (%s); this is the best answer so far", used)
		if err := t.audit(ctx, AuditBudget, details{"used": used, "action": o.Decision}); err != nil {
			return o, err
		}
		situation.MaxCorrections, situation.WebPossible = s.Corrections, false
		return rules.DecideAnswer(situation), nil
	}
	if o.Decision == state.DecideWebSearch && !t.takeWeb() { // another run was faster
		situation.WebPossible = false
		o = rules.DecideAnswer(situation)
	}
	return o, nil
}

// mends says whether an outcome leads to another answer.
func mends(o rules.Outcome) bool {
	return o.Decision == state.DecideSelfCorrect || o.Decision == state.DecideWebSearch
}

// overBudget names the limit of the run that is used up, or is "".
func (t *turn) overBudget() string {
	s := t.state
	s.Usage = s.Usage.Plus(t.meter.usage())
	return rules.OverBudget(s, t.meter.running())
}

func reviewOn(s state.Settings) bool {
	return s.ReviewMode == state.ReviewProvisional || s.ReviewMode == state.ReviewBlocking
}

func thresholds(s state.Settings) rules.Thresholds {
	th := rules.DefaultThresholds()
	th.Verify, th.Pass, th.Review, th.Correct = s.VerifyMin, s.ConfidencePass, s.ConfidenceReview, s.ConfidenceCorrect
	th.Floors = rules.Floors(s.Floors)
	return th
}

// retrieved says whether anything was found in this run.
func retrieved(s state.AgentState) bool { return len(s.Context)+len(s.Quarantined) > 0 }

// follow does what was decided.
func (t *turn) follow(ctx context.Context, a state.Attempt, o rules.Outcome) error {
	switch o.Decision {
	case state.DecideSelfCorrect:
		if *t.update.Mending == state.MendRerank {
			return t.fire(ctx, rules.EventRerank)
		}
		return t.fire(ctx, rules.EventCorrect)
	case state.DecideWebSearch:
		t.update.Targets = &[]string{t.state.Query()}
		t.update.Strategy = new(state.StrategyWeb)
		return t.fire(ctx, rules.EventWeb)
	case state.DecideReview:
		return t.fire(ctx, rules.EventReview)
	}
	return t.deliver(ctx, a, o)
}

// deliver ends the run with an answer that passes, or else with the best of all.
func (t *turn) deliver(ctx context.Context, last state.Attempt, o rules.Outcome) error {
	chosen := last
	if o.Decision != state.DecidePass {
		chosen = best(append(slices.Clone(t.state.Attempts), last), t.state.Settings)
	}
	final := t.final(chosen, o)
	t.update.Verification, t.update.Confidence = &chosen.Verification, chosen.Confidence
	if final.Answer != last.Answer {
		graph.Emit(ctx, Restart{})
		graph.Emit(ctx, Token{Text: final.Answer})
	}
	t.label(final.Status, o)
	t.update.Final = &final
	event := rules.EventDeliver
	if o.Decision == state.DecidePass {
		event = rules.EventPass
	}
	if err := t.fire(ctx, event); err != nil {
		return err
	}
	return t.auditRunEnd(ctx, final)
}

// final is an attempt as it ends the run: where its status is an abstention, it does not go out.
func (t *turn) final(a state.Attempt, o rules.Outcome) state.Final {
	f := state.Final{Answer: a.Answer, Citations: a.Citations, Message: a.Message, Status: t.status(a, o)}
	if f.Status == state.StatusAbstained && a.Status != state.StatusAbstained {
		return abstention(t.state.Settings)
	}
	return f
}

func abstention(s state.Settings) state.Final {
	return state.Final{Answer: s.Abstention, Message: s.Abstention, Status: state.StatusAbstained}
}

// status is what the answer is called.
func (t *turn) status(a state.Attempt, o rules.Outcome) state.Status {
	switch {
	case a.Status == state.StatusAbstained:
		return state.StatusAbstained
	case o.Decision == state.DecideDeliver && o.Row == rules.RowNothingRetrieved: // the model's own knowledge, in the mode open
		return state.StatusAbstained
	case o.Decision != state.DecidePass && t.state.Settings.AnswerMode == state.ModeStrict:
		return state.StatusAbstained
	case o.Decision != state.DecidePass:
		return state.StatusLowConfidence
	case o.Row == rules.RowCorrectionAccepted, a.Kind == state.AttemptCorrect && a.Confidence == nil:
		return state.StatusCorrected
	case o.Row == rules.RowWebAccepted:
		return state.StatusWebSearch
	default:
		return state.StatusPass
	}
}

// label tells the person who asked how sure the answer is.
func (t *turn) label(status state.Status, o rules.Outcome) {
	switch status {
	case state.StatusLowConfidence:
		t.warn("low confidence: %s", o.Reason)
	case state.StatusAbstained:
		t.warn("no answer is given, since none was certain enough: %s", o.Reason)
	}
}
