package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
)

func TestSearchByMeaningAndAnAnswerFromIt(t *testing.T) {
	e := server(t)
	if e.embedding == "" {
		t.Skip("KB_AGENT_E2E_EMBEDDING_MODEL names no model")
	}
	w := build(t, e, options{vectors: true, settings: graded})
	stats, err := w.index.Stats(t.Context())
	require.NoError(t, err)
	assert.Equal(t, stats.Passages, stats.Vectors, "every passage has its vector")
	for _, text := range documents {
		hits, err := w.index.Vector(t.Context(), text, 5)
		require.NoError(t, err)
		require.NotEmpty(t, hits)
		for i, h := range hits {
			assert.EqualValues(t, "cosine", h.Kind)
			assert.True(t, h.Score >= 0 && h.Score <= 1+1e-6, "a cosine from 0 to 1: %v", h.Score)
			assert.True(t, i == 0 || h.Score <= hits[i-1].Score+1e-9, "best first")
		}
	}
	hybrid, err := w.index.Hybrid(t.Context(), "old logs", []string{"logs"}, 5)
	require.NoError(t, err)
	assert.NotEmpty(t, hybrid)
	before, err := w.index.Vector(t.Context(), "old logs", 5)
	require.NoError(t, err)
	after, err := w.index.Vector(t.Context(), "old logs", 5)
	require.NoError(t, err)
	assert.Equal(t, ids(before), ids(after), "the same question finds the same passages")

	r, err := w.ask(t.Context(), agent.Question{Text: "How long are old logs kept?"})
	require.NoError(t, err)
	whole(t, r)
}

func ids(hits []index.Hit) (list []string) {
	for _, h := range hits {
		list = append(list, h.ID)
	}
	return list
}
