package nodes

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// heuristicPlanner follows the strategy to the letter.
type heuristicPlanner struct{}

// Plan never fails.
func (heuristicPlanner) Plan(_ context.Context, q PlanRequest) ([]state.ToolCall, error) {
	p := planning{allowed: q.Tools}
	if q.Refine {
		p.refine(q)
		return p.calls, nil
	}
	switch q.Strategy {
	case state.StrategyReadFile:
		for _, path := range q.NamedFiles[:min(len(q.NamedFiles), 3)] {
			p.add("read_file", tools.ReadArgs{Path: path})
		}
	case state.StrategyVector:
		p.add("vector_search", tools.SearchArgs{Query: q.Query})
	case state.StrategyKeyword:
		p.add("keyword_search", tools.SearchArgs{Query: q.Query})
	case state.StrategyExpanded:
		p.expanded(q)
		if word := longest(q.Keywords); word != "" {
			p.add("grep", tools.GrepArgs{Pattern: "(?i)" + regexp.QuoteMeta(word)})
		}
	case state.StrategyWeb:
		p.add("web_search", tools.WebSearchArgs{Query: q.Query, K: webResults})
	case state.StrategyDecomposed:
		for _, part := range q.SubQueries {
			p.add("keyword_search", tools.SearchArgs{Query: part})
		}
	default:
		p.add("hybrid_search", tools.HybridArgs{Query: q.Query, Keywords: q.Keywords})
	}
	return p.calls, nil
}

// planning collects calls of allowed tools.
type planning struct {
	allowed []tools.Tool
	calls   []state.ToolCall
}

func (p *planning) add(name string, args any) {
	if !slices.ContainsFunc(p.allowed, func(t tools.Tool) bool { return t.Name == name }) {
		return
	}
	raw, err := json.Marshal(args)
	if err != nil { // argument structs of strings and ints always marshal
		panic("nodes: arguments of " + name + ": " + err.Error())
	}
	p.calls = append(p.calls, state.ToolCall{Name: name, Args: raw})
}

// refine looks for the words that are still missing, and once more, further down, for the question itself.
func (p *planning) refine(q PlanRequest) {
	search := "keyword_search"
	if q.Strategy == state.StrategyHybrid || q.Strategy == state.StrategyVector {
		search = string(q.Strategy) + "_search"
	}
	if len(q.Missing) > 0 {
		p.add(search, tools.SearchArgs{Query: strings.Join(q.Missing, " ")})
	}
	p.add(search, tools.SearchArgs{Query: q.Query, K: 2 * tools.DefaultK})
}

// expanded searches for the question, for it with synonyms, and for what a model made of it: its parts and the answer
// that it would expect.
func (p *planning) expanded(q PlanRequest) {
	p.add("keyword_search", tools.SearchArgs{Query: q.Query}) // left out when an earlier round has asked it
	if wide := strings.Join(q.Synonyms.Expand(q.Query), " "); wide != q.Query {
		p.add("keyword_search", tools.SearchArgs{Query: wide, K: 2 * tools.DefaultK})
	}
	for _, part := range q.Expansion.SubQueries {
		p.add("keyword_search", tools.SearchArgs{Query: part})
	}
	if q.Expansion.Hypothesis != "" {
		p.add("hybrid_search", tools.HybridArgs{Query: q.Expansion.Hypothesis})
	}
}

func longest(words []string) string {
	best := ""
	for _, w := range words {
		if len(w) > len(best) {
			best = w
		}
	}
	return best
}
