package rules

import (
	"fmt"

	"github.com/kbagent/kbagent/state"
)

// The names of the heuristic's signals, and their weights.
const (
	SignalOverlap   = "keyword_overlap"    // share of the question's terms that the items hold
	SignalCoherence = "semantic_coherence" // mean·(1−min(variance, 0.3)) of the items' similarities
	SignalLength    = "length_adequacy"    // tokens found / tokens expected
	SignalDiversity = "diversity"          // distinct sources / items

	overlapWeight   = 0.30
	coherenceWeight = 0.40
	lengthWeight    = 0.15
	diversityWeight = 0.15
)

// The threshold profile of the heuristic: above the first it is RELEVANT, above the second PARTIAL.
const (
	HeuristicRelevant = 0.75
	HeuristicPartial  = 0.50
)

// wantedTokens is how many tokens the heuristic expects of an item.
const wantedTokens = 100

// EvaluateHeuristic is the evaluator "heuristic": 0.30 keyword overlap + 0.40 semantic coherence + 0.15 length adequacy +
// 0.15 diversity. Above 0.75 it is RELEVANT (GENERATE), above 0.50 PARTIAL (REFINE), else IRRELEVANT (RE_RETRIEVE).
//
// Coherence reads the retrieval scores when all items have the same kind that measures similarity, else the lexical grader's.
// With a source filter the sources say nothing: diversity is then missing, and the others weigh more. Words are
// compared as stems without stop words, Chinese, Japanese and Korean as pairs of characters; a question without content
// words overlaps with nothing. Without items the score is 0.
func EvaluateHeuristic(query string, items []state.Evidence, sourceFilter bool) Evaluation {
	q := newQueryTerms(query, TermStats{})
	found := graded(q.study(items), query, items)
	perItem := similarities(items, found)
	signals := []signal{
		{SignalOverlap, overlapWeight, q.held(found), true},
		{SignalCoherence, coherenceWeight, coherence(perItem), true},
		{SignalLength, lengthWeight, lengthAdequacy(items), true},
		{SignalDiversity, diversityWeight, diversity(items), !sourceFilter},
	}
	e := combine(signals)
	e.PerItem = perItem
	switch {
	case above(e.Score, HeuristicRelevant):
		e.Class, e.Action = ClassRelevant, state.ActionGenerate
	case above(e.Score, HeuristicPartial):
		e.Class, e.Action = ClassPartial, state.ActionRefine
	default:
		e.Class, e.Action = ClassIrrelevant, state.ActionReRetrieve
	}
	e.reason(signals, fmt.Sprintf("relevant above %.2f, partial above %.2f", HeuristicRelevant, HeuristicPartial))
	return e
}

// coherence is high when all scores are high, and lower when they scatter: the variance is that of the population.
func coherence(scores []float64) float64 {
	m, variance := mean(scores), 0.0
	for _, s := range scores {
		variance += (s - m) * (s - m) / float64(len(scores))
	}
	return m * (1 - min(variance, 0.3))
}

func lengthAdequacy(items []state.Evidence) float64 {
	if len(items) == 0 {
		return 0
	}
	tokens := 0
	for _, item := range items {
		tokens += Tokens(item.Content)
	}
	return min(1, float64(tokens)/float64(wantedTokens*len(items)))
}

func diversity(items []state.Evidence) float64 {
	if len(items) == 0 {
		return 0
	}
	sources := make(map[string]bool)
	for _, item := range items {
		sources[item.Path] = true
	}
	return float64(len(sources)) / float64(len(items))
}
