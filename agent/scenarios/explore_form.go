package scenarios

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
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
	put("calls", callsMade(s, last))
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

// reranked says whether an answer was mended by a new order, or is being mended so.
func reranked(s state.AgentState) bool {
	return s.Decision == state.DecideSelfCorrect && s.Mending == state.MendRerank ||
		slices.ContainsFunc(s.Attempts, func(a state.Attempt) bool { return a.Mending == state.MendRerank })
}

// removedThatCount are the passages that grading has removed, the best first, while a correction may order them anew; else
// whether there are any: an answer may be written from them.
func removedThatCount(s state.AgentState) any {
	reorders := s.Settings.Verify && (s.Corrections < s.Settings.VerifyAttempts && !reranked(s) || lastNode(s) == nodes.NameDecide)
	if !reorders {
		return len(s.Quarantined) > 0
	}
	removed := slices.Clone(s.Quarantined)
	slices.SortStableFunc(removed, func(a, b state.Quarantine) int { return cmp.Compare(b.Score, a.Score) })
	var ids []string
	for _, q := range removed {
		if !slices.Contains(ids, q.Item.ID) {
			ids = append(ids, q.Item.ID)
		}
	}
	return ids
}

// callsMade are the calls that could be planned again, each once: of the loop the built-in planner's search further down,
// of the corrections those of a correction. What the model of an exploration plans is new each time, the other calls
// belong to a strategy, and none is taken twice. Nothing is planned any more behind the plan of the last correction.
func callsMade(s state.AgentState, last string) []string {
	if s.Correcting() && s.Corrections >= s.Settings.VerifyAttempts && last != nodes.NameDecide {
		return nil
	}
	var calls []string
	for _, r := range s.ToolHistory {
		if key, counts := callThatCounts(s, r.Name, r.Args); counts && !slices.Contains(calls, key) {
			calls = append(calls, key)
		}
	}
	slices.Sort(calls)
	return calls
}

// callThatCounts is a call under the name that it has in the form.
func callThatCounts(s state.AgentState, name string, raw json.RawMessage) (key string, counts bool) {
	var args tools.SearchArgs
	if name != "keyword_search" || json.Unmarshal(raw, &args) != nil {
		return name, false
	}
	key = fmt.Sprintf("%q %d", args.Query, args.K)
	if loops(s.Phase) && !s.Correcting() {
		return key, args.K == deeper
	}
	return key, args.K == targetedK
}

// How far down the searches look that may be planned twice.
const (
	deeper    = 2 * tools.DefaultK // of the built-in planner, for what a first round has missed
	targetedK = 10                 // of a correction
)

// pendingCalls are the calls of the plan: what of them callsMade will keep, and the names of the others.
func pendingCalls(s state.AgentState) []string {
	var calls []string
	for _, c := range s.PendingToolCalls {
		key, counts := callThatCounts(s, c.Name, c.Args)
		if !counts {
			key = c.Name
		}
		if !slices.Contains(calls, key) {
			calls = append(calls, key)
		}
	}
	return calls
}

// modeOf is what of the settings differs between the modes.
func modeOf(s state.Settings) string {
	return fmt.Sprint(s.RefineContext, s.Verify, s.ScoreConfidence, s.WebSearch, s.ReviewMode, s.AnswerMode, s.VerifyAttempts)
}

// failuresThatCount are the rounds whose grades could not be read, when so many rounds are left that the third failure can
// come; 0 otherwise.
func failuresThatCount(s state.AgentState) int {
	failures := min(s.GradeFailures, 3)
	left := s.Settings.VerifyAttempts - s.Corrections
	if !s.Settings.Verify {
		left = 0
	}
	if s.WebRounds == 0 {
		left++
	}
	switch {
	case !s.Correcting() && loops(s.Phase):
		left += s.Settings.MaxIterations - s.Iteration
		if s.Phase == state.PhaseGrade {
			left++
		}
	case s.Correcting() && loops(s.Phase):
		left++ // that of the round that is going on
	}
	if failures < 3 && failures+left < 3 {
		return 0
	}
	return failures
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
