package nodes

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/state"
)

// says is a model that gives these replies, one after the other, and keeps what it was asked.
type says struct {
	llms.Model
	replies []string
	asked   []string
}

func (s *says) GenerateContent(_ context.Context, msgs []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	s.asked = append(s.asked, fmt.Sprint(msgs))
	if len(s.replies) == 0 {
		return nil, errors.New("connection refused")
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: reply}}}, nil
}

func TestAModelRanksTextsInOneCall(t *testing.T) {
	model := &says{replies: []string{"```json\n{\"scores\": [0.2, 0.9]}\n```"}}
	scores, err := NewTextReranker(&Model{LLM: model}, Prompts{}).Rerank(t.Context(), "which door is shut?", []string{"The red door is open.", "The blue door is shut."})
	require.NoError(t, err)
	assert.Equal(t, []float64{0.2, 0.9}, scores)
	require.Len(t, model.asked, 1)
	assert.Contains(t, model.asked[0], "The blue door is shut.")
	assert.NotContains(t, model.asked[0], ":0-0", "a text alone has no place")
	assert.NotContains(t, model.asked[0], "STATEMENTS")
}

func TestAModelThatRanksUnreadablyIsShownItsErrorOnce(t *testing.T) {
	model := &says{replies: []string{"the second", "[0.1, 0.8]"}}
	r := NewTextReranker(&Model{LLM: model}, Prompts{})
	scores, err := r.Rerank(t.Context(), "q", []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, []float64{0.1, 0.8}, scores)

	model.replies = []string{"the second", "[0.1, 0.8, 0.9]"}
	_, err = r.Rerank(t.Context(), "q", []string{"a", "b"})
	var unreadable *UnreadableError
	require.ErrorAs(t, err, &unreadable)
	_, err = r.Rerank(t.Context(), "q", []string{"a", "b"})
	require.ErrorContains(t, err, "connection refused")
}

func TestWhatIsPutAwayBelongsToThePoolOnce(t *testing.T) {
	item := func(id string) state.Evidence { return state.Evidence{ID: id} }
	s := state.AgentState{
		Context:     []state.Evidence{item("a")},
		Quarantined: []state.Quarantine{{Item: item("low"), Score: 0.1}, {Item: item("a"), Score: 0.9}, {Item: item("high"), Score: 0.2}, {Item: item("low"), Score: 0.1}},
	}
	assert.Equal(t, []state.Evidence{item("a"), item("high"), item("low")}, Pool(s))
	for i := range 50 {
		s.Context = append(s.Context, item(fmt.Sprint(i)))
	}
	assert.Len(t, Pool(s), rerankPool)
}
