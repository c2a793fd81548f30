package eval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var topics = []string{
	"the car has an engine", "an automobile has an engine", "the engine of the car roars", "the automobile engine roars",
	"bread is baked in the oven", "the oven bakes cakes and bread", "cakes rise in the oven", "bread and cakes rise",
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestTextsWithoutACommonWordAreNearWhenOthersJoinThem(t *testing.T) {
	e := newLSA(topics, 2)
	vectors, err := e.Embed(t.Context(), []string{"car", "automobile", "cakes"})
	require.NoError(t, err)
	assert.Greater(t, cosine(vectors[0], vectors[1]), 0.9, "both stand beside engine")
	assert.Less(t, cosine(vectors[0], vectors[2]), 0.5)
}

func TestTheBasisIsOrthonormalAndHasNoMoreDimensionsThanTheCorpus(t *testing.T) {
	e := newLSA(topics[:3], 50)
	require.Equal(t, 3, e.dim)
	for a := range e.dim {
		for b := range e.dim {
			sum := 0.0
			for term := range len(e.idf) {
				sum += e.basis[term*e.dim+a] * e.basis[term*e.dim+b]
			}
			want := 0.0
			if a == b {
				want = 1
			}
			assert.InDelta(t, want, sum, 1e-9)
		}
	}
}

func TestATextWithoutKnownWordsIsNearNothing(t *testing.T) {
	vectors, err := newLSA(topics, 2).Embed(t.Context(), []string{"xyzzy", "car"})
	require.NoError(t, err)
	assert.Less(t, cosine(vectors[0], vectors[1]), 1e-3)
}
