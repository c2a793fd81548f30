package nodes_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

func found(id, content string) state.Evidence {
	return state.Evidence{ID: id, Path: id + ".md", StartLine: 1, EndLine: 1, Content: content}
}

func TestAPassageIsWorthWhatItIsToTheQuestionOrToAClaim(t *testing.T) {
	var asked []string
	r := nodes.RerankTexts(func(_ context.Context, query string, texts []string) ([]float64, error) {
		asked = append(asked, query)
		scores := make([]float64, len(texts))
		for i, text := range texts {
			if strings.Contains(text, query) {
				scores[i] = 1
			}
		}
		return scores, nil
	})
	scores, err := r.Rerank(t.Context(), nodes.RerankRequest{
		Query: "red", Claims: []string{"blue"}, Items: []state.Evidence{found("a", "red"), found("b", "green"), found("c", "blue")},
	})
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0, 1}, scores)
	assert.Equal(t, []string{"red", "blue"}, asked)
}

func TestAScorerThatFailsOrGivesTooFewIsAnError(t *testing.T) {
	items := []state.Evidence{found("a", "red"), found("b", "green")}
	down := errors.New("connection refused")
	_, err := nodes.RerankTexts(func(context.Context, string, []string) ([]float64, error) { return nil, down }).
		Rerank(t.Context(), nodes.RerankRequest{Query: "q", Items: items})
	require.ErrorIs(t, err, down)
	_, err = nodes.RerankTexts(func(context.Context, string, []string) ([]float64, error) { return []float64{1}, nil }).
		Rerank(t.Context(), nodes.RerankRequest{Query: "q", Items: items})
	require.ErrorContains(t, err, "1 scores for 2 passages")
}
