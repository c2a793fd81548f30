package eval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRankingOfOneRelevantPassageIsItsPlace(t *testing.T) {
	v := ranking([]string{"x", "y", "a", "z"}, map[string]float64{"a": 1})
	assert.Equal(t, map[string]float64{"recall@1": 0, "recall@5": 1, "recall@10": 1, "recall@20": 1, "mrr@10": 1.0 / 3, "ndcg@10": 0.5}, v)
}

func TestRankingWeighsGradedPassages(t *testing.T) {
	v := ranking([]string{"a", "b"}, map[string]float64{"a": 1, "b": 3, "c": 2})
	ideal := 3 + 2/math.Log2(3) + 1/math.Log2(4)
	assert.InDelta(t, (1+3/math.Log2(3))/ideal, v["ndcg@10"], 1e-12)
	assert.InDelta(t, 1.0/3, v["recall@1"], 1e-12)
	assert.InDelta(t, 2.0/3, v["recall@5"], 1e-12)
}

func TestRankingSeesNothingBeyondItsDepth(t *testing.T) {
	names := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a"}
	v := ranking(names, map[string]float64{"a": 1})
	assert.Zero(t, v["ndcg@10"])
	assert.Zero(t, v["mrr@10"])
	assert.Zero(t, v["recall@10"])
	assert.InDelta(t, 1, v["recall@20"], 1e-12)
}

func TestWordsAreCutIntoRunsThatDoNotOverlap(t *testing.T) {
	r := corpusRow{ID: "d", Text: " one two\nthree  four five "}
	var got []string
	for _, c := range cutWords(r, 2) {
		got = append(got, r.Text[c.start:c.end])
	}
	assert.Equal(t, []string{"one two", "three  four", "five"}, got)
	assert.Empty(t, cutWords(corpusRow{Text: " \n"}, 2))
}

func TestAnAnswerIsHeldAsWholeWordsOnly(t *testing.T) {
	yes := holdsAny(`The "Seven-Day" rule, as the law says.`, []answer{{Text: "sevenday rule"}})
	assert.True(t, yes)
	assert.False(t, holdsAny("seventy days", []answer{{Text: "seven"}}))
	assert.False(t, holdsAny("anything", []answer{{Text: "the"}}), "nothing is left of it")
}
