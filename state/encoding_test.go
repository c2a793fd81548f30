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

// checked is a state with the fields of version 2, too.
func checked(t *testing.T) AgentState {
	s := full(t)
	half, decision := 0.5, DecideSelfCorrect
	verification := Verification{
		Outcome: OutcomeVerified, By: "llm", Confidence: .4, Level: LevelVeryLow, Checked: 2, Supported: 1, Partial: 1, Grounded: true,
		Claims:      []Claim{{Text: "It is.", Verdict: ClaimPartial, Score: .5, Quote: "is", ItemID: "a", Reasoning: "r"}},
		Corrections: []string{"say more"}, Reason: "why", Blind: "much",
	}
	confidence := Confidence{Total: .5, Components: Components{Relevance: &half}, Missing: []string{"consistency"}}
	return apply(t, s, Update{
		Verification: &verification, Confidence: &confidence, Decision: &decision, Targets: &[]string{"q"},
		Attempt: &Attempt{Kind: AttemptFirst, Answer: "It is [1].", Status: StatusAnswered, Citations: s.Citations, Message: "It is.",
			Verification: verification, Confidence: &confidence, Items: 1},
		Review: &Review{ID: "v1", Mode: ReviewBlocking, Status: ReviewCorrected, Priority: "high", Concerns: []string{"c"}, URL: "u",
			Reviewer: "me", Notes: "n", Corrected: "It was."},
		Draft: &Final{Answer: "It was [1].", Status: StatusAnswered, Citations: s.Citations, Message: "It was."},
	}, Update{Verification: &verification, Confidence: &confidence})
}

// The stored form of every released version is read for ever: a golden file is added for a new version, never changed.
func TestTheStoredFormStaysReadable(t *testing.T) {
	want := checked(t)
	golden := filepath.Join("testdata", "state-v2.json")
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

func TestTheStoredFormOfVersion1IsRead(t *testing.T) {
	stored, err := os.ReadFile(filepath.Join("testdata", "state-v1.json"))
	require.NoError(t, err)
	var got AgentState
	require.NoError(t, json.Unmarshal(stored, &got))
	want := full(t)
	want.Version = 1
	old, now := got.Settings, &want.Settings // what version 1 did not know is off
	now.WebSearch, now.VerifyMin, now.VerifyAttempts, now.ReviewMode = "", 0, 0, ""
	now.ConfidencePass, now.ConfidenceReview, now.ConfidenceCorrect, now.Floors = 0, 0, 0, Floors{}
	assert.Equal(t, *now, old)
	data, err := json.Marshal(got)
	require.NoError(t, err)
	wanted, err := json.Marshal(want)
	require.NoError(t, err)
	assert.JSONEq(t, string(wanted), string(data))
	assert.Equal(t, 1, got.Rounds, "its rounds are its iterations")
}

func TestAStateOfALaterVersionIsRefused(t *testing.T) {
	var s AgentState
	require.ErrorIs(t, json.Unmarshal([]byte(`{"version": 3, "route": {"a": "shape of its own"}}`), &s), ErrNewerVersion)
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
