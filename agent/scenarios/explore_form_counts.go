package scenarios

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// reranked says whether an answer was mended by a new order, or is being mended so.
func reranked(s state.AgentState) bool {
	return s.Decision == state.DecideSelfCorrect && s.Mending == state.MendRerank ||
		slices.ContainsFunc(s.Attempts, func(a state.Attempt) bool { return a.Mending == state.MendRerank })
}

// decidedToMend says whether the correction that was just decided on has still to be planned, or the order to be made.
func decidedToMend(s state.AgentState) bool {
	return lastNode(s) == nodes.NameDecide && (s.Decision == state.DecideSelfCorrect || s.Decision == state.DecideWebSearch)
}

// removedThatCount are the passages that grading has removed, the best first, while a correction may order them anew; else
// whether there are any: an answer may be written from them.
func removedThatCount(s state.AgentState) any {
	reorders := s.Settings.Verify && (s.Corrections < s.Settings.VerifyAttempts && !reranked(s) || decidedToMend(s) && s.Mending == state.MendRerank)
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
func callsMade(s state.AgentState) []string {
	if s.Correcting() && s.Corrections >= s.Settings.VerifyAttempts && !decidedToMend(s) {
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
