package rules

import (
	"cmp"
	"math"
	"slices"

	"github.com/kbagent/kbagent/state"
)

// Sufficiency is how likely the items hold what answers the query, 0–1; 0 without items and for items that share no word with
// the query. It is logistic in the features of [SufficiencyFeatures]: averages over the items throw away what the best
// one says.
func Sufficiency(query string, items []state.Evidence, stats TermStats) float64 {
	if len(items) == 0 {
		return 0
	}
	q := newQuestion(query, stats)
	rows := q.measureAll(items)
	_, answers := q.answers(items, q.grades(rows))
	return q.suffice(rows, answers)
}

// suffice is Sufficiency of items with these features, at least one, whose sentences have those.
func (q question) suffice(rows, answers [][]float64) float64 {
	f := append(strongest(rows), likeliestAnswer(answers)...)
	if f[featureAll] == 0 {
		return 0
	}
	weights := amongWeights
	if len(rows) == 1 {
		weights = aloneWeights
	}
	return logistic(weights[0]+q.offset(), weights[1:], f)
}

// These weights, the intercept first, are made by `kbagent eval fit sufficiency` from development parts: for an item alone from
// ClapNQ (233 questions; AUC .906, .858 by weights of the other half of the questions; L2 1e-3), for several from ClapNQ with its
// whole corpus (.845, .796), XQuAD-en with and without the passage that answers (875 retrievals; .958, .950) and MTRAG-UN (194;
// .848, .810), all weighed the same, L2 1e-4. The weights of the answering sentence, which are among the features, have seen the
// same questions of XQuAD-en.
var (
	aloneWeights = [...]float64{-1.29, -0.87, 0.51, 1.85, -3.41, 0.68, 1.04, 0.49, -0.47, -0.26, -0.80, -0.73, -3.81, 1.93, 1.16, -0.25, 0.00, 0.00, 0.00, 1.49, -1.86, 1.59, 0.80}
	amongWeights = [...]float64{-4.59, -0.26, 0.23, 0.16, -0.96, -0.90, 4.74, -1.85, 1.82, -0.11, 2.22, -2.45, -1.55, 0.37, 0.78, -1.52, -0.96, -0.19, 2.37, 1.21, -1.22, 1.85, 2.20}
)

// SufficiencyFeatureNames are the names of the features that [Sufficiency] weighs, in their order.
func SufficiencyFeatureNames() []string {
	return append(slices.Clone(itemFeatureNames), "gap", "mean", "spread", "answer", "lead", "answer grade", "answer count")
}

// strengthCap is what another item's strength counts for at most: a retrieval is not worse because several items answer.
const strengthCap = 1.2

// SufficiencyFeatures are the features of the best of the items, at least one, with its distance to the second, the mean of the
// others and its distance to that, all 0 for an item alone. The strength that is compared is frequency + window + pairs. Behind
// them stand those of the sentence that is likeliest to answer, by [AnswerSentences]: a tenth of its weighed features, a quarter
// of their distance to those of the next sentence, a half at most, the grade of its item, and its share of the question's terms.
func SufficiencyFeatures(query string, items []state.Evidence, stats TermStats) []float64 {
	q := newQuestion(query, stats)
	rows := q.measureAll(items)
	_, answers := q.answers(items, q.grades(rows))
	return append(strongest(rows), likeliestAnswer(answers)...)
}

// strongest is the features of the strongest item and how it stands among the others.
func strongest(rows [][]float64) []float64 {
	var best []float64
	var strengths []float64
	most := -1.0
	for _, f := range rows {
		s := f[featureFrequency] + f[featureWindow] + f[featurePairs]
		strengths = append(strengths, min(s, strengthCap))
		if s > most {
			most, best = s, f
		}
	}
	if len(rows) < 2 {
		return append(slices.Clone(best), 0, 0, 0)
	}
	slices.SortFunc(strengths, func(a, b float64) int { return cmp.Compare(b, a) })
	mean := 0.0
	for _, s := range strengths[1:] {
		mean += s / float64(len(strengths)-1)
	}
	return append(slices.Clone(best), most-strengths[1], mean, most-mean)
}

// likeliestAnswer is the last four features; rows are those of the sentences.
func likeliestAnswer(rows [][]float64) []float64 {
	if len(rows) == 0 {
		return make([]float64, 4)
	}
	best, second, at := math.Inf(-1), 0.0, 0
	for i, row := range rows {
		switch z := answerLogit(row); {
		case z > best:
			best, second, at = z, max(best, 0), i
		default:
			second = max(second, z)
		}
	}
	return []float64{best / 10, min((best-second)/4, 0.5), rows[at][answerGrade], rows[at][answerCount]}
}
