package eval

import (
	"context"

	"github.com/kbagent/kbagent/verify"
)

// grounding measures how well verify.Support tells claims that a text carries from others. Positive are the supported ones.
//
//   - auc, with its interval;
//   - accuracy and balanced_accuracy when a score of 0.5 or more means supported;
//   - ece, the expected calibration error of the score read as a probability, over ten bins;
//   - contradiction_auc, where the negative cases contradict their text: how well verify.Contradiction by itself tells them.
//
// The sets of rgb take the snippets that hold the right answer to a question, and the same ones with another answer in its
// place. rgb_en holds the claim that is made of question and right answer against both; rgb_consistency measures how well
// verify.Consistency, of that claim, tells two different snippets that agree from two of which one is altered.
var grounding = task{
	name:  "grounding",
	about: "claims against the text that should carry them",
	sets:  groundingTasks(),
}

// groundedFrom is the score from which a claim counts as supported.
const groundedFrom = 0.5

func groundingTasks() []taskSet {
	var sets []taskSet
	for _, g := range groundingSets {
		sets = append(sets, taskSet{g.name, func(s source) (measure, error) {
			set, err := g.load(s)
			return set.grounding, err
		}})
	}
	return append(sets, taskSet{"rgb_consistency", loadConsistency})
}

// grounding scores all cases.
func (c claimSet) grounding(ctx context.Context) (Result, error) {
	list := make([]scored, len(c.cases))
	for i, k := range c.cases {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		list[i] = scored{verify.Support(k.claim, k.passage, c.idf), k.positive}
	}
	r := classified(list, groundedFrom, map[string]string{"verifier": verify.ByLexical, "score": "verify.Support"})
	if c.contradicted {
		free := c.free()
		r.Metrics["contradiction_auc"], r.Intervals["contradiction_auc"] = auc(free), interval(free, auc)
	}
	return r, nil
}

// free scores the cases by how free of contradictions they are.
func (c claimSet) free() []scored {
	list := make([]scored, len(c.cases))
	for i, k := range c.cases {
		contradiction, _ := verify.Contradiction(k.claim, k.passage)
		list[i] = scored{1 - contradiction, k.positive}
	}
	return list
}

// classified is the result of a score that tells positives from negatives.
func classified(list []scored, threshold float64, config map[string]string) Result {
	return Result{
		N:      len(list),
		Cases:  scoredCases(list, nil),
		Config: config,
		Metrics: map[string]float64{
			"auc":               auc(list),
			"accuracy":          accuracy(list, threshold),
			"balanced_accuracy": balancedAccuracy(list, threshold),
			"ece":               calibrationError(list),
			"positives":         float64(positives(list)),
		},
		Intervals: map[string][2]float64{"auc": interval(list, auc)},
	}
}

func positives(list []scored) int {
	n := 0
	for _, c := range list {
		if c.positive {
			n++
		}
	}
	return n
}
