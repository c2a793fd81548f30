package eval

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/kbagent/kbagent/verify"
)

// The settings of the regression.
const (
	fitFolds   = 5
	fitPenalty = 1e-3
)

// fitSets are the sets that the weights are made from. Sets that may only be evaluated on are not among them.
var fitSets = []struct {
	name string
	load func(source) (claimSet, error)
}{
	{"wice", loadWice},
	{"scifact_nei", func(s source) (claimSet, error) { return loadScifact(s, "NEI") }},
	{"scifact_contradict", func(s source) (claimSet, error) { return loadScifact(s, "CONTRADICT") }},
}

// FitReport is what a fit gives.
type FitReport struct {
	Features []string
	Weights  []float64 // the intercept first
	Sets     []FitSet
	// Supported and Partial are the scores that divide best, by the mean of the balanced accuracies: supported claims from
	// the others, over all sets; and partially supported claims from unsupported ones, on WiCE, which alone has them.
	Supported, Partial Cut
}

// Cut is a threshold with the balanced accuracy that it reaches.
type Cut struct{ At, Balanced float64 }

// FitSet is how good the fit is on one set.
type FitSet struct {
	Name                  string
	N                     int
	Fitted                float64 // AUC of the weights on the cases that they come from
	CrossValidated        float64 // AUC of weights that have not seen the case
	FittedInterval        [2]float64
	CrossValidateInterval [2]float64
}

// String is the report for people, with the line of Go that package verify holds.
func (r FitReport) String() string {
	var b strings.Builder
	for _, s := range r.Sets {
		fmt.Fprintf(&b, "%-20s n %d  AUC fitted %.3f [%.3f–%.3f]  cross-validated %.3f [%.3f–%.3f]\n", s.Name, s.N,
			s.Fitted, s.FittedInterval[0], s.FittedInterval[1], s.CrossValidated, s.CrossValidateInterval[0], s.CrossValidateInterval[1])
	}
	fmt.Fprintf(&b, "features: intercept, %s\n", strings.Join(r.Features, ", "))
	fmt.Fprintf(&b, "var supportWeights = [...]float64{")
	for i, w := range r.Weights {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.2f", w)
	}
	fmt.Fprintf(&b, "}\nsupported from %.2f (balanced accuracy %.3f), partial from %.2f (%.3f)\n", r.Supported.At, r.Supported.Balanced, r.Partial.At, r.Partial.Balanced)
	return b.String()
}

// Fit makes the weights of verify.Support: a logistic regression on the development parts of fitSets in which each set, and
// each class of a set, counts the same. Cases are put into five folds by their text, and each is also scored by weights of
// the other folds: a text is never on both sides, also when it stands in two sets.
func Fit(ctx context.Context, data string) (FitReport, error) {
	if data == "" {
		return FitReport{}, usagef("--data is missing: the folder that holds one folder a set")
	}
	all := make([][]example, len(fitSets))
	for i, s := range fitSets {
		set, err := s.load(source{data, "dev"})
		if err != nil {
			return FitReport{}, err
		}
		if all[i], err = examples(ctx, set); err != nil {
			return FitReport{}, err
		}
	}
	r := FitReport{Features: verify.FeatureNames[:], Weights: logistic(without(all, -1), fitPenalty)}
	folds := make([][]float64, fitFolds)
	for k := range folds {
		folds[k] = logistic(without(all, k), fitPenalty)
	}
	var byWeights [][]scored
	for i, s := range fitSets {
		fitted, crossed := make([]scored, len(all[i])), make([]scored, len(all[i]))
		for j, e := range all[i] {
			fitted[j] = scored{predict(r.Weights, e.x), e.positive}
			crossed[j] = scored{predict(folds[e.fold], e.x), e.positive}
		}
		r.Sets = append(r.Sets, FitSet{s.name, len(all[i]), auc(fitted), auc(crossed), interval(fitted, auc), interval(crossed, auc)})
		byWeights = append(byWeights, crossed)
	}
	partial, err := partialScores(ctx, source{data, "dev"}, r.Weights)
	r.Supported, r.Partial = bestCut(byWeights), bestCut([][]scored{partial})
	return r, err
}

// partialScores are the scores of the claims of WiCE that are not supported wholly; positive are those that are in part.
func partialScores(ctx context.Context, s source, weights []float64) ([]scored, error) {
	set, err := loadWice(s)
	if err != nil {
		return nil, err
	}
	var kept []claimCase
	for _, c := range set.cases {
		if !c.positive {
			c.positive = c.label == "partially_supported"
			kept = append(kept, c)
		}
	}
	set.cases = kept
	list, err := examples(ctx, set)
	var scores []scored
	for _, e := range list {
		scores = append(scores, scored{predict(weights, e.x), e.positive})
	}
	return scores, err
}

// bestCut is the hundredth that divides the sets best.
func bestCut(sets [][]scored) Cut {
	var best Cut
	for at := 0.01; at < 1; at += 0.01 {
		sum := 0.0
		for _, list := range sets {
			sum += balancedAccuracy(list, at)
		}
		if x := sum / float64(len(sets)); x > best.Balanced {
			best = Cut{at, x}
		}
	}
	return best
}

// examples measures the cases of a set.
func examples(ctx context.Context, set claimSet) ([]example, error) {
	var list []example
	for _, c := range set.cases {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := verify.Measure(c.claim, c.passage, set.idf).Features()
		list = append(list, example{x: x[:], positive: c.positive, fold: foldOf(c.passage)})
	}
	return list, nil
}

// foldOf is the fold of a text.
func foldOf(passage string) int {
	h := fnv.New32a()
	h.Write([]byte(passage))
	return int(h.Sum32() % fitFolds)
}

// without are the examples of all folds but one, weighed; -1 leaves none out.
func without(sets [][]example, fold int) []example {
	var kept []example
	for _, set := range sets {
		var list []example
		for _, e := range set {
			if e.fold != fold {
				list = append(list, e)
			}
		}
		kept = append(kept, balance(list)...)
	}
	return kept
}
