package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/state"
)

// The classes of an evaluation. The signals say CORRECT, AMBIGUOUS or INCORRECT (the names of corrective RAG), the
// heuristic says RELEVANT, PARTIAL or IRRELEVANT. They are stable strings.
const (
	ClassCorrect    = "CORRECT"
	ClassAmbiguous  = "AMBIGUOUS"
	ClassIncorrect  = "INCORRECT"
	ClassRelevant   = "RELEVANT"
	ClassPartial    = "PARTIAL"
	ClassIrrelevant = "IRRELEVANT"
)

// Evaluation is what an evaluator without a model says of a retrieval as a whole.
type Evaluation struct {
	Score  float64      // 0–1: how good the retrieval is. It is never turned round for a poor class.
	Class  string       // one of the classes of the evaluator
	Action state.Action // what the class leads to
	// Subscores are the measured signals by name, each 0–1 and before its weight.
	Subscores map[string]float64
	// Missing names the signals that could not be measured, in their fixed order; the others weigh more for it.
	Missing   []string
	Reasoning string // one sentence with the figures
	// PerItem is the similarity of each item to the query, 0–1, in the items' order: information only, nothing is dropped by
	// it.
	PerItem []float64
}

// above says whether x is greater than the threshold t by more than Tolerance: "> 0.75" does not hold at 0.75.
func above(x, t float64) bool { return x > t+Tolerance }

// signal is one measure of a retrieval.
type signal struct {
	name     string
	weight   float64
	value    float64 // 0–1
	measured bool
}

// combine is the weighted mean of the measured signals; their weights are scaled to a sum of 1. Without any it is 0.
func combine(signals []signal) (e Evaluation) {
	e.Subscores = make(map[string]float64)
	total := 0.0
	for _, s := range signals {
		if !s.measured {
			e.Missing = append(e.Missing, s.name)
			continue
		}
		e.Subscores[s.name] = unit(s.value)
		e.Score += s.weight * unit(s.value)
		total += s.weight
	}
	if total > 0 {
		e.Score = unit(e.Score / total)
	}
	return e
}

// reason is the sentence of an evaluation: the class, the score and what it is made of.
func (e *Evaluation) reason(signals []signal, limits string) {
	var parts []string
	for _, s := range signals {
		if s.measured {
			parts = append(parts, fmt.Sprintf("%s %.2f", strings.ReplaceAll(s.name, "_", " "), s.value))
		}
	}
	text := "nothing could be measured"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ")
	}
	if len(e.Missing) > 0 {
		text += "; not measured: " + strings.ReplaceAll(strings.Join(e.Missing, ", "), "_", " ")
	}
	e.Reasoning = fmt.Sprintf("%s with a score of %.4f (%s) of %s.", e.Class, e.Score, limits, text)
}

// unit is x, held to 0–1; what is no number is 0.
func unit(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1)
}

// absoluteKinds are the kinds of retrieval scores that measure how near an item is to the query. RRF is not among them:
// the first of every list gets 1, however bad the lists are.
var absoluteKinds = []state.ScoreKind{state.ScoreRerank, state.ScoreCosine, state.ScoreLexical, state.ScoreBM25}

// study is what a query finds in an item.
type study struct {
	mask  uint64  // the query's terms in the item's text, title and section
	grade float64 // the lexical one, as Relevance has it
}

// study reads each item once.
func (q queryTerms) study(items []state.Evidence) []study {
	found := make([]study, len(items))
	for i, item := range items {
		found[i] = study{mask: q.mask(item.Title+"\n"+item.Section) | q.mask(item.Content)}
	}
	return found
}

// graded gives what was found the grades of [Relevance], without statistics.
func graded(found []study, query string, items []state.Evidence) []study {
	for i, grade := range Relevance(query, items, TermStats{}) {
		found[i].grade = grade
	}
	return found
}

// held is the share of the query's terms that the items hold together.
func (q queryTerms) held(found []study) float64 {
	var held uint64
	for _, s := range found {
		held |= s.mask
	}
	return q.coverage(held)
}

// similarities is how near each item is to the query, 0–1. It is the retrieval score when all items have one of the same
// absolute kind; otherwise the scores could not be compared, and all come from the lexical grader.
func similarities(items []state.Evidence, found []study) []float64 {
	scores := make([]float64, len(items))
	same := len(items) > 0 && slices.Contains(absoluteKinds, items[0].ScoreKind)
	for _, item := range items {
		same = same && item.ScoreKind == items[0].ScoreKind
	}
	for i, item := range items {
		scores[i] = found[i].grade
		if same {
			scores[i] = unit(item.RetrievalScore)
		}
	}
	return scores
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
