package index_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index"
)

func TestMMRPrefersWhatIsUnlikeTheChosen(t *testing.T) {
	hits := []index.Hit{scored("a", 1), scored("copy of a", 0.9), scored("b", 0.5)}
	alike := func(a, b int) float64 {
		if a+b == 1 { // the first two
			return 1
		}
		return 0
	}
	assert.Equal(t, []string{"a 1.00", "b 0.50"}, idsAndScores(index.MMR(hits, 0.5, 2, alike)))
	assert.Equal(t, []string{"a 1.00", "copy of a 0.90"}, idsAndScores(index.MMR(hits, 1, 2, alike)))
}

func TestMMRKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "hits")
		var hits []index.Hit
		for i := range n {
			hits = append(hits, scored(string(rune('a'+i)), rapid.Float64Range(0, 1).Draw(t, "score")))
		}
		slices.SortStableFunc(hits, func(a, b index.Hit) int { return -int(math.Copysign(1, a.Score-b.Score)) })
		similar := rapid.SliceOfN(rapid.Float64Range(0, 1), n*n, n*n).Draw(t, "similarities")
		similarity := func(a, b int) float64 { return similar[min(a, b)*n+max(a, b)] }
		k := rapid.IntRange(-1, 15).Draw(t, "k")
		lambda := rapid.Float64Range(0, 1).Draw(t, "lambda")

		got := index.MMR(hits, lambda, k, similarity)
		if len(got) != max(0, min(k, n)) {
			t.Fatalf("%d of %d hits for k = %d", len(got), n, k)
		}
		seen := map[string]bool{}
		for _, h := range got {
			if seen[h.ID] || !slices.Contains(hits, h) {
				t.Fatalf("%v is there twice or changed", h)
			}
			seen[h.ID] = true
		}
		if len(got) > 0 && lambda > 0 && got[0].Score < hits[0].Score {
			t.Fatalf("the first is %v, not the best", got[0])
		}
		if all := index.MMR(hits, lambda, n, similarity); !slices.Equal(all[:len(got)], got) {
			t.Fatal("a smaller k gives no prefix")
		}
		if !slices.Equal(index.MMR(hits, 1, n, similarity), hits) {
			t.Fatal("lambda 1 changes the order")
		}
	})
}

func TestSearchesPreferVariousPassagesWhereTheyAreAsked(t *testing.T) {
	store := newStore(t)
	dir := folder(t, map[string]string{
		"a.md": "alpha beta gamma", "b.md": "alpha beta gamma", "c.md": "alpha with something quite different behind it, as it were",
	})
	update(t, open(t, store, nil, index.Options{}), dir)
	two := func(opts index.Options) []string {
		hits, err := open(t, store, nil, opts).Keyword(t.Context(), "alpha beta", 2)
		require.NoError(t, err)
		return hitPaths(hits)
	}
	assert.Equal(t, []string{"a.md", "b.md"}, two(index.Options{}))
	assert.Equal(t, []string{"a.md", "c.md"}, two(index.Options{MMRLambda: 0.3}))
}
