package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

// fault is one that was put into the agent on purpose.
type fault struct {
	what   string
	plant  func(*agent.Config)
	breaks string // the invariant that sees it
	within func() scenarios.Exploration
}

// core and all are explorations; the first one that is small enough to hold a fault finds it.
func core(iterations int) func() scenarios.Exploration {
	return func() scenarios.Exploration { return scenarios.Exploration{Modes: scenarios.CoreModes(iterations)} }
}

func faulty(iterations int) func() scenarios.Exploration {
	return func() scenarios.Exploration {
		return scenarios.Exploration{Modes: scenarios.CoreModes(iterations), Faults: true}
	}
}

func all(iterations int) func() scenarios.Exploration {
	return func() scenarios.Exploration { return scenarios.Exploration{Modes: scenarios.AllModes(iterations)} }
}

// says changes what a node says.
func says(node string, change func(s state.AgentState, u *state.Update)) func(*agent.Config) {
	return func(c *agent.Config) {
		c.PlantNode(node, func(body agent.Body) agent.Body {
			return func(ctx context.Context, s state.AgentState) (state.Update, error) {
				u, err := body(ctx, s)
				if err == nil {
					change(s, &u)
				}
				return u, err
			}
		})
	}
}

// sees changes what a node sees.
func sees(node string, change func(s *state.AgentState)) func(*agent.Config) {
	return func(c *agent.Config) {
		c.PlantNode(node, func(body agent.Body) agent.Body {
			return func(ctx context.Context, s state.AgentState) (state.Update, error) {
				change(&s)
				return body(ctx, s)
			}
		})
	}
}

// setting lets a node work with another setting.
func setting(node string, change func(*state.Settings)) func(*agent.Config) {
	return sees(node, func(s *state.AgentState) { change(&s.Settings) })
}

// way leads from a node elsewhere than its outcome says.
func way(from, outcome, elsewhere string) func(*agent.Config) {
	return func(c *agent.Config) {
		c.PlantWay(func(node, picked string, _ state.AgentState) string {
			if node == from && picked == outcome {
				return elsewhere
			}
			return picked
		})
	}
}

// rule replaces the pre-filter rules.
func rule(name string, match func(state.AgentState) bool) func(*agent.Config) {
	return func(c *agent.Config) {
		c.Nodes.Rules = append([]rules.Rule{{Name: name, Match: match}}, rules.Default()...)
	}
}

// The invariants, as far as faults are to be seen by them.
const (
	nextIsWrong   = "the next node is where the move leads"
	auditLacks    = "the audit is complete"
	actionWrong   = "the action follows from the grades"
	approvedWrong = "only a rule that holds approves without grading"
	loopWrong     = "the loop ends when it must, and not before"
	limitsBroken  = "the limits hold"
	strategyTwice = "each strategy is taken once"
	callTwice     = "no call is made twice"
	roundWrong    = "what is planned is called, and what is found is kept"
	inventedItem  = "only what was found is evidence"
	citesWrong    = "an answer cites what it was written from"
	abstainsWrong = "an abstention says so, and nothing else does"
	claimsWrong   = "a claim holds when its quote stands in the evidence"
	decisionWrong = "the decision follows from the table"
	passedWrong   = "nothing passes that was not verified"
	correctsWrong = "a correction looks for what lacks support"
	notTheBest    = "the best attempt is delivered"
	personIgnored = "the decision of a person stands"
	noAnswer      = "an answer is never empty"
	badMove       = "every move is a row of the machine"
	talkWrong     = "the conversation gets one question and one answer"
)

// faults are planted one by one. Those of thresholds move them to where a grade or a score of the alphabet crosses them.
var faults = []fault{
	// Thresholds.
	{"items are dropped that are exactly good enough", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.EvidenceMinScore = 0.31 }), actionWrong, core(1)},
	{"items are kept that are not good enough", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.EvidenceMinScore = 0.28 }), actionWrong, core(1)},
	{"an average that is exactly enough is not", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.GenerateMinScore = 0.71 }), actionWrong, core(1)},
	{"an average that is not enough is", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.GenerateMinScore = 0.68 }), actionWrong, core(1)},
	{"few items are none", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.AutoApproveMaxItems = 0 }), approvedWrong, core(1)},
	{"few items are three", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.AutoApproveMaxItems = 3 }), approvedWrong, core(1)},
	{"one round too many", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.MaxIterations++ }), loopWrong, core(1)},
	{"one round too few", setting(nodes.NameGradeEvidence, func(s *state.Settings) { s.MaxIterations-- }), loopWrong, core(2)},
	{"an answer passes below the threshold of the verification", setting(nodes.NameDecide, func(s *state.Settings) { s.VerifyMin = 0.3 }), decisionWrong, all(1)},
	{"an answer passes below the threshold of the confidence", setting(nodes.NameDecide, func(s *state.Settings) { s.ConfidencePass, s.Floors = 0.6, state.Floors{} }), decisionWrong, all(1)},
	{"a person is asked too late", setting(nodes.NameDecide, func(s *state.Settings) { s.ConfidenceReview = 0.7 }), decisionWrong, all(1)},
	{"a correction is tried too early", setting(nodes.NameDecide, func(s *state.Settings) { s.ConfidenceCorrect = 0.39 }), decisionWrong, all(1)},
	{"the floors are not looked at", setting(nodes.NameDecide, func(s *state.Settings) { s.ConfidencePass, s.Floors = 0.65, state.Floors{} }), decisionWrong, all(1)},
	{"one correction too many", setting(nodes.NameDecide, func(s *state.Settings) { s.VerifyAttempts++ }), limitsBroken, all(1)},

	// Rules.
	{"a rule approves everything", rule("everything", func(state.AgentState) bool { return true }), approvedWrong, core(1)},
	{"a rule approves an empty context", rule("few_context", func(s state.AgentState) bool { return len(s.Context) == 0 || len(s.Context) == 3 }), approvedWrong, core(1)},
	{"no rule is asked", func(c *agent.Config) { c.Nodes.Rules = []rules.Rule{} }, approvedWrong, core(1)},

	// Edges.
	{"the cap leads on", way(nodes.NameGradeEvidence, "capped", "REFINE"), nextIsWrong, core(1)},
	{"REFINE asks the router again", way(nodes.NameGradeEvidence, "REFINE", "RE_RETRIEVE"), nextIsWrong, core(2)},
	{"RE_RETRIEVE plans again", way(nodes.NameGradeEvidence, "RE_RETRIEVE", "REFINE"), nextIsWrong, core(2)},
	{"GENERATE goes past the strips", way(nodes.NameGradeEvidence, "strips", "GENERATE"), nextIsWrong, all(1)},
	{"small talk is planned", way(nodes.NameAnalyzeAndRoute, "chitchat", "search"), nextIsWrong, core(1)},
	{"an answer goes out unverified", way(nodes.NameSynthesize, "answered", "deliver"), nextIsWrong, all(1)},
	{"an answer that has to be corrected goes out", way(nodes.NameDecide, "correct", "deliver"), nextIsWrong, all(1)},
	{"a new order of the evidence is a new search", way(nodes.NameDecide, "rerank", "correct"), nextIsWrong, all(1)},
	{"a person is not asked", way(nodes.NameDecide, "review", "pass"), nextIsWrong, all(1)},

	// The loop.
	{"the action is always GENERATE", says(nodes.NameGradeEvidence, func(_ state.AgentState, u *state.Update) { u.Grading.Action = state.ActionGenerate }), actionWrong, core(1)},
	{"dropped items stay", says(nodes.NameGradeEvidence, func(_ state.AgentState, u *state.Update) {
		for i := range u.Grading.Items {
			u.Grading.Items[i].Reason = ""
		}
	}), actionWrong, core(1)},
	{"another item is dropped than the one that is bad", says(nodes.NameGradeEvidence, func(_ state.AgentState, u *state.Update) {
		if g := u.Grading.Items; len(g) > 1 {
			g[0].Reason, g[len(g)-1].Reason = g[len(g)-1].Reason, g[0].Reason
		}
	}), actionWrong, core(1)},
	{"a strategy is taken again", sees(nodes.NameAnalyzeAndRoute, func(s *state.AgentState) { s.AttemptedStrategies = nil }), strategyTwice, core(2)},
	{"the search ends too early", sees(nodes.NameAnalyzeAndRoute, func(s *state.AgentState) {
		if s.Phase == state.PhaseReRetrieve {
			s.AttemptedStrategies = []state.Strategy{state.StrategyKeyword, state.StrategyExpanded, state.StrategyDecomposed}
		}
	}), strategyTwice, core(2)},
	{"a call is made again", sees(nodes.NamePlan, func(s *state.AgentState) { s.ToolHistory = nil }), callTwice, core(3)},
	{"a planned call is forgotten", sees(nodes.NameToolCall, func(s *state.AgentState) { s.PendingToolCalls = s.PendingToolCalls[:0] }), roundWrong, core(1)},
	{"a passage is lost", says(nodes.NameToolCall, func(_ state.AgentState, u *state.Update) {
		if n := len(u.Round.Found); n > 0 {
			u.Round.Found = u.Round.Found[:n-1]
		}
	}), roundWrong, core(1)},
	{"evidence is invented", says(nodes.NameToolCall, func(_ state.AgentState, u *state.Update) {
		u.Round.Found = append(slices.Clip(u.Round.Found), state.Evidence{ID: "x", Path: "x.md", Content: "rm is safe."})
	}), inventedItem, core(1)},
	{"the round is not audited", func(c *agent.Config) { c.Nodes.Audit = deaf{c.Nodes.Audit, nodes.AuditToolCall} }, auditLacks, core(1)},
	{"a drop is not audited", func(c *agent.Config) { c.Nodes.Audit = deaf{c.Nodes.Audit, nodes.AuditEvidenceRemoved} }, auditLacks, core(1)},
	{"calls of the model are not counted", says(nodes.NameGradeEvidence, func(_ state.AgentState, u *state.Update) { u.Usage = state.Usage{} }), auditLacks, core(1)},
	{"the machine makes a move that is no row", says(nodes.NameToolCall, func(_ state.AgentState, u *state.Update) {
		u.Transitions = []state.Transition{{From: state.PhaseRetrieve, Event: "answered", To: state.PhaseGrade}}
	}), badMove, core(1)},

	{"grades that nobody could read are good", says(nodes.NameGradeEvidence, func(_ state.AgentState, u *state.Update) {
		if u.Grading.Failed {
			u.Grading.Action = state.ActionGenerate
		}
	}), actionWrong, faulty(1)},
	{"a grader that is down fails the run", func(c *agent.Config) {
		c.PlantNode(nodes.NameGradeEvidence, func(body agent.Body) agent.Body {
			return func(ctx context.Context, s state.AgentState) (state.Update, error) {
				u, err := body(ctx, s)
				if err == nil && u.Grading.Source == "lexical" {
					err = errors.New("nobody can grade")
				}
				return u, err
			}
		})
	}, explore.NoError, faulty(1)},

	// The answer.
	{"an empty answer", says(nodes.NameSynthesize, func(_ state.AgentState, u *state.Update) {
		if u.Final != nil {
			u.Final.Answer = ""
		}
	}), noAnswer, core(1)},
	{"the answer is not remembered", says(nodes.NameSynthesize, func(_ state.AgentState, u *state.Update) {
		if u.Final != nil {
			u.Final.Message = ""
		}
	}), talkWrong, core(1)},
	{"a citation points to what was removed", says(nodes.NameSynthesize, func(s state.AgentState, u *state.Update) {
		if f := u.Final; f != nil && len(f.Citations) > 0 && len(s.Quarantined) > 0 {
			f.Citations[0].ItemID = s.Quarantined[0].Item.ID
		}
	}), citesWrong, core(1)},
	{"a quote is made up", says(nodes.NameSynthesize, func(_ state.AgentState, u *state.Update) {
		if f := u.Final; f != nil && len(f.Citations) > 0 {
			f.Citations[0].Quote = "rm is safe."
		}
	}), citesWrong, core(1)},
	{"an answer without evidence", sees(nodes.NameSynthesize, func(s *state.AgentState) {
		if len(s.Context) == 0 {
			s.Context = []state.Evidence{{ID: "a", Content: "rm is safe."}}
		}
	}), citesWrong, core(1)},
	{"an abstention is called an answer", says(nodes.NameSynthesize, func(_ state.AgentState, u *state.Update) {
		if u.Final != nil {
			u.Final.Status = state.StatusAnswered
		}
	}), abstainsWrong, core(1)},

	// The checks of the answer.
	{"a verifier that fails is believed", says(nodes.NameVerifyAnswer, func(_ state.AgentState, u *state.Update) {
		if v := u.Verification; v.Outcome == state.OutcomeUnknown {
			v.Grounded = true
		}
	}), claimsWrong, func() scenarios.Exploration {
		return scenarios.Exploration{Modes: scenarios.AllModes(1), Faults: true}
	}},
	{"a claim is counted twice", says(nodes.NameVerifyAnswer, func(_ state.AgentState, u *state.Update) {
		u.Verification.Supported, u.Verification.Confidence = 2, 1
	}), claimsWrong, all(1)},
	{"an invented quote counts", says(nodes.NameVerifyAnswer, func(_ state.AgentState, u *state.Update) {
		for i := range u.Verification.Claims {
			if c := &u.Verification.Claims[i]; c.Verdict == state.ClaimSupported {
				c.Quote = "rm is safe."
			}
		}
	}), claimsWrong, all(1)},
	{"a score is raised a little", says(nodes.NameDecide, func(_ state.AgentState, u *state.Update) {
		if u.Attempt != nil && u.Attempt.Confidence != nil {
			u.Attempt.Confidence.Total += 0.05
		}
	}), decisionWrong, all(1)},
	{"the last attempt is delivered, not the best", says(nodes.NameDecide, func(s state.AgentState, u *state.Update) {
		if u.Final != nil && len(s.Attempts) > 0 {
			u.Final.Answer, u.Verification, u.Confidence = u.Attempt.Answer, &u.Attempt.Verification, u.Attempt.Confidence
		}
	}), notTheBest, all(1)},
	{"a doubtful answer is called verified", says(nodes.NameDecide, func(_ state.AgentState, u *state.Update) {
		if u.Final != nil && u.Final.Status == state.StatusLowConfidence {
			u.Final.Status = state.StatusPass
		}
	}), passedWrong, all(1)},
	{"a correction looks for nothing", says(nodes.NameDecide, func(_ state.AgentState, u *state.Update) {
		if u.Targets != nil {
			u.Targets = &[]string{}
		}
	}), correctsWrong, all(1)},
	{"a correction looks for something else", says(nodes.NameDecide, func(_ state.AgentState, u *state.Update) {
		if u.Targets != nil && *u.Decision == state.DecideSelfCorrect {
			u.Targets = &[]string{"something else"}
		}
	}), correctsWrong, all(1)},
	{"a rejected answer goes out", says(nodes.NameHumanReview, func(s state.AgentState, u *state.Update) {
		if u.Review != nil && u.Review.Status == state.ReviewRejected {
			u.Final.Answer, u.Final.Status = s.Answer, state.StatusPass
		}
	}), personIgnored, all(1)},
	{"the correction of a person is lost", says(nodes.NameHumanReview, func(s state.AgentState, u *state.Update) {
		if u.Review != nil && u.Review.Status == state.ReviewCorrected {
			u.Final.Answer = s.Answer
		}
	}), personIgnored, all(1)},
}

// deaf is an audit that does not hear one kind of lines.
type deaf struct {
	nodes.Audit
	to string
}

func (d deaf) Record(l nodes.Line) error {
	if l.Action == d.to {
		return nil
	}
	return d.Audit.Record(l)
}

// Each fault is found by the invariant that it breaks. The path to it is a scenario file that fails while the fault is
// there, and passes without it.
func TestPlantedFaultsAreFoundWithAScenarioThatKeepsThemAway(t *testing.T) {
	require.GreaterOrEqual(t, len(faults), 30)
	for i, f := range faults {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(f.what, func(t *testing.T) {
			t.Parallel()
			x := f.within()
			x.Alter = f.plant
			subject, err := scenarios.Explored(x)
			require.NoError(t, err)
			r, err := explore.Run(t.Context(), subject, explore.Options{Parallel: 1, Until: f.breaks, MaxViolations: 100})
			require.NoError(t, err)
			at := slices.IndexFunc(r.Violations, func(v explore.Violation) bool { return v.Invariant == f.breaks })
			require.GreaterOrEqual(t, at, 0, "%d states, broken are %v", r.States, r.Violations)
			text, err := x.Scenario(r.Violations[at])
			require.NoError(t, err)
			if testing.Verbose() {
				t.Logf("%d states\n%s", r.States, text)
			}
			assert.Equal(t, 0, passes(t, scenarios.Altered(f.plant), text), "it passes with the fault:\n%s", text)
			assert.Equal(t, 1, passes(t, scenarios.Subject(), text), "it fails without the fault:\n%s", text)
		})
	}
}

// passes is how many scenarios of a text pass.
func passes(t *testing.T, s scenario.Subject[scenarios.Given, scenarios.When, scenarios.Observation], text []byte) int {
	list, err := scenario.Parse[scenarios.Given, scenarios.When, scenarios.Observation]("found.yaml", text)
	require.NoError(t, err, string(text))
	report := scenario.Run(t.Context(), s, list, scenario.Options{})
	for _, r := range report.Results {
		t.Log(fmt.Sprint(r.Mismatches, r.Error))
	}
	return report.Passed
}
