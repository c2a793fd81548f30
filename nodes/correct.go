package nodes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// chooseMending plans the correction of an answer: more searches, or another order of what was found.
func (t *turn) chooseMending(a state.Attempt) {
	goals := targets(a.Verification, t.state.Query())
	after := *t // what plan would see
	after.state.Attempts = append(slices.Clone(t.state.Attempts), a)
	after.state.Decision, after.state.Targets = state.DecideSelfCorrect, goals
	mending := rules.NextMending(rules.MendingMeans{
		Fresh: len(after.number(after.correction())) > 0, Improved: t.improved(a), Pool: len(Pool(t.state)),
		Reranked: slices.ContainsFunc(after.state.Attempts, func(a state.Attempt) bool { return a.Mending == state.MendRerank }),
	})
	t.update.Targets, t.update.Mending = &goals, &mending
}

// improved says whether an answer is better than those before it, of which there may be none.
func (t *turn) improved(a state.Attempt) bool {
	s := t.state
	return len(s.Attempts) == 0 || compare(a, best(s.Attempts, s.Settings), s.Settings) > 0
}

// maxTargets is how many queries a correction makes.
const maxTargets = 3

// targets are the queries of a correction: the claims that lack support, the worst first; without any, the question.
func targets(v state.Verification, question string) []string {
	claims := slices.DeleteFunc(slices.Clone(v.Claims), func(c state.Claim) bool { return c.Verdict == state.ClaimSupported })
	slices.SortStableFunc(claims, func(a, b state.Claim) int {
		return cmp.Compare(a.Score, b.Score)
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
	case t.state.Decision == state.DecideWebSearch:
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
