package eval

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// scores makes scored cases: positives first.
func scores(positive, negative []float64) []scored {
	var list []scored
	for _, s := range positive {
		list = append(list, scored{s, true})
	}
	for _, s := range negative {
		list = append(list, scored{s, false})
	}
	return list
}

func TestAUC(t *testing.T) {
	assert.InDelta(t, 1, auc(scores([]float64{0.9, 0.8}, []float64{0.1, 0.7})), 1e-12)
	assert.InDelta(t, 0, auc(scores([]float64{0.1}, []float64{0.7})), 1e-12)
	assert.InDelta(t, 0.5, auc(scores([]float64{0.5, 0.5}, []float64{0.5})), 1e-12, "ties count half")
	assert.InDelta(t, 0.75, auc(scores([]float64{0.9, 0.3}, []float64{0.5, 0.1})), 1e-12)
	assert.InDelta(t, 0.5, auc(scores([]float64{0.9}, nil)), 1e-12, "one kind alone says nothing")
}

func TestAUCIsTheShareOfPairsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75, 1})
		positive := rapid.SliceOfN(grid, 1, 12).Draw(t, "positive")
		negative := rapid.SliceOfN(grid, 1, 12).Draw(t, "negative")
		want := 0.0
		for _, p := range positive {
			for _, n := range negative {
				switch {
				case p > n:
					want++
				case p == n:
					want += 0.5
				}
			}
		}
		assert.InDelta(t, want/float64(len(positive)*len(negative)), auc(scores(positive, negative)), 1e-12)
	})
}

func TestAccuracyAtAThreshold(t *testing.T) {
	list := scores([]float64{0.9, 0.5 - 1e-12, 0.2}, []float64{0.1})
	assert.InDelta(t, 0.75, accuracy(list, 0.5), 1e-12, "the tolerance lets 0.5 pass")
	assert.InDelta(t, (2.0/3+1)/2, balancedAccuracy(list, 0.5), 1e-12)
}

func TestCalibrationErrorIsTheWeightedGap(t *testing.T) {
	assert.InDelta(t, 0, calibrationError(nil), 1e-12)
	assert.InDelta(t, 0, calibrationError(scores([]float64{1, 1}, []float64{0})), 1e-12)
	assert.InDelta(t, 0.3, calibrationError(scores([]float64{0.8}, []float64{0.8})), 1e-12)
	assert.InDelta(t, 0.25, calibrationError(scores([]float64{0.75}, []float64{0.25})), 1e-12)
}

func TestIntervalsAreReproducibleAndHoldTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var values []float64
	for range 400 {
		values = append(values, rng.Float64())
	}
	mean := func(list []float64) float64 {
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		return sum / float64(len(list))
	}
	i := interval(values, mean)
	assert.Equal(t, i, interval(values, mean))
	assert.InDelta(t, 0.5, (i[0]+i[1])/2, 0.03)
	assert.InDelta(t, 2*1.96*0.2887/20, i[1]-i[0], 0.01, "about four standard errors wide")
	assert.Equal(t, [2]float64{}, interval(nil, mean))
}

func TestLogisticFindsTheFeatureThatMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var list []example
	for range 300 {
		x := []float64{rng.Float64(), rng.Float64()}
		list = append(list, example{x: x, positive: x[0] > 0.5})
	}
	w := logistic(balance(list), 1e-3)
	assert.Greater(t, w[1], 5.0)
	assert.InDelta(t, 0, w[2], 1.0)
	assert.Greater(t, predict(w, []float64{0.9, 0.5}), 0.9)
	assert.Less(t, predict(w, []float64{0.1, 0.5}), 0.1)
}
