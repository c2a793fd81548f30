package rules

import (
	"slices"

	"github.com/kbagent/kbagent/state"
)

// strategies is the order in which RE_RETRIEVE goes through the ways of retrieval: the broadest first.
var strategies = []state.Strategy{
	state.StrategyReadFile,
	state.StrategyHybrid,
	state.StrategyVector,
	state.StrategyKeyword,
	state.StrategyExpanded,
	state.StrategyDecomposed,
	state.StrategyWeb,
}

// Means says what a run can retrieve with.
type Means struct {
	Vectors    bool // an embedding endpoint is configured
	Expansion  bool // the question has keywords, and expansion is on
	Parts      int  // sub-questions that the question falls into
	NamedFiles int  // files of the knowledge base that the question names
	Web        bool // the web may be searched in this run
}

// Available is the strategies that make sense with m, in the order in which they are tried.
func Available(m Means) []state.Strategy {
	can := map[state.Strategy]bool{
		state.StrategyReadFile:   m.NamedFiles > 0,
		state.StrategyHybrid:     m.Vectors,
		state.StrategyVector:     m.Vectors,
		state.StrategyKeyword:    true,
		state.StrategyExpanded:   m.Expansion,
		state.StrategyDecomposed: m.Parts > 1,
		state.StrategyWeb:        m.Web,
	}
	return slices.DeleteFunc(slices.Clone(strategies), func(s state.Strategy) bool { return !can[s] })
}

// NextStrategy is the preferred strategy when it is available and was not attempted, else the first available one
// that was not attempted. ok is false when none is left.
func NextStrategy(available, attempted []state.Strategy, preferred state.Strategy) (next state.Strategy, ok bool) {
	left := slices.DeleteFunc(slices.Clone(available), func(s state.Strategy) bool { return slices.Contains(attempted, s) })
	switch {
	case len(left) == 0:
		return "", false
	case slices.Contains(left, preferred):
		return preferred, true
	default:
		return left[0], true
	}
}

// AllowedTools is the tools that a plan may call under a strategy. Reading a file that a search has named, and
// looking at what files there are, is allowed under all of them.
func AllowedTools(s state.Strategy) []string {
	searches := map[state.Strategy][]string{
		state.StrategyHybrid:     {"hybrid_search", "vector_search", "keyword_search", "grep"},
		state.StrategyVector:     {"vector_search"},
		state.StrategyKeyword:    {"keyword_search", "grep"},
		state.StrategyExpanded:   {"hybrid_search", "keyword_search", "grep"},
		state.StrategyDecomposed: {"hybrid_search", "keyword_search"},
		state.StrategyWeb:        {"web_search", "web_fetch"},
	}
	return append(slices.Clip(searches[s]), "read_file", "list_files")
}
