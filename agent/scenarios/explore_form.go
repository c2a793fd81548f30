package scenarios

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// canonical is what of a state decides how its run goes on, and nothing else. What each node has left behind counts for
// as long as a later one reads it:
//
//   - of the loop for evidence, while it goes on: the iteration, the strategies, whether a round was empty;
//   - of the evidence: which passages are kept, in their order; their grades do not count, since each round grades anew;
//     of the removed ones whether there are any, and while they may be ordered anew, which;
//   - of the calls that were made: those that the built-in planner or a correction could make again;
//   - of the answer: what it is until it is checked, and then how it stands; of the earlier ones, how the best one stands;
//   - of the limits: the corrections, the round of web search, the rounds whose grades could not be read, the model calls
//     when there is a budget of them.
//
// Left out are texts, costs, durations, warnings, the category and the confidence of the route, the evaluation: nodes only
// pass them on. explore.JoinedAlike compares states that were joined.
func canonical(s state.AgentState) any {
	var b strings.Builder
	put := func(name string, value any) { fmt.Fprintf(&b, "%s=%v ", name, value) }
	last := lastNode(s)
	put("mode", modeOf(s.Settings))
	put("behind", last)
	put("phase", s.Phase)
	if s.Finished() {
		put("status", s.Status)
		return b.String()
	}
	looping := !s.Correcting() && loops(s.Phase)
	if looping {
		put("iteration", s.Iteration)
		put("strategies", s.AttemptedStrategies)
		put("parts", len(s.SubQueries) > 1)
		put("empty", emptyRounds(s, last))
	} else {
		put("limited", limited(s))
	}
	put("chitchat", s.Route == state.RouteChitchat)
	put("vague", len(rules.Keywords(s.Query())) == 0)
	put("kept", idsOf(s.Context))
	put("removed", removedThatCount(s))
	put("calls", callsMade(s))
	if last == nodes.NamePlan {
		put("pending", pendingCalls(s))
	}
	put("failures", failuresThatCount(s))
	put("web", s.WebRounds)
	if s.Settings.MaxLLMCalls > 0 {
		put("model calls", s.Usage.LLMCalls)
		put("stop", s.StopReason)
	}
	putAnswer(put, s, last)
	return b.String()
}

// putAnswer adds what counts of the answers.
func putAnswer(put func(string, any), s state.AgentState, last string) {
	if last == nodes.NameSynthesize || last == nodes.NameVerifyAnswer {
		put("status", s.Status)
	}
	mends := s.Corrections < s.Settings.VerifyAttempts // then the claims are what is searched for
	if last == nodes.NameSynthesize && s.Status != state.StatusAbstained {
		claims := verify.Claims(s.Answer)
		put("claims", min(len(claims), 2))
		if mends {
			put("texts", claims)
		}
	}
	if v := s.Verification; v != nil && last == nodes.NameVerifyAnswer {
		put("verified", []any{v.Outcome, rules.AtLeast(v.Confidence, s.Settings.VerifyMin), v.Supported == v.Checked})
		if mends {
			put("open claims", openClaims(*v))
		}
	}
	if s.Correcting() {
		put("corrections", s.Corrections)
		put("decision", s.Decision)
		put("best", bestOf(s))
		put("reranked", reranked(s))
	}
	if last == nodes.NameDecide {
		put("targets", s.Targets)
		put("mending", s.Mending)
	}
	if s.Review != nil {
		put("review", s.Review.Status)
	}
}

// lastNode is the node that ran last; "" before the first one.
func lastNode(s state.AgentState) string {
	if len(s.Path) == 0 {
		return ""
	}
	return s.Path[len(s.Path)-1]
}

// loops says whether a phase is one of the loop for evidence.
func loops(p state.Phase) bool {
	return slices.Contains([]state.Phase{state.PhaseRoute, state.PhaseRetrieve, state.PhaseGrade, state.PhaseRefine, state.PhaseReRetrieve}, p)
}

// limited says whether a limit has ended the loop: then an answer may be written from what grading had removed.
func limited(s state.AgentState) bool {
	return s.StopReason == state.StopMaxIterations || s.StopReason == state.StopBudget
}

// emptyRounds says whether an earlier round had no calls, and whether the present one has none: a round is compared with
// those before it, and no call is made twice.
func emptyRounds(s state.AgentState, last string) [2]bool {
	var empty [2]bool
	for n := 1; n < s.Rounds; n++ {
		empty[0] = empty[0] || len(s.Round(n)) == 0
	}
	current := s.Rounds > 0 && len(s.Round(s.Rounds)) == 0
	if last == nodes.NameToolCall {
		empty[1] = current
	} else {
		empty[0] = empty[0] || current
	}
	return empty
}

func idsOf(items []state.Evidence) []string {
	ids := make([]string, len(items))
	for i, e := range items {
		ids[i] = e.ID
	}
	return ids
}

// openClaims are the claims that a correction would look for.
func openClaims(v state.Verification) []string {
	var texts []string
	for _, c := range v.Claims {
		if c.Verdict != state.ClaimSupported {
			texts = append(texts, c.Text)
		}
	}
	return texts
}

// bestOf is what of the earlier answers still matters: how good the best one is.
func bestOf(s state.AgentState) any {
	a := slices.MaxFunc(s.Attempts, func(a, b state.Attempt) int { return compareAttempts(a, b, s.Settings) })
	form := []any{standing(a, s.Settings), rounded(scoreOf(a))}
	if a.Confidence == nil {
		form = append(form, a.Kind)
	}
	return form
}

// standing is the class of an answer: an abstention, one that could not be verified, one whose claims do not hold, one
// whose claims do.
func standing(a state.Attempt, cfg state.Settings) int {
	switch {
	case a.Status == state.StatusAbstained:
		return 0
	case a.Verification.Outcome != state.OutcomeVerified:
		return 1
	case !rules.AtLeast(a.Verification.Confidence, cfg.VerifyMin):
		return 2
	default:
		return 3
	}
}

func scoreOf(a state.Attempt) float64 {
	if a.Confidence != nil {
		return a.Confidence.Total
	}
	return a.Verification.Confidence
}

func compareAttempts(a, b state.Attempt, cfg state.Settings) int {
	return cmp.Or(cmp.Compare(standing(a, cfg), standing(b, cfg)), cmp.Compare(scoreOf(a), scoreOf(b)))
}

func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
