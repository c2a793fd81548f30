package rules

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/state"
)

// The names of the signals, and their weights.
const (
	SignalRerank    = "rerank"    // mean of the three best scores of a re-ranker
	SignalLexical   = "lexical"   // the best item's lexical grade, in place of a missing re-ranker
	SignalCoverage  = "coverage"  // share of the question's terms that the items hold
	SignalAgreement = "agreement" // of the retrieval lists, and of the items on what of the question they hold

	rerankWeight    = 0.4
	coverageWeight  = 0.3
	agreementWeight = 0.3
)

// The threshold profile of the signals: from the first on it is CORRECT, up to the second INCORRECT.
const (
	SignalsCorrect   = 0.7
	SignalsIncorrect = 0.3
)

// agreementDepth is how many of the first items are compared with each other, rerankDepth how many of a re-ranker's
// scores count.
const (
	agreementDepth = 5
	rerankDepth    = 3
)

// EvaluateSignals is the evaluator "signals": 0.4 re-ranking + 0.3 coverage + 0.3 agreement, the weights of what is missing
// spread over the rest. From 0.7 on it is CORRECT (GENERATE), up to 0.3 INCORRECT (RE_RETRIEVE), else AMBIGUOUS
// (REFINE).
//
// Re-ranking is the mean of the three best scores of kind rerank. Without one the calibrated score of the lexical grader stands
// in, that of the best item alone: a mean over passages throws away what the best one says. (Measured when this was
// decided, with the lexical grader of that time, on whether XQuAD still holds the paragraph that answers, 439 questions
// with and without it: AUC .899 in English and .864 in Chinese, with the mean of three .806 and .765. What `kbagent eval`
// measures today stands in docs/quality.md.) Cosines and BM25 are not calibrated (their range depends on the model, on
// the length of the question), so they do not stand in.
// Agreement is the mean of what can be measured of two things: how many items the lists of different
// tools for the same query in the last round of history share, and how much the first five items hold the same part of
// the question. It is missing for a single item. When nothing compares the items with the question, agreement alone
// says nothing of relevance: the score is then 0.5. Without items it is 0.
func EvaluateSignals(query string, items []state.Evidence, history []state.ToolRecord) Evaluation {
	q := newQueryTerms(query, TermStats{})
	found := graded(q.study(items), query, items)
	best, perItem := q.bestScore(items, found)
	agreed, known := agreement(q, found, history)
	signals := []signal{
		best,
		{SignalCoverage, coverageWeight, q.held(found), q.total > 0 && len(items) > 0},
		{SignalAgreement, agreementWeight, agreed, known},
	}
	e := combine(signals)
	e.PerItem = perItem
	if best.name == SignalLexical {
		e.Missing = slices.Insert(e.Missing, 0, SignalRerank)
		e.Missing = slices.DeleteFunc(e.Missing, func(name string) bool { return name == SignalLexical })
	}
	if len(items) > 0 && !signals[0].measured && !signals[1].measured {
		e.Score = 0.5
	}
	e.classify()
	e.reason(signals, fmt.Sprintf("correct from %.2f on, incorrect up to %.2f", SignalsCorrect, SignalsIncorrect))
	return e
}

func (e *Evaluation) classify() {
	switch {
	case AtLeast(e.Score, SignalsCorrect):
		e.Class, e.Action = ClassCorrect, state.ActionGenerate
	case !above(e.Score, SignalsIncorrect):
		e.Class, e.Action = ClassIncorrect, state.ActionReRetrieve
	default:
		e.Class, e.Action = ClassAmbiguous, state.ActionRefine
	}
}

// bestScore is the first signal, and the score of each item: the re-ranker's, or the lexical one where there is none.
func (q queryTerms) bestScore(items []state.Evidence, found []study) (signal, []float64) {
	perItem := make([]float64, len(items))
	var reranked []float64
	for i, item := range items {
		if item.ScoreKind == state.ScoreRerank {
			perItem[i] = unit(item.RetrievalScore)
			reranked = append(reranked, perItem[i])
		}
	}
	if len(reranked) > 0 {
		slices.Sort(reranked)
		top := reranked[max(0, len(reranked)-rerankDepth):]
		return signal{SignalRerank, rerankWeight, mean(top), true}, perItem
	}
	best := 0.0
	for i, s := range found {
		perItem[i] = s.grade
		best = max(best, s.grade)
	}
	return signal{SignalLexical, rerankWeight, best, q.total > 0 && len(items) > 0}, perItem
}

// agreement is the mean of the agreement of the lists and of the items, as far as they are known.
func agreement(q queryTerms, items []study, history []state.ToolRecord) (value float64, known bool) {
	var found []float64
	if v, ok := listAgreement(history); ok {
		found = append(found, v)
	}
	if v, ok := q.itemAgreement(items); ok {
		found = append(found, v)
	}
	return mean(found), len(found) > 0
}

// itemAgreement is the mean, over the pairs of the first items, of the share of query terms that both hold among those
// that either holds. A pair that holds none does not agree.
func (q queryTerms) itemAgreement(items []study) (value float64, known bool) {
	items = items[:min(len(items), agreementDepth)]
	if len(items) < 2 || q.total == 0 {
		return 0, false
	}
	var pairs []float64
	for i, a := range items {
		for _, b := range items[i+1:] {
			share := 0.0
			if either := q.coverage(a.mask | b.mask); either > 0 {
				share = q.coverage(a.mask&b.mask) / either
			}
			pairs = append(pairs, share)
		}
	}
	return mean(pairs), true
}

// listAgreement compares the lists that different tools returned for the same query in the last round: the mean, over the
// pairs, of the shared items by the length of the shorter list. A failed call and a list without items have no say.
func listAgreement(history []state.ToolRecord) (value float64, known bool) {
	last := lastLists(history)
	var pairs []float64
	for i, a := range last {
		for _, b := range last[i+1:] {
			if a.tool != b.tool && a.query == b.query {
				pairs = append(pairs, float64(shared(a.ids, b.ids))/float64(min(len(a.ids), len(b.ids))))
			}
		}
	}
	return mean(pairs), len(pairs) > 0
}

// rankedList is what one call found; the ids are a set.
type rankedList struct {
	tool, query string
	ids         map[string]bool
}

// lastLists is the lists of the last round in history.
func lastLists(history []state.ToolRecord) (lists []rankedList) {
	round := 0
	for _, r := range history {
		round = max(round, r.Round)
	}
	for _, r := range history {
		var args struct {
			Query string `json:"query"`
		}
		if r.Round != round || r.Error != "" || len(r.ItemIDs) == 0 || json.Unmarshal(r.Args, &args) != nil || args.Query == "" {
			continue // a call without a query (read_file, grep) ranks nothing
		}
		list := rankedList{tool: r.Name, query: args.Query, ids: make(map[string]bool)}
		for _, id := range r.ItemIDs {
			list.ids[id] = true
		}
		lists = append(lists, list)
	}
	return lists
}

func shared(a, b map[string]bool) (n int) {
	for id := range a {
		if b[id] {
			n++
		}
	}
	return n
}
