package nodes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

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
