package rules

import "github.com/kbagent/kbagent/state"

// A Rule approves a whole context without a model call. Match reads the state only.
type Rule struct {
	Name  string
	Match func(state.AgentState) bool
}

// Default is the pre-filter rules in the order in which they are tried; the first match wins.
func Default() []Rule {
	return []Rule{
		{Name: "read_file", Match: ReadFile},
		{Name: "few_context", Match: FewContext},
		{Name: "high_vector_score", Match: HighVectorScore},
	}
}

// FirstMatch is the name of the first rule that approves s, or "" when none does.
func FirstMatch(rules []Rule, s state.AgentState) string {
	for _, r := range rules {
		if r.Match(s) {
			return r.Name
		}
	}
	return ""
}

// ReadFile holds when the current round read files and did nothing else: it has at least one call, all of them are
// read_file, and at least one succeeded. What somebody chose to read needs no grade.
func ReadFile(s state.AgentState) bool {
	succeeded := false
	for _, record := range s.Round(s.Rounds) {
		if record.Name != "read_file" {
			return false
		}
		succeeded = succeeded || record.Error == ""
	}
	return succeeded
}

// FewContext holds when the context has at most Settings.AutoApproveMaxItems items (default 2; 0 switches it off).
// An empty context is not few: there is nothing to approve.
func FewContext(s state.AgentState) bool {
	n := len(s.Context)
	return n > 0 && n <= s.Settings.AutoApproveMaxItems
}

// HighVectorScore holds when every item of the context comes from vector_search and its best score of kind cosine
// in the tool history is at least Settings.VectorScoreThreshold (default 0.8). A missing score fails the rule.
func HighVectorScore(s state.AgentState) bool {
	if len(s.Context) == 0 {
		return false
	}
	best := bestCosine(s.ToolHistory)
	for _, item := range s.Context {
		score, found := best[item.ID]
		if item.Tool != "vector_search" || !found || !AtLeast(score, s.Settings.VectorScoreThreshold) {
			return false
		}
	}
	return true
}

// bestCosine is the best cosine score that vector_search recorded for each item.
func bestCosine(history []state.ToolRecord) map[string]float64 {
	best := make(map[string]float64)
	for _, record := range history {
		if record.Name != "vector_search" || record.ScoreKind != state.ScoreCosine {
			continue
		}
		for i, id := range record.ItemIDs {
			if i >= len(record.Scores) {
				break
			}
			if old, found := best[id]; !found || record.Scores[i] > old {
				best[id] = record.Scores[i]
			}
		}
	}
	return best
}
