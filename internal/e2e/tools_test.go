package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/nodes"
)

// The planner is offered the tools; what it calls is run, and what it does not call the built-in planner plans.
func TestThePlannerIsOfferedTheToolsAndEveryCallHasItsRecord(t *testing.T) {
	roles := new(roleCounter)
	w := build(t, server(t), options{settings: graded, wrap: countRoles(roles)})
	for _, q := range []string{"How long are old logs kept?", "What does disk.md say?", "When does the backup run?"} {
		r, err := w.ask(t.Context(), agent.Question{Text: q})
		require.NoError(t, err)
		whole(t, r)
		s := r.answer.State
		assert.LessOrEqual(t, s.Iteration, s.Settings.MaxIterations)
		ids := map[string]bool{}
		for _, call := range s.ToolHistory {
			assert.False(t, ids[call.ID], "the id %s is there once", call.ID)
			ids[call.ID] = true
		}
		t.Logf("%q: %d calls of tools, warnings %q", q, len(s.ToolHistory), r.answer.Warnings)
	}
	if roles.models[nodes.RolePlanner] != "" {
		assert.True(t, roles.tools[nodes.RolePlanner], "the planner's request holds the tools")
	}
}

// A whole loop at the model's port: a call, its result, an answer.
func TestAToolLoopGoesFromTheCallOverItsResultToAnAnswer(t *testing.T) {
	w := build(t, server(t), options{})
	offer := llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
		Name: "search_kb", Description: "Searches the knowledge base.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	}}})
	talk := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Look up the refund window with the tool, then answer.")}
	calls := 0
	for range 3 {
		resp, err := w.model.GenerateContent(t.Context(), talk, offer, llms.WithMaxTokens(256))
		require.NoError(t, err)
		choice := resp.Choices[0]
		require.NotEmpty(t, choice.StopReason)
		if len(choice.ToolCalls) == 0 {
			break
		}
		require.Equal(t, "tool_calls", choice.StopReason)
		said := llms.MessageContent{Role: llms.ChatMessageTypeAI}
		results := llms.MessageContent{Role: llms.ChatMessageTypeTool}
		for _, call := range choice.ToolCalls {
			calls++
			require.NotEmpty(t, call.ID)
			assert.Equal(t, "search_kb", call.FunctionCall.Name)
			assert.True(t, json.Valid([]byte(call.FunctionCall.Arguments)), call.FunctionCall.Arguments)
			said.Parts = append(said.Parts, call)
			results.Parts = append(results.Parts, llms.ToolCallResponse{ToolCallID: call.ID, Name: call.FunctionCall.Name, Content: documents["refunds.md"]})
		}
		talk = append(talk, said, results)
	}
	t.Logf("the model made %d calls", calls)
}
