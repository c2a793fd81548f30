package eval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFusionMeasuresTheSameQuestionsInEveryWay(t *testing.T) {
	r := one(t, "fusion", "mtrag_un")
	assert.Equal(t, 1, r.N)
	assert.Len(t, r.Metrics, 14)
	assert.InDelta(t, one(t, "retrieval", "mtrag_un").Metrics["ndcg@10"], r.Metrics["ndcg@10 words"], 1e-12, "words are what retrieval measures")
	for _, name := range []string{"vectors", "rrf", "mmr 0.5", "minmax 0.1", "score 0.5"} {
		assert.Contains(t, r.Metrics, "ndcg@10 "+name)
	}
}
