package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/state"
)

// Verdict is what a round of grades leads to.
type Verdict struct {
	Action  state.Action
	Average float64 // of the kept items; 0 when none is kept
	Kept    int
}

// Judge turns the scores of a context into the grader's action: items below Settings.EvidenceMinScore do not count;
// none left is RE_RETRIEVE, an average of at least Settings.GenerateMinScore is GENERATE, anything else REFINE.
func Judge(scores []float64, cfg state.Settings) Verdict {
	var v Verdict
	sum := 0.0
	for _, score := range scores {
		if AtLeast(score, cfg.EvidenceMinScore) {
			v.Kept++
			sum += score
		}
	}
	if v.Kept == 0 {
		v.Action = state.ActionReRetrieve
		return v
	}
	v.Average = sum / float64(v.Kept)
	v.Action = state.ActionRefine
	if AtLeast(v.Average, cfg.GenerateMinScore) {
		v.Action = state.ActionGenerate
	}
	return v
}

// AfterGrading is the event that follows the action of a round, and the reason when it ends the loop ("" when the
// loop goes on). Sufficient evidence wins; then the limits (cap, budget), then the lack of progress.
//
// running is the time that the present node has taken so far.
func AfterGrading(s state.AgentState, action state.Action, running time.Duration) (Event, state.StopReason) {
	switch {
	case action == state.ActionGenerate:
		return EventSufficient, state.StopSufficient
	case s.Iteration >= s.Settings.MaxIterations:
		return EventCapped, state.StopMaxIterations
	case OverBudget(s, running) != "":
		return EventCapped, state.StopBudget
	case NoProgress(s, action):
		return EventNoProgress, state.StopNoProgress
	case action == state.ActionRefine:
		return EventMixed, ""
	default:
		return EventPoor, ""
	}
}

// NoProgress says whether the current round's calls and the items that they found equal those of an earlier round.
// A REFINE round for which the planner had nothing new to ask is no progress either: the next would have nothing too.
func NoProgress(s state.AgentState, action state.Action) bool {
	round := s.Round(s.Rounds)
	if len(round) == 0 && action == state.ActionRefine {
		return true
	}
	current := signature(round)
	for n := 1; n < s.Rounds; n++ {
		if signature(s.Round(n)) == current {
			return true
		}
	}
	return false
}

// signature is equal for rounds that made the same calls and found the same items, in whatever order.
func signature(records []state.ToolRecord) string {
	lines := make([]string, 0, len(records))
	for _, r := range records {
		ids := slices.Sorted(slices.Values(r.ItemIDs))
		lines = append(lines, fmt.Sprintf("%s %q", CallKey(r.Name, r.Args), ids))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// CallKey is equal for calls of the same tool with the same arguments, however they are written.
func CallKey(name string, args json.RawMessage) string {
	var value any
	if err := json.Unmarshal(args, &value); err != nil {
		return name + " " + string(args)
	}
	canonical, err := json.Marshal(value)
	if err != nil {
		return name + " " + string(args)
	}
	return name + " " + string(canonical)
}

// OverBudget names the limit of the run that is used up, in words for a warning, or is "". running is the time that the
// present node has taken so far.
func OverBudget(s state.AgentState, running time.Duration) string {
	cfg := s.Settings
	switch {
	case cfg.MaxLLMCalls > 0 && s.Usage.LLMCalls >= cfg.MaxLLMCalls:
		return fmt.Sprintf("%d of %d model calls", s.Usage.LLMCalls, cfg.MaxLLMCalls)
	case cfg.MaxLLMTokens > 0 && s.Usage.TotalTokens >= cfg.MaxLLMTokens:
		return fmt.Sprintf("%d of %d tokens", s.Usage.TotalTokens, cfg.MaxLLMTokens)
	case cfg.RunTimeout > 0 && s.Elapsed+running >= cfg.RunTimeout:
		return fmt.Sprintf("%s of %s", (s.Elapsed + running).Round(time.Millisecond), cfg.RunTimeout)
	default:
		return ""
	}
}
