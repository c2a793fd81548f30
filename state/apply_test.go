package state

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func apply(t *testing.T, s AgentState, updates ...Update) AgentState {
	t.Helper()
	for _, u := range updates {
		next, err := s.Apply(u)
		require.NoError(t, err)
		s = next
	}
	return s
}

func item(id string, score float64) Evidence {
	return Evidence{ID: id, Path: id + ".md", RetrievalScore: score, ScoreKind: ScoreBM25}
}

func begin(question string) Update {
	return Update{Begin: &Begin{Run: "r-" + question, Question: question, Settings: DefaultSettings()}}
}

func ids(items []Evidence) []string {
	var list []string
	for _, i := range items {
		list = append(list, i.ID)
	}
	return list
}

func TestBeginForgetsTheRunAndKeepsTheConversation(t *testing.T) {
	s := apply(t, AgentState{}, begin("one"),
		Update{Round: &Round{Records: []ToolRecord{{ID: "c1"}}, Found: []Evidence{item("a", .5)}}},
		Update{Grading: &Grading{Source: "llm", Action: ActionRefine, Items: []Grade{{ID: "a", Score: .1, Reason: "low"}}, Failed: true}},
		Update{Warnings: []string{"w"}, Usage: Usage{LLMCalls: 2, TotalTokens: 7, ByNode: map[string]int{"plan": 2}}},
		Update{Final: &Final{Answer: "A [1]", Status: StatusAnswered, Message: "A", Citations: []Citation{{N: 1, ItemID: "a"}}}},
		begin("two"))

	want := AgentState{
		Version: Version, Run: "r-two", Question: "two", Settings: DefaultSettings(), Phase: PhaseRoute,
		Messages:     []Message{{"user", "one"}, {"assistant", "A"}},
		LastEvidence: []string{"a"},
		Totals:       Usage{LLMCalls: 2, TotalTokens: 7, ByNode: map[string]int{"plan": 2}},
	}
	assert.Equal(t, want, s)
}

func TestRoundsMergeEvidence(t *testing.T) {
	round := func(items ...Evidence) Update { return Update{Round: &Round{Found: items}} }
	t.Run("duplicates by id collapse and the best retrieval score stays", func(t *testing.T) {
		s := apply(t, AgentState{}, begin("q"), round(item("a", .2), item("b", .3)), round(item("a", .9), item("b", .1)))
		assert.Equal(t, []string{"a", "b"}, ids(s.Context))
		assert.Equal(t, []float64{.9, .3}, []float64{s.Context[0].RetrievalScore, s.Context[1].RetrievalScore})
		assert.Equal(t, 2, s.Iteration)
	})
	t.Run("a score of another kind does not replace a score", func(t *testing.T) {
		other := item("a", .99)
		other.ScoreKind = ScoreRRF
		s := apply(t, AgentState{}, begin("q"), round(item("a", .2)), round(other))
		assert.Equal(t, ScoreBM25, s.Context[0].ScoreKind)
		assert.Equal(t, .2, s.Context[0].RetrievalScore)
	})
	t.Run("any score replaces none", func(t *testing.T) {
		grep := item("a", 0)
		grep.ScoreKind = ScoreNone
		s := apply(t, AgentState{}, begin("q"), round(grep), round(item("a", .2)))
		assert.Equal(t, ScoreBM25, s.Context[0].ScoreKind)
	})
	t.Run("the context holds the first items up to the limit", func(t *testing.T) {
		u := begin("q")
		u.Begin.Settings.MaxContextItems = 2
		s := apply(t, AgentState{}, u, round(item("a", .9), item("b", .5), item("c", .1)))
		assert.Equal(t, []string{"a", "b"}, ids(s.Context))
	})
	t.Run("of a full context the lowest grades make room for what is new", func(t *testing.T) {
		u := begin("q")
		u.Begin.Settings.MaxContextItems = 4
		s := apply(t, AgentState{}, u, round(item("a", .1), item("b", .1), item("c", .1), item("d", .1)),
			Update{Grading: &Grading{Action: ActionRefine, Items: []Grade{{ID: "a", Score: .4}, {ID: "b", Score: .6}, {ID: "c", Score: .5}, {ID: "d", Score: .3}}}},
			round(item("e", .9), item("f", .9), item("g", .9)))
		assert.Equal(t, []string{"b", "c", "e", "f"}, ids(s.Context))
	})
	t.Run("what several calls found takes turns, whatever their scores", func(t *testing.T) {
		read := item("r", 0)
		read.ScoreKind = ScoreNone
		s := apply(t, AgentState{}, begin("q"), Update{Round: &Round{
			Records: []ToolRecord{{ItemIDs: []string{"a", "b"}}, {ItemIDs: []string{"r", "a"}}},
			Found:   []Evidence{item("a", .9), item("b", .8), read, item("a", .2)},
		}})
		assert.Equal(t, []string{"a", "r", "b"}, ids(s.Context))
	})
	t.Run("records get the number of their round, in the order of the calls", func(t *testing.T) {
		s := apply(t, AgentState{}, begin("q"),
			Update{Round: &Round{Records: []ToolRecord{{ID: "x"}, {ID: "y"}}}}, Update{Round: &Round{Records: []ToolRecord{{ID: "z"}}}})
		assert.Equal(t, []ToolRecord{{ID: "x", Round: 1}, {ID: "y", Round: 1}}, s.Round(1))
		assert.Equal(t, []ToolRecord{{ID: "z", Round: 2}}, s.Round(2))
	})
}

func TestGradingMovesItemsToQuarantineAndOrdersTheRest(t *testing.T) {
	s := apply(t, AgentState{}, begin("q"), Update{Round: &Round{Found: []Evidence{item("a", .9), item("b", .8), item("c", .7)}}},
		Update{Grading: &Grading{Source: "lexical", Action: ActionRefine, Items: []Grade{
			{ID: "a", Score: .4}, {ID: "b", Score: .1, Reason: "below"}, {ID: "c", Score: .6},
		}}})
	assert.Equal(t, []string{"c", "a"}, ids(s.Context), "best grade first")
	assert.Equal(t, []float64{.4, .1, .6}, s.EvidenceScores, "in the order that the items had")
	require.Len(t, s.Quarantined, 1)
	assert.Equal(t, Quarantine{Item: s.Quarantined[0].Item, Score: .1, Reason: "below", Round: 1}, s.Quarantined[0])
	assert.Equal(t, "b", s.Quarantined[0].Item.ID)
}

func TestGradesForOtherItemsAreRefused(t *testing.T) {
	s := apply(t, AgentState{}, begin("q"), Update{Round: &Round{Found: []Evidence{item("a", .9)}}})
	_, err := s.Apply(Update{Grading: &Grading{}})
	require.ErrorIs(t, err, ErrUpdate)
	_, err = s.Apply(Update{Grading: &Grading{Items: []Grade{{ID: "b"}}}})
	require.ErrorIs(t, err, ErrUpdate)
}

func TestTransitionsMoveThePhase(t *testing.T) {
	s := apply(t, AgentState{}, begin("q"), Update{Transitions: []Transition{{PhaseRoute, "search", PhaseRetrieve}, {PhaseRetrieve, "retrieved", PhaseGrade}}})
	assert.Equal(t, PhaseGrade, s.Phase)
	assert.Len(t, s.Transitions, 2)
}

func TestWarningsAreNotRepeated(t *testing.T) {
	s := apply(t, AgentState{}, begin("q"), Update{Warnings: []string{"w", "w"}}, Update{Warnings: []string{"w", "v"}})
	assert.Equal(t, []string{"w", "v"}, s.Warnings)
}

// A fork and its sibling share memory: an Apply that appends into spare capacity would write into the other's view.
func TestApplyNeverWritesWhatTheStateCanReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := AgentState{}.Apply(begin("q"))
		require.NoError(t, err)
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			s, err = s.Apply(anyUpdate(t, s))
			require.NoError(t, err)
		}
		before, err := json.Marshal(s)
		require.NoError(t, err)
		left, err := s.Apply(anyUpdate(t, s))
		require.NoError(t, err)
		leftBefore, err := json.Marshal(left)
		require.NoError(t, err)
		_, err = s.Apply(anyUpdate(t, s))
		require.NoError(t, err)
		after, err := json.Marshal(s)
		require.NoError(t, err)
		leftAfter, err := json.Marshal(left)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after))
		assert.Equal(t, string(leftBefore), string(leftAfter))
	})
}

func anyUpdate(t *rapid.T, s AgentState) Update {
	name := rapid.StringMatching(`[a-d]`)
	u := Update{
		Node:        name.Draw(t, "node"),
		Transitions: []Transition{{s.Phase, "e", PhaseGrade}},
		Warnings:    rapid.SliceOfN(name, 0, 2).Draw(t, "warnings"),
		Usage:       Usage{LLMCalls: 1, ByNode: map[string]int{name.Draw(t, "by"): 1}},
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		u.Round = &Round{Records: []ToolRecord{{ID: "c"}}, Found: []Evidence{item(name.Draw(t, "item"), .5)}}
	case 1:
		u.Grading = &Grading{Action: ActionRefine}
		for i, it := range s.Context {
			g := Grade{ID: it.ID, Score: float64(i) / 10}
			if i%2 == 1 {
				g.Reason = "low"
			}
			u.Grading.Items = append(u.Grading.Items, g)
		}
	case 2:
		strategy := StrategyKeyword
		u.Strategy = &strategy
	case 3:
		u.Final = &Final{Answer: "a", Message: "a", Citations: []Citation{{ItemID: "x"}}}
	}
	return u
}

func TestStripsReplaceTheContextEachOnce(t *testing.T) {
	s := apply(t, AgentState{}, begin("q"), Update{Round: &Round{Found: []Evidence{item("whole", .9)}}},
		Update{Refined: &[]Evidence{item("b", .2), item("a", .9), item("b", .3)}})
	assert.Equal(t, []string{"b", "a"}, ids(s.Context), "in their order")
}
