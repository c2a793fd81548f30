package e2e

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// whole checks what holds of every finished run, whatever its model said.
func whole(t *testing.T, r run) {
	t.Helper()
	a := r.answer
	require.NotEmpty(t, strings.TrimSpace(a.Answer), "an answer is never empty")
	require.NotEmpty(t, a.Path)
	assert.Equal(t, nodes.NameAnalyzeAndRoute, a.Path[0])
	assert.Contains(t, a.Path, nodes.NameSynthesize)
	assert.Contains(t, []state.Status{
		state.StatusAnswered, state.StatusAbstained, state.StatusPass, state.StatusCorrected, state.StatusLowConfidence,
	}, a.Status)
	assert.NotEmpty(t, a.StopReason)
	if a.Status == state.StatusAnswered {
		assert.Equal(t, a.Answer, strings.TrimSpace(r.shown), "what was streamed is the answer")
	}
	for _, c := range a.Citations {
		text, ok := documents[c.Path[strings.LastIndex(c.Path, "/")+1:]]
		require.True(t, ok, "a source that exists: %s", c.Path)
		lines := strings.Split(text, "\n")
		require.True(t, 1 <= c.StartLine && c.StartLine <= c.EndLine && c.EndLine <= len(lines), "lines that exist: %v", c)
		cited := strings.Join(lines[c.StartLine-1:c.EndLine], "\n")
		assert.Contains(t, strings.Join(strings.Fields(cited), " "), strings.Join(strings.Fields(c.Quote), " "), "a quote that stands there")
	}
	for _, score := range a.EvidenceScores {
		assert.False(t, math.IsNaN(score) || score < 0 || score > 1, "a score from 0 to 1: %v", score)
	}
	u := a.Usage
	assert.Positive(t, u.LLMCalls)
	assert.Equal(t, u.PromptTokens+u.CompletionTokens, u.TotalTokens)
	byNode := 0
	for _, n := range u.ByNode {
		byNode += n
	}
	assert.Equal(t, u.LLMCalls, byNode, "every call is charged to a node")
	wellFormed(t, a.State)
}

// wellFormed checks the record of the tools.
func wellFormed(t *testing.T, s state.AgentState) {
	t.Helper()
	names := []string{"keyword_search", "vector_search", "hybrid_search", "grep", "read_file", "list_files"}
	for _, call := range s.ToolHistory {
		assert.True(t, slices.Contains(names, call.Name), "a tool that was offered: %s", call.Name)
		assert.True(t, json.Valid(call.Args), "arguments that are JSON: %s", call.Args)
		assert.False(t, call.Error != "" && len(call.ItemIDs) > 0, "a failed call is no evidence")
	}
}

// warned tells whether a warning says that a role was played by the built-in one.
func warned(a []string, role string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return strings.Contains(w, "the model failed as "+role) })
}
