package index

import (
	"cmp"
	"fmt"
	"slices"
)

// A FusionMethod names a way to merge ranked lists into one.
type FusionMethod string

// The ways to merge what a hybrid search found.
const (
	FusionRRF    FusionMethod = "rrf"    // by ranks, see [Fuse] (default)
	FusionMinMax FusionMethod = "minmax" // by scores stretched over each list, see [FuseMinMax]
	FusionScore  FusionMethod = "score"  // by scores as they are, see [FuseScores]
)

// Fusion says how Hybrid merges its two lists. The zero value is reciprocal rank fusion.
type Fusion struct {
	Method FusionMethod // default FusionRRF
	// Vector is the weight of the vector search, 0 to 1; keyword search has the rest. Only for FusionMinMax and FusionScore.
	// Default (nil) 0.5.
	Vector *float64
}

func (f Fusion) withDefaults() (Fusion, error) {
	f.Method = cmp.Or(f.Method, FusionRRF)
	if f.Vector == nil {
		f.Vector = new(0.5)
	}
	if !slices.Contains([]FusionMethod{FusionRRF, FusionMinMax, FusionScore}, f.Method) {
		return f, fmt.Errorf("index: there is no fusion %q", f.Method)
	}
	if !(*f.Vector >= 0 && *f.Vector <= 1) { // refuses NaN too
		return f, fmt.Errorf("index: the weight of the vector search, %v, is not from 0 to 1", *f.Vector)
	}
	return f, nil
}

// fuse merges the lists of keyword and of vector search, or the one of keyword search.
func (f Fusion) fuse(lists [][]Hit, k int) []Hit {
	weights := []float64{1 - *f.Vector, *f.Vector}
	if len(lists) == 1 {
		weights = []float64{1}
	}
	switch f.Method {
	case FusionMinMax:
		return FuseMinMax(lists, weights, k)
	case FusionScore:
		return FuseScores(lists, weights, k)
	default:
		return Fuse(lists, k)
	}
}

// Fuse merges ranked lists by reciprocal rank fusion and returns the k best hits, of kind KindRRF. Passages are
// told apart by ID; a passage counts once a list, at its best rank. Score = Σ 1/(RRFConstant+rank) over the lists,
// divided by its maximum, len(lists)/(RRFConstant+1): 1 is the first of every list. Empty lists count. Ties keep the
// order of first appearance, list by list. The lists are not changed.
func Fuse(lists [][]Hit, k int) []Hit {
	share := 1 / float64(len(lists))
	return fuse(lists, k, KindRRF, func(_, rank int) float64 {
		return share * float64(RRFConstant+1) / float64(RRFConstant+1+rank)
	})
}

// FuseMinMax merges ranked lists by their scores and returns the k best hits, of kind KindWeighted. In each list the best
// score becomes 1 and the worst 0; in a list whose scores are all equal each is 1. A passage's score is the sum of these,
// each times its list's weight, divided by the sum of the weights. Weights must not be negative; where they sum up to 0 all
// scores are 0. For the rest it is like [Fuse].
func FuseMinMax(lists [][]Hit, weights []float64, k int) []Hit {
	low, span := make([]float64, len(lists)), make([]float64, len(lists))
	for l, list := range lists {
		if len(list) == 0 {
			continue
		}
		byScore := func(a, b Hit) int { return cmp.Compare(a.Score, b.Score) }
		low[l] = slices.MinFunc(list, byScore).Score
		span[l] = slices.MaxFunc(list, byScore).Score - low[l]
	}
	share := shares(weights)
	return fuse(lists, k, KindWeighted, func(l, rank int) float64 {
		if span[l] == 0 {
			return share[l]
		}
		return share[l] * (lists[l][rank].Score - low[l]) / span[l]
	})
}

// FuseScores is FuseMinMax with the scores as they are, which must be 0 to 1. It fits lists whose scores mean the same.
func FuseScores(lists [][]Hit, weights []float64, k int) []Hit {
	share := shares(weights)
	return fuse(lists, k, KindWeighted, func(l, rank int) float64 { return share[l] * lists[l][rank].Score })
}

// shares is the weights divided by their sum.
func shares(weights []float64) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	out := make([]float64, len(weights))
	for i, w := range weights {
		if sum > 0 {
			out[i] = w / sum
		}
	}
	return out
}

// fuse adds up what each passage is worth at its best rank in each list.
func fuse(lists [][]Hit, k int, kind ScoreKind, worth func(list, rank int) float64) []Hit {
	at := map[string]int{}
	var fused []Hit
	for l, list := range lists {
		seen := map[string]bool{}
		for rank, h := range list {
			if seen[h.ID] {
				continue
			}
			seen[h.ID] = true
			i, ok := at[h.ID]
			if !ok {
				i = len(fused)
				at[h.ID] = i
				fused = append(fused, Hit{Passage: h.Passage, Kind: kind})
			}
			fused[i].Score = min(1, fused[i].Score+worth(l, rank))
		}
	}
	slices.SortStableFunc(fused, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return fused[:max(0, min(k, len(fused)))]
}
