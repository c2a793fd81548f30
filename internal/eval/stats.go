package eval

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// scored is the score of a case with its truth.
type scored struct {
	score    float64
	positive bool
}

// auc is the share of the pairs of a positive and a negative case that the score orders rightly, ties half; 0.5 when one
// of the two kinds is missing.
func auc(list []scored) float64 {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	right, below, positives := 0.0, 0, 0
	for i := 0; i < len(sorted); {
		j, pos := i, 0
		for ; j < len(sorted) && sorted[j].score == sorted[i].score; j++ {
			if sorted[j].positive {
				pos++
			}
		}
		neg := j - i - pos
		right += float64(pos) * (float64(below) + float64(neg)/2)
		below += neg
		positives += pos
		i = j
	}
	if positives == 0 || below == 0 {
		return 0.5
	}
	return right / float64(positives) / float64(below)
}

// The resamples of an interval and their seed.
const (
	resamples     = 1000
	resampleSeed1 = 2024
	resampleSeed2 = 11
)

// interval is the middle 95 % of what metric gives for bootstrap resamples of the cases. The seed is fixed.
func interval[T any](cases []T, metric func([]T) float64) [2]float64 {
	if len(cases) == 0 {
		return [2]float64{}
	}
	rng := rand.New(rand.NewPCG(resampleSeed1, resampleSeed2))
	values := make([]float64, resamples)
	sample := make([]T, len(cases))
	for i := range values {
		for j := range sample {
			sample[j] = cases[rng.IntN(len(cases))]
		}
		values[i] = metric(sample)
	}
	slices.Sort(values)
	return [2]float64{values[resamples*25/1000], values[resamples*975/1000-1]}
}

// accuracy is the share of cases whose score is at least threshold exactly when they are positive.
func accuracy(list []scored, threshold float64) float64 {
	right := 0
	for _, c := range list {
		if (c.score >= threshold-1e-9) == c.positive {
			right++
		}
	}
	return ratio(right, len(list))
}

// balancedAccuracy is the mean of the accuracies on the positive and on the negative cases.
func balancedAccuracy(list []scored, threshold float64) float64 {
	var right, all [2]int
	for _, c := range list {
		k := 0
		if c.positive {
			k = 1
		}
		all[k]++
		if (c.score >= threshold-1e-9) == c.positive {
			right[k]++
		}
	}
	return (ratio(right[0], all[0]) + ratio(right[1], all[1])) / 2
}

// calibrationBins is how many bins of equal width a calibration error has.
const calibrationBins = 10

// calibrationError is the expected calibration error: the distance between the mean score and the share of positives in
// each of ten bins, weighted by their cases.
func calibrationError(list []scored) float64 {
	var sum, positive [calibrationBins]float64
	for _, c := range list {
		b := min(max(int(c.score*calibrationBins), 0), calibrationBins-1)
		sum[b] += c.score
		if c.positive {
			positive[b]++
		}
	}
	total := 0.0
	for b := range sum {
		total += max(sum[b]-positive[b], positive[b]-sum[b])
	}
	if len(list) == 0 {
		return 0
	}
	return total / float64(len(list))
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
