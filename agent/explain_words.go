package agent

import (
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

var strategyWords = map[state.Strategy]string{
	state.StrategyHybrid:     "search by words and by meaning (hybrid)",
	state.StrategyVector:     "search by meaning (vector)",
	state.StrategyKeyword:    "search by words (keyword)",
	state.StrategyExpanded:   "search by words and related words (expanded)",
	state.StrategyDecomposed: "one search for each part of the question (decomposed)",
	state.StrategyReadFile:   "read the files that the question names (read_file)",
	state.StrategyWeb:        "search the web (web)",
}

var scoreWords = map[state.ScoreKind]string{
	state.ScoreCosine:   "similarity",
	state.ScoreBM25:     "word match",
	state.ScoreRRF:      "combined rank",
	state.ScoreWeighted: "combined score",
	state.ScoreRerank:   "re-ranking score",
	state.ScoreLexical:  "word match",
}

var graderWords = map[string]string{
	"llm":       "by the language model",
	"lexical":   "by the words of the question, without a model",
	"signals":   "as a whole, by re-ranking, coverage and agreement, without a model",
	"heuristic": "as a whole, by overlap, coherence, length and diversity, without a model",
	"fallback":  "0.50 each, because the model's scores could not be read",
}

var phaseWords = map[state.Phase]string{
	state.PhaseRoute:      "understanding the question",
	state.PhaseRetrieve:   "searching",
	state.PhaseGrade:      "judging the passages",
	state.PhaseRefine:     "planning a search for what is missing",
	state.PhaseReRetrieve: "choosing another way to search",
	state.PhaseGenerate:   "writing the answer",
	state.PhaseAnswered:   "checking the answer",
	state.PhaseReview:     "the decision of a person",
}

func place(path string, start, end int) string {
	return fmt.Sprintf("%s:L%d-L%d", plain(path), start, end)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func join(list []state.Strategy) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// plain is a text in one line, without characters that steer a terminal or turn the direction of the text.
func plain(s string) string { return mask.TerminalLine(s) }

func clip(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
