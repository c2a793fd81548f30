package index_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index"
)

// scored is a hit of this id and score.
func scored(id string, score float64) index.Hit {
	return index.Hit{Passage: index.Passage{ID: id, Content: id}, Score: score, Kind: index.KindBM25}
}

func idsAndScores(hits []index.Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %.2f", h.ID, h.Score))
	}
	return out
}

func TestMinMaxStretchesEachListBeforeItIsWeighted(t *testing.T) {
	words := []index.Hit{scored("a", 0.9), scored("b", 0.7), scored("c", 0.5)}
	vectors := []index.Hit{scored("c", 0.62), scored("b", 0.61), scored("d", 0.60)}
	got := index.FuseMinMax([][]index.Hit{words, vectors}, []float64{1, 3}, 10)
	assert.Equal(t, []string{"c 0.75", "b 0.50", "a 0.25", "d 0.00"}, idsAndScores(got))
	assert.Equal(t, index.KindWeighted, got[0].Kind)
	assert.Equal(t, []string{"a 1.00", "b 1.00"}, idsAndScores(index.FuseMinMax([][]index.Hit{{scored("a", 0.4), scored("b", 0.4)}}, []float64{1}, 10)),
		"equal scores are all the best")
}

func TestScoresAreWeightedAsTheyAre(t *testing.T) {
	words := []index.Hit{scored("a", 0.9), scored("b", 0.5)}
	vectors := []index.Hit{scored("b", 0.8)}
	got := index.FuseScores([][]index.Hit{words, vectors}, []float64{0.5, 0.5}, 10)
	assert.Equal(t, []string{"b 0.65", "a 0.45"}, idsAndScores(got))
}

func TestEveryFusionKeepsItsPromises(t *testing.T) {
	fusions := map[string]func(lists [][]index.Hit, weights []float64, k int) []index.Hit{
		"rrf":    func(lists [][]index.Hit, _ []float64, k int) []index.Hit { return index.Fuse(lists, k) },
		"minmax": index.FuseMinMax,
		"score":  index.FuseScores,
	}
	for name, fuse := range fusions {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			n := rapid.IntRange(1, 4).Draw(t, "lists")
			lists, weights, ids := make([][]index.Hit, n), make([]float64, n), map[string]bool{}
			for l := range lists {
				weights[l] = rapid.Float64Range(0, 1).Draw(t, "weight")
				for range rapid.IntRange(0, 8).Draw(t, "hits") {
					h := scored(rapid.StringMatching("[a-f]").Draw(t, "id"), rapid.Float64Range(0, 1).Draw(t, "score"))
					lists[l], ids[h.ID] = append(lists[l], h), true
				}
				slices.SortStableFunc(lists[l], func(a, b index.Hit) int { return -int(math.Copysign(1, a.Score-b.Score)) })
			}
			all := fuse(lists, weights, 100)
			if len(all) != len(ids) {
				t.Fatalf("%d passages became %d", len(ids), len(all))
			}
			for i, h := range all {
				if !ids[h.ID] || !(h.Score >= 0 && h.Score <= 1) || i > 0 && h.Score > all[i-1].Score {
					t.Fatalf("hit %d of %v", i, idsAndScores(all))
				}
			}
			k := rapid.IntRange(0, 10).Draw(t, "k")
			if got := fuse(lists, weights, k); !slices.Equal(got, all[:min(k, len(all))]) {
				t.Fatalf("the best %d of %v are %v", k, idsAndScores(all), idsAndScores(got))
			}
		}))
	}
}

func TestHybridFusesAsItIsTold(t *testing.T) {
	store := newStore(t)
	dir := folder(t, map[string]string{"words.md": "alpha beta", "meaning.md": "alpha alpha alpha beta gamma", "far.md": "delta"})
	e := &wordEmbedder{model: "m", dim: 64}
	update(t, open(t, store, e, index.Options{}), dir)
	for _, c := range []struct {
		fusion index.Fusion
		kind   index.ScoreKind
	}{
		{index.Fusion{}, index.KindRRF},
		{index.Fusion{Method: index.FusionMinMax}, index.KindWeighted},
		{index.Fusion{Method: index.FusionScore, Vector: new(1.0)}, index.KindWeighted},
	} {
		hits, err := open(t, store, e, index.Options{Fusion: c.fusion}).Hybrid(t.Context(), "alpha", nil, 2)
		require.NoError(t, err)
		require.Len(t, hits, 2)
		assert.Equal(t, c.kind, hits[0].Kind)
		byVector, err := open(t, store, e, index.Options{}).Vector(t.Context(), "alpha", 1)
		require.NoError(t, err)
		if c.fusion.Vector != nil {
			assert.Equal(t, byVector[0].ID, hits[0].ID, "the vectors alone decide")
			assert.InDelta(t, byVector[0].Score, hits[0].Score, 1e-9)
		}
	}
	hits, err := open(t, store, nil, index.Options{Fusion: index.Fusion{Method: index.FusionMinMax, Vector: new(0.9)}}).Hybrid(t.Context(), "alpha", nil, 1)
	require.NoError(t, err)
	assert.InDelta(t, 1.0, hits[0].Score, 1e-9, "words that are alone have all the weight")
}

func TestAFusionThatCannotBeIsRefused(t *testing.T) {
	for want, opts := range map[string]index.Options{
		`no fusion "sum"`:  {Fusion: index.Fusion{Method: "sum"}},
		"from 0 to 1":      {Fusion: index.Fusion{Vector: new(1.5)}},
		"vector search, N": {Fusion: index.Fusion{Vector: new(math.NaN())}},
		"MMRLambda, -1":    {MMRLambda: -1},
	} {
		_, err := index.Open(t.Context(), newStore(t), nil, opts)
		assert.ErrorContains(t, err, want)
	}
}
