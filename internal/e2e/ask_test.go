package e2e

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/state"
)

func TestAQuestionIsAnsweredAndTheStreamIsTheAnswer(t *testing.T) {
	w := build(t, server(t), options{})
	for _, q := range []string{"How long are old logs kept?", "What is the refund window?", "Hello!", "Wie lange backt ein Brot?"} {
		r, err := w.ask(t.Context(), agent.Question{Text: q})
		require.NoError(t, err, q)
		whole(t, r)
		t.Logf("%q: %s, %s, %d calls, %d tokens, warnings %q", q, r.answer.Status, r.answer.StopReason, r.answer.Usage.LLMCalls, r.answer.Usage.TotalTokens, r.answer.Warnings)
	}
}

func TestAFollowUpGoesOnWithItsConversation(t *testing.T) {
	w := build(t, server(t), options{settings: approved})
	for i, q := range []string{"How long are old logs kept?", "and how large do they get?", "What is the refund window?"} {
		r, err := w.ask(t.Context(), agent.Question{Text: q, Thread: "talk"})
		require.NoError(t, err)
		whole(t, r)
		s, exists, err := w.State(t.Context(), "talk")
		require.NoError(t, err)
		require.True(t, exists)
		require.Len(t, s.Messages, 2*(i+1), "each turn is kept once")
		assert.Equal(t, q, s.Messages[2*i].Content)
		assert.Equal(t, q, s.Question)
		assert.NotEmpty(t, s.Query())
	}
}

func TestEveryModeEndsInAnAnswerOrAnAbstention(t *testing.T) {
	w := build(t, server(t), options{settings: graded})
	for _, mode := range []state.AnswerMode{state.ModeStrict, state.ModeBestEffort, state.ModeOpen} {
		r, err := w.ask(t.Context(), agent.Question{Text: "How do I shorten the retention of the logs?", Mode: mode})
		require.NoError(t, err)
		whole(t, r)
		if mode == state.ModeStrict && len(r.answer.Citations) == 0 {
			assert.Equal(t, state.StatusAbstained, r.answer.Status)
		}
	}
}

func TestManyQuestionsAtOnceDoNotMix(t *testing.T) {
	w := build(t, server(t), options{})
	var all sync.WaitGroup
	for _, thread := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			q := "How long are old logs kept in " + thread + "?"
			r, err := w.ask(t.Context(), agent.Question{Text: q, Thread: thread})
			if assert.NoError(t, err) {
				assert.Equal(t, thread, r.answer.Thread)
				assert.Equal(t, q, r.answer.State.Question)
				assert.NotEmpty(t, r.answer.Answer)
			}
		})
	}
	all.Wait()
}

func TestABudgetOfCallsHolds(t *testing.T) {
	w := build(t, server(t), options{settings: func(s *state.Settings) { graded(s); s.MaxLLMCalls = 2 }})
	r, err := w.ask(t.Context(), agent.Question{Text: "How long are old logs kept?"})
	require.NoError(t, err)
	whole(t, r)
	assert.LessOrEqual(t, r.answer.Usage.LLMCalls, 2)
}
