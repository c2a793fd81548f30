package review

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Thresholds are proposed from verdicts, with the numbers that they rest on.
type Thresholds struct {
	Accuracy float64 `json:"accuracy"` // that was asked for, 0–1
	Verdicts int     `json:"verdicts"` // on answers with a confidence
	// Pass is the least confidence from which on answers are right at that rate, even at the low end of the interval.
	Pass       float64  `json:"pass"`
	PassBasis  Interval `json:"pass_basis"` // the verdicts at Pass and above
	Review     *float64 `json:"review"`     // the confidence below which most answers are wrong; nil when the verdicts do not show one
	LowBasis   Interval `json:"low_basis"`  // the verdicts below Review; empty without
	ReviewNote string   `json:"review_note,omitzero"`
}

// Interval is a share with Wilson's interval at 95 %.
type Interval struct {
	Right int     `json:"right"`
	Of    int     `json:"of"`
	Low   float64 `json:"low"` // of the share of right answers, 0–1
	High  float64 `json:"high"`
}

// String is the interval as "41 of 43 right (95 %: 0.85–0.99)".
func (i Interval) String() string {
	return fmt.Sprintf("%d of %d right (95 %%: %.2f–%.2f)", i.Right, i.Of, i.Low, i.High)
}

var (
	// ErrTooFew reports that there are too few verdicts to propose anything; it comes as a [*TooFewError].
	ErrTooFew = errors.New("there are too few verdicts")
	// ErrNoThreshold reports that answers of no confidence reach the accuracy that was asked for.
	ErrNoThreshold = errors.New("no threshold reaches the accuracy")
)

// TooFewError says how many verdicts there are, and how many it takes at least. It wraps ErrTooFew.
type TooFewError struct {
	Have, Need int
	Accuracy   float64
}

// Error names the numbers.
func (e *TooFewError) Error() string {
	return fmt.Sprintf("%v: an accuracy of %v takes at least %d on answers with a confidence, all of them good, and there are %d",
		ErrTooFew, e.Accuracy, e.Need, e.Have)
}

// Unwrap returns ErrTooFew.
func (e *TooFewError) Unwrap() error { return ErrTooFew }

// z is the standard normal quantile of an interval at 95 %.
const z = 1.959963984540054

// Wilson is the interval of a share of right ones (E. B. Wilson, Probable Inference, JASA 22, 1927). Of is at least Right,
// which is at least 0; of none it is 0 to 1.
func Wilson(right, of int) Interval {
	i := Interval{Right: right, Of: of, High: 1}
	if of == 0 {
		return i
	}
	n := float64(of)
	p := float64(right) / n
	centre, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	i.Low, i.High = max((centre-half)/(1+z*z/n), 0), min((centre+half)/(1+z*z/n), 1)
	return i
}

// Needed is how many verdicts, all of them good, it takes for the low end of Wilson's interval to reach accuracy, which
// lies between 0 and 1.
func Needed(accuracy float64) int {
	return max(int(math.Ceil(accuracy/(1-accuracy)*z*z-tolerance)), 1)
}

// Propose works out thresholds from the verdicts on answers with a confidence: approved is right, corrected and rejected
// are wrong. accuracy is the share of right answers that passing asks for, between 0 and 1. Pass is the least confidence
// from which on the low end of the interval reaches accuracy; Review the greatest one, not above Pass, below which the
// high end is less than one half.
//
// It returns a [*TooFewError] when even good verdicts only would not do, ErrNoThreshold when no confidence reaches
// accuracy, and ErrInvalid for an accuracy that is none.
func Propose(entries []Entry, accuracy float64) (Thresholds, error) {
	if math.IsNaN(accuracy) || accuracy <= 0 || accuracy >= 1 {
		return Thresholds{}, invalid("an accuracy lies between 0 and 1, not %v", accuracy)
	}
	verdicts := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !e.Status.Final() || !e.HasConfidence })
	if need := Needed(accuracy); len(verdicts) < need {
		return Thresholds{}, &TooFewError{Have: len(verdicts), Need: need, Accuracy: accuracy}
	}
	slices.SortFunc(verdicts, func(a, b Entry) int { return cmp.Compare(b.Confidence, a.Confidence) })
	t := Thresholds{Accuracy: accuracy, Verdicts: len(verdicts), Pass: math.NaN()}
	var best Interval
	for from, basis := range steps(verdicts) {
		if atLeast(basis.Low, accuracy) {
			t.Pass, t.PassBasis = from, basis
		}
		if basis.Low >= best.Low {
			best = basis
		}
	}
	if math.IsNaN(t.Pass) {
		return Thresholds{}, fmt.Errorf("%w of %v: the best that the verdicts show is %v; more verdicts narrow the interval", ErrNoThreshold, accuracy, best)
	}
	t.proposeReview(verdicts)
	return t, nil
}

// proposeReview finds the threshold below which most answers are wrong.
func (t *Thresholds) proposeReview(verdicts []Entry) {
	all := Wilson(countRight(verdicts), len(verdicts))
	for from, above := range steps(verdicts) {
		below := Wilson(all.Right-above.Right, all.Of-above.Of)
		if from <= t.Pass && below.Of > 0 && below.High < 0.5 {
			t.Review, t.LowBasis = new(from), below
			return
		}
	}
	t.ReviewNote = "the verdicts show no confidence below which most answers are wrong: leave the threshold for reviews as it is"
}

// steps yields every confidence of verdicts, which are sorted from the greatest one, with the verdicts from there on.
func steps(verdicts []Entry) func(yield func(float64, Interval) bool) {
	return func(yield func(float64, Interval) bool) {
		right := 0
		for i, e := range verdicts {
			if e.Status == Approved {
				right++
			}
			if last := i == len(verdicts)-1; !last && verdicts[i+1].Confidence == e.Confidence {
				continue
			}
			if !yield(e.Confidence, Wilson(right, i+1)) {
				return
			}
		}
	}
}

func countRight(verdicts []Entry) (n int) {
	for _, e := range verdicts {
		if e.Status == Approved {
			n++
		}
	}
	return n
}
