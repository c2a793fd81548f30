package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
	"github.com/kbagent/kbagent/verify"
)

// Decide is the node decide: it scores the verified answer and decides what becomes of it. An answer that is corrected
// goes back to plan; of all that were written the best is delivered, never just the last.
func (n *Nodes) Decide() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameDecide, func(ctx context.Context, t *turn) error {
		attempt := t.attempt(ctx)
		outcome := t.judgeAnswer(attempt)
		t.update.Decision, t.update.Attempt, t.update.Confidence = &outcome.Decision, &attempt, attempt.Confidence
		d := details{"action": outcome.Decision, "row": outcome.Row, "reason": outcome.Reason, "attempt": attempt.Kind, "attempts": len(t.state.Attempts) + 1}
		if c := attempt.Confidence; c != nil {
			d["confidence"], d["components"], d["missing"] = c.Total, c.Components, c.Missing
		}
		if err := t.audit(ctx, AuditDecide, d); err != nil {
			return err
		}
		return t.follow(ctx, attempt, outcome)
	})
}

// attempt is the answer of this state with what was found out about it.
func (t *turn) attempt(ctx context.Context) state.Attempt {
	s := t.state
	a := state.Attempt{
		Kind: state.AttemptFirst, Answer: s.Answer, Status: s.Status, Citations: s.Citations, Message: s.DraftMessage,
		Verification: *s.Verification, Items: len(s.Context),
	}
	if len(s.Attempts) > 0 {
		a.Kind = state.AttemptCorrect
		if s.Decision == state.DecideWebSearch {
			a.Kind = state.AttemptWeb
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

// judgeAnswer asks the table of decisions. Before it, an answer whose correction is accepted passes as corrected, and one
// from the web that holds as such; one from the web that does not goes to a person.
func (t *turn) judgeAnswer(a state.Attempt) rules.Outcome {
	s := t.state
	spent := s
	spent.Usage = s.Usage.Plus(t.meter.usage())
	if used := rules.OverBudget(spent, t.meter.running()); used != "" || s.StopReason == state.StopBudget {
		t.update.StopReason = new(state.StopBudget)
		return rules.Outcome{Decision: state.DecideDeliver, Row: "budget", Reason: "the budget of the run is used up"}
	}
	if o, ok := acceptance(s, a); ok {
		return o
	}
	situation := rules.Situation{
		Verification: a.Verification, Confidence: a.Confidence, Retrieved: len(s.ToolHistory) > 0 && retrieved(s),
		Corrections: s.Corrections, MaxCorrections: s.Settings.VerifyAttempts, Improved: len(s.Attempts) == 0 || value(a) > value(best(s.Attempts)),
		WebPossible: t.webPossible(), ReviewOn: s.Settings.ReviewMode == state.ReviewProvisional || s.Settings.ReviewMode == state.ReviewBlocking,
		Thresholds: thresholds(s.Settings),
	}
	o := rules.DecideAnswer(situation)
	if o.Decision == state.DecideWebSearch && !t.nodes.cooldown.Use(t.nodes.cfg.Now()) { // another run was faster
		situation.WebPossible = false
		o = rules.DecideAnswer(situation)
	}
	return o
}

func thresholds(s state.Settings) rules.Thresholds {
	th := rules.DefaultThresholds()
	th.Verify, th.Pass, th.Review, th.Correct = s.VerifyMin, s.ConfidencePass, s.ConfidenceReview, s.ConfidenceCorrect
	return th
}

// retrieved says whether anything was found in this run.
func retrieved(s state.AgentState) bool { return len(s.Context)+len(s.Quarantined) > 0 }

// acceptance is the decision on an answer that was corrected or searched for, where the table is not asked.
func acceptance(s state.AgentState, a state.Attempt) (rules.Outcome, bool) {
	if len(s.Attempts) == 0 || a.Confidence == nil || a.Verification.Outcome != state.OutcomeVerified || !holds(a, s) {
		return rules.Outcome{}, false
	}
	before, after := value(best(s.Attempts)), a.Confidence.Total
	switch {
	case a.Kind == state.AttemptCorrect && rules.Accept(before, after):
		return rules.Outcome{
			Decision: state.DecidePass, Row: "correction accepted", Reason: fmt.Sprintf("the correction raised the confidence from %.2f to %.2f", before, after),
		}, true
	case a.Kind == state.AttemptWeb && rules.AtLeast(after, s.Settings.ConfidenceReview):
		return rules.Outcome{Decision: state.DecidePass, Row: "web search accepted", Reason: fmt.Sprintf("with the web the confidence is %.2f", after)}, true
	}
	return rules.Outcome{}, false
}

// holds says whether the claims of an attempt hold as its verification demands: without that nothing passes.
func holds(a state.Attempt, s state.AgentState) bool {
	return rules.AtLeast(a.Verification.Confidence, s.Settings.VerifyMin)
}

// value orders attempts: by confidence, scored where it is on, else verified; an answer that could not be verified is
// below every verified one, an abstention below every answer.
func value(a state.Attempt) float64 {
	switch {
	case a.Status == state.StatusAbstained:
		return -2
	case a.Verification.Outcome != state.OutcomeVerified:
		return -1
	case a.Confidence != nil:
		return a.Confidence.Total
	default:
		return a.Verification.Confidence
	}
}

// best is the attempt of the highest value, the first of equal ones.
func best(attempts []state.Attempt) state.Attempt {
	return slices.MaxFunc(attempts, func(a, b state.Attempt) int {
		switch {
		case value(a) < value(b):
			return -1
		case value(a) > value(b):
			return 1
		}
		return 0
	})
}

// webPossible says whether the run may still search the web.
func (t *turn) webPossible() bool {
	mode := t.state.Settings.WebSearch
	_, ok := t.nodes.cfg.Tools.Lookup("web_search")
	return ok && (mode == state.WebIncorrect || mode == state.WebAmbiguous) && t.state.WebRounds == 0 && t.nodes.cooldown.Ready(t.nodes.cfg.Now())
}

// follow does what was decided.
func (t *turn) follow(ctx context.Context, a state.Attempt, o rules.Outcome) error {
	switch o.Decision {
	case state.DecideSelfCorrect:
		t.update.Targets = new(targets(a.Verification, t.state.Query()))
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

// maxTargets is how many queries a correction makes.
const maxTargets = 3

// targets are the queries of a correction: the claims that lack support, the worst first; without any, the question.
func targets(v state.Verification, question string) []string {
	claims := slices.DeleteFunc(slices.Clone(v.Claims), func(c state.Claim) bool { return c.Verdict == state.ClaimSupported })
	slices.SortStableFunc(claims, func(a, b state.Claim) int {
		switch {
		case a.Score < b.Score:
			return -1
		case a.Score > b.Score:
			return 1
		}
		return 0
	})
	var list []string
	for _, c := range claims[:min(len(claims), maxTargets)] {
		list = append(list, clip(c.Text, 300))
	}
	if len(list) == 0 {
		return []string{question}
	}
	return list
}

// deliver ends the run with the best of its answers.
func (t *turn) deliver(ctx context.Context, last state.Attempt, o rules.Outcome) error {
	chosen := best(append(slices.Clone(t.state.Attempts), last))
	final := state.Final{Answer: chosen.Answer, Citations: chosen.Citations, Message: chosen.Message, Status: t.status(chosen, o)}
	if final.Status == state.StatusAbstained && chosen.Status != state.StatusAbstained {
		final = state.Final{Answer: t.state.Settings.Abstention, Message: t.state.Settings.Abstention, Status: state.StatusAbstained}
	}
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

// status is what the answer is called.
func (t *turn) status(a state.Attempt, o rules.Outcome) state.Status {
	switch {
	case a.Status == state.StatusAbstained:
		return state.StatusAbstained
	case o.Decision != state.DecidePass && t.state.Settings.AnswerMode == state.ModeStrict:
		return state.StatusAbstained
	case o.Decision != state.DecidePass:
		return state.StatusLowConfidence
	case a.Kind == state.AttemptCorrect:
		return state.StatusCorrected
	case a.Kind == state.AttemptWeb:
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

// correction is the calls of the round that mends an answer: for each target, and for one that was searched before, with
// synonyms.
func (t *turn) correction() []state.ToolCall {
	var calls []state.ToolCall
	for _, target := range t.state.Targets {
		call := t.search(target)
		if len(fresh(call, t.state.ToolHistory)) == 0 {
			call = t.search(strings.Join(t.nodes.cfg.Synonyms.Expand(target), " "))
		}
		calls = append(calls, call...)
	}
	return calls
}

// search is one call that looks for a query in a round that mends an answer.
func (t *turn) search(query string) []state.ToolCall {
	p := planning{allowed: t.nodes.cfg.Tools.Only(t.allowed())}
	switch {
	case t.state.Strategy == state.StrategyWeb:
		p.add("web_search", tools.WebSearchArgs{Query: query, K: webResults})
	case t.nodes.cfg.Library.HasVectors():
		p.add("hybrid_search", tools.HybridArgs{Query: query, K: correctionK})
	default:
		p.add("keyword_search", tools.SearchArgs{Query: query, K: correctionK})
	}
	return p.calls
}

const (
	correctionK = 10 // passages that each query of a correction may find, instead of the usual few
	webResults  = 5
)
