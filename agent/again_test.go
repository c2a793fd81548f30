package agent_test

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// last is the answer at the end of events.
func last(t *testing.T, events iter.Seq2[agent.Event, error]) agent.Answer {
	t.Helper()
	for e, err := range events {
		require.NoError(t, err)
		if e.Answer != nil {
			return *e.Answer
		}
	}
	t.Fatal("the run has no answer")
	return agent.Answer{}
}

// contents is what a conversation remembers of its questions.
func contents(s state.AgentState) []string {
	var list []string
	for _, m := range s.Messages {
		if m.Role == "user" {
			list = append(list, m.Content)
		}
	}
	return list
}

func TestAQuestionThatIsAskedAgainTakesThePlaceOfItsOldAnswer(t *testing.T) {
	a := everything(t, graph.NewMemoryStore(), &book{entries: map[string]state.Review{}}, state.ReviewOff, nil)
	first := last(t, a.Ask(t.Context(), agent.Question{Text: "How large do logs get?", Thread: "t"}))
	second := last(t, a.Ask(t.Context(), agent.Question{Text: longQuestion, Thread: "t"}))

	again := last(t, a.Again(t.Context(), agent.Question{Thread: "t"}))
	assert.Equal(t, longQuestion, again.State.Question)
	assert.Equal(t, second.Answer, again.Answer)
	assert.NotEqual(t, second.State.Run, again.State.Run)
	assert.False(t, again.Resumed)
	assert.Equal(t, second.Path, again.Path, "all of the way, once")
	assert.Equal(t, []string{"How large do logs get?", longQuestion}, contents(again.State))

	other := last(t, a.Again(t.Context(), agent.Question{Text: " How long are they kept? ", Thread: "t"}))
	assert.Equal(t, []string{"How large do logs get?", "How long are they kept?"}, contents(other.State))
	assert.Equal(t, "How long are they kept?", last(t, a.Again(t.Context(), agent.Question{Thread: "t"})).State.Question, "in its last words")

	strict := last(t, a.Again(t.Context(), agent.Question{Thread: "t", Mode: state.ModeStrict}))
	assert.Equal(t, state.ModeStrict, strict.State.Settings.AnswerMode)
	assert.NotEqual(t, first.State.Run, strict.State.Run)
}

func TestTheFirstQuestionOfAThreadMayBeAskedAgain(t *testing.T) {
	a := everything(t, graph.NewMemoryStore(), &book{entries: map[string]state.Review{}}, state.ReviewOff, nil)
	last(t, a.Ask(t.Context(), agent.Question{Text: "How large do logs get?", Thread: "t"}))
	again := last(t, a.Again(t.Context(), agent.Question{Text: longQuestion, Thread: "t"}))
	assert.Equal(t, []string{longQuestion}, contents(again.State))
}

func TestAnUnfinishedQuestionIsAskedAgainFromItsBeginning(t *testing.T) {
	a := everything(t, graph.NewMemoryStore(), &book{entries: map[string]state.Review{}}, state.ReviewOff, nil)
	for e, err := range a.Ask(t.Context(), agent.Question{Text: longQuestion, Thread: "t"}) {
		require.NoError(t, err)
		if e.Node == "synthesize" {
			break
		}
	}
	var nodes []string
	for e, err := range a.Again(t.Context(), agent.Question{Thread: "t"}) {
		require.NoError(t, err)
		if e.Node != "" {
			nodes = append(nodes, e.Node)
		}
	}
	require.NotEmpty(t, nodes)
	assert.Equal(t, "analyze_and_route", nodes[0])
	s, _, err := a.State(t.Context(), "t")
	require.NoError(t, err)
	assert.True(t, s.Finished())
	assert.Equal(t, []string{longQuestion}, contents(s))
}

func TestNothingCanBeAskedAgainWhereNothingWasAsked(t *testing.T) {
	a := everything(t, graph.NewMemoryStore(), &book{entries: map[string]state.Review{}}, state.ReviewOff, nil)
	for _, err := range a.Again(t.Context(), agent.Question{Text: "x", Thread: "new"}) {
		require.ErrorIs(t, err, agent.ErrNothingAsked)
	}
	_, exists, err := a.State(t.Context(), "new")
	require.NoError(t, err)
	assert.False(t, exists)
}
