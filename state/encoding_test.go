package state

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// full is a state with every field set.
func full(t *testing.T) AgentState {
	u := begin("What is it?")
	u.Begin.At = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	u.Begin.Settings.MaxLLMCalls, u.Begin.Settings.MaxLLMTokens, u.Begin.Settings.RunTimeout = 9, 99, time.Minute
	route, category, strategy := RouteSearch, "definition", StrategyHybrid
	query, confidence, stop := "What is kbagent?", 0.8, StopSufficient
	subs, keys := []string{"a", "b"}, []string{"kbagent"}
	calls := []ToolCall{{ID: "r1c1", Name: "hybrid_search", Args: json.RawMessage(`{"query":"x"}`)}}
	found := item("a", .7)
	found.Tool, found.Title, found.Section, found.StartLine, found.EndLine, found.EndByte, found.Content, found.Language =
		"hybrid_search", "Title", "A > B", 3, 4, 10, "kbagent is", "en"
	s := apply(t, AgentState{}, u,
		Update{Node: "analyze_and_route", Route: &route, RouteConfidence: &confidence, Category: &category, Strategy: &strategy,
			ResolvedQuery: &query, SubQueries: &subs, Keywords: &keys, Transitions: []Transition{{PhaseRoute, "search", PhaseRetrieve}}},
		Update{Node: "tool_call", Round: &Round{Found: []Evidence{found, item("b", .1)}, Records: []ToolRecord{{
			ID: "r1c1", Name: "hybrid_search", Args: calls[0].Args, ItemIDs: []string{"a", "b"}, Scores: []float64{.7, .1}, ScoreKind: ScoreRRF,
			Error: "e", Note: "n", DurationMS: 3,
		}}}},
		Update{Node: "grade_evidence", StopReason: &stop, Grading: &Grading{Source: "llm", Action: ActionGenerate, Failed: true, Items: []Grade{
			{ID: "a", Score: .9}, {ID: "b", Score: .1, Reason: "score 0.10 is below 0.30"},
		}}, Usage: Usage{LLMCalls: 1, PromptTokens: 2, CompletionTokens: 3, TotalTokens: 5, ByNode: map[string]int{"grade_evidence": 1}}},
		Update{Node: "synthesize", Warnings: []string{"w"}, Final: &Final{Answer: "It is [1].", Status: StatusAnswered, Message: "It is.",
			Citations: []Citation{{N: 1, Path: "a.md", StartLine: 3, EndLine: 3, Quote: "kbagent is", ItemID: "a"}}}},
		Update{Calls: &calls})
	return s
}

// The stored form of every released version is read for ever: a golden file is added for a new version, never changed.
func TestTheStoredFormStaysReadable(t *testing.T) {
	want := full(t)
	golden := filepath.Join("testdata", "state-v1.json")
	data, err := json.MarshalIndent(want, "", "  ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(golden, append(data, '\n'), 0o644))
	}
	stored, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(bytes.TrimSpace(stored)), string(data), "the encoding of version %d changed", Version)
	var got AgentState
	require.NoError(t, json.Unmarshal(stored, &got))
	again, err := json.MarshalIndent(got, "", "  ")
	require.NoError(t, err)
	assert.Equal(t, string(data), string(again), "what was stored is what is read")
}

func TestAStateOfALaterVersionIsRefused(t *testing.T) {
	var s AgentState
	require.ErrorIs(t, json.Unmarshal([]byte(`{"version": 2, "route": {"a": "shape of its own"}}`), &s), ErrNewerVersion)
	require.Error(t, json.Unmarshal([]byte(`{"version": "x"}`), &s))
	require.NoError(t, json.Unmarshal([]byte(`{"unknown": 1}`), &s), "fields that a later patch adds are no obstacle")
}

func TestAnEvidenceIDChangesWithEachOfItsParts(t *testing.T) {
	base := EvidenceID("a.md", 0, 3, "abc")
	assert.Equal(t, base, EvidenceID("a.md", 0, 3, "abc"))
	for _, other := range []string{EvidenceID("b.md", 0, 3, "abc"), EvidenceID("a.md", 1, 3, "abc"), EvidenceID("a.md", 0, 4, "abc"), EvidenceID("a.md", 0, 3, "abd")} {
		assert.NotEqual(t, base, other)
	}
}
