package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

func TestAQuestionMayHaveSwitchesOfItsOwn(t *testing.T) {
	reviews := &book{entries: map[string]state.Review{}}
	a := everything(t, graph.NewMemoryStore(), reviews, state.ReviewProvisional, nil)
	plain := a.Settings()
	plain.Verify, plain.RefineContext = false, false
	answer, err := a.Do(t.Context(), agent.Question{Text: longQuestion, Thread: "t", Settings: &plain, Mode: state.ModeStrict})
	require.NoError(t, err)
	assert.Equal(t, state.StatusAnswered, answer.Status)
	assert.Equal(t, state.ModeStrict, answer.State.Settings.AnswerMode, "the mode counts besides")
	assert.NotContains(t, answer.Path, "refine_context")
	assert.Empty(t, reviews.entries)

	answer, err = a.Do(t.Context(), agent.Question{Text: longQuestion, Thread: "t"})
	require.NoError(t, err)
	assert.Equal(t, state.StatusPendingReview, answer.Status, "the next question has the agent's")
}

func TestAResumedRunKeepsItsSwitchesAndSaysSo(t *testing.T) {
	a := everything(t, graph.NewMemoryStore(), &book{entries: map[string]state.Review{}}, state.ReviewProvisional, nil)
	for e, err := range a.Ask(t.Context(), agent.Question{Text: longQuestion, Thread: "t"}) {
		require.NoError(t, err)
		if e.Node == "verify_answer" {
			break
		}
	}
	other := a.Settings()
	other.Verify = false
	answer, err := a.Do(t.Context(), agent.Question{Text: longQuestion, Thread: "t", Settings: &other})
	require.NoError(t, err)
	assert.True(t, answer.Resumed)
	assert.Equal(t, state.StatusPendingReview, answer.Status)
	assert.Contains(t, answer.Warnings, "the resumed run keeps the settings that it started with")
}

func TestAResumedRunKeepsItsScopeAndSaysSo(t *testing.T) {
	a := everything(t, graph.NewMemoryStore(), &book{entries: map[string]state.Review{}}, state.ReviewProvisional, nil)
	here := state.Scope{Paths: "*.md"}
	for e, err := range a.Ask(t.Context(), agent.Question{Text: longQuestion, Thread: "t", Scope: here}) {
		require.NoError(t, err)
		if e.Node == "verify_answer" {
			break
		}
	}
	answer, err := a.Do(t.Context(), agent.Question{Text: longQuestion, Thread: "t", Scope: state.Scope{Paths: "*.txt"}})
	require.NoError(t, err)
	assert.Equal(t, here, answer.State.Settings.Scope)
	assert.Contains(t, answer.Warnings, "the resumed run keeps the collections and paths that it started with")
	answer, err = a.Do(t.Context(), agent.Question{Text: longQuestion, Thread: "t"})
	require.NoError(t, err)
	assert.Empty(t, answer.State.Settings.Scope, "the next question looks everywhere")
}
