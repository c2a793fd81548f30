package eval

import (
	"context"

	"github.com/kbagent/kbagent/verify"
)

// grounding measures how well verify.Support tells claims that a text carries from others. Positive are the supported ones.
//
//   - auc, with its interval;
//   - accuracy and balanced_accuracy when a score of 0.5 or more means supported;
//   - ece, the expected calibration error of the score read as a probability, over ten bins.
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
	return sets
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
	return classified(list, groundedFrom, map[string]string{"verifier": verify.ByLexical, "score": "verify.Support"}), nil
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
