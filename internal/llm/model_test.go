package llm_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestAWholeReplyComesWithTextStopReasonAndUsage(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("it just works"))
	resp, err := ask(t, newModel(t, s))
	require.NoError(t, err)
	require.Len(t, resp.Choices, 1)
	assert.Equal(t, "it just works", resp.Choices[0].Content)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
	assert.Equal(t, llm.Usage{PromptTokens: 4, CompletionTokens: 3, TotalTokens: 7}, llm.UsageOf(resp))
	assert.False(t, s.Requests()[0].Stream, "nobody asked to stream")
	assert.Equal(t, "tiny", s.Requests()[0].Model)
}

func TestCallReturnsTheTextOfOnePrompt(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("yes"))
	text, err := newModel(t, s).Call(t.Context(), "is it so?")
	require.NoError(t, err)
	assert.Equal(t, "yes", text)
	assert.Equal(t, "is it so?", s.Requests()[0].Last())
}

func TestEverySamplingOptionReachesTheWire(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("ok"))
	_, err := ask(t, newModel(t, s), llms.WithTopP(0.25), llms.WithSeed(42), llms.WithTemperature(0.5),
		llms.WithStopWords([]string{"END"}), llms.WithModel("other"), llms.WithJSONMode())
	require.NoError(t, err)
	got := s.Requests()[0]
	require.NotNil(t, got.TopP, "langchaingo never sends it")
	assert.Equal(t, 0.25, *got.TopP)
	require.NotNil(t, got.Seed)
	assert.Equal(t, 42, *got.Seed)
	require.NotNil(t, got.Temperature)
	assert.Equal(t, 0.5, *got.Temperature)
	assert.Equal(t, []string{"END"}, got.Stop)
	assert.Equal(t, "other", got.Model)
	require.NotNil(t, got.ResponseFormat)
	assert.Equal(t, "json_object", got.ResponseFormat.Type)
}

func TestUnsetSamplingOptionsAreNotSentButTemperatureIsZero(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("ok"))
	_, err := ask(t, newModel(t, s))
	require.NoError(t, err)
	got := s.Requests()[0]
	for _, field := range []string{"top_p", "seed", "max_tokens", "max_completion_tokens", "response_format", "stream", "metadata"} {
		assert.False(t, got.Sent(field), "%s was sent", field)
	}
	require.NotNil(t, got.Temperature)
	assert.Zero(t, *got.Temperature)
}

func TestACompatibleServerGetsMaxTokensSinceOllamaIgnoresTheNewerField(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Length("half an"))
	resp, err := ask(t, newModel(t, s), llms.WithMaxTokens(2))
	require.NoError(t, err, "a reply that reached its token limit is the caller's to judge")
	assert.Equal(t, "length", resp.Choices[0].StopReason)
	assert.Equal(t, "half an", resp.Choices[0].Content)
	require.NotNil(t, s.Requests()[0].MaxTokens)
	assert.Equal(t, 2, *s.Requests()[0].MaxTokens)
	assert.False(t, s.Requests()[0].Sent("max_completion_tokens"))
}

func TestParallelToolCallsKeepApart(t *testing.T) {
	calls := []llms.ToolCall{
		llmtest.Call("a", "search", `{"query":"first question"}`),
		llmtest.Call("b", "read_file", `{"path":"docs/guide.md"}`),
		llmtest.Call("c", "search", `{"query":"third"}`),
	}
	for name, options := range map[string][]llms.CallOption{"whole": nil, "streamed": {new(collector).option()}} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(llmtest.ToolCalls(calls...))
			resp, err := ask(t, newModel(t, s), append(options, llms.WithTools(offered()))...)
			require.NoError(t, err)
			assert.Equal(t, calls, resp.Choices[0].ToolCalls)
			assert.Equal(t, "tool_calls", resp.Choices[0].StopReason)
			require.Len(t, s.Requests()[0].Tools, 1)
			assert.Equal(t, "search", s.Requests()[0].Tools[0].Function.Name)
		})
	}
}

func offered() []llms.Tool {
	return []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
		Name: "search", Description: "searches", Parameters: json.RawMessage(`{"type":"object"}`),
	}}}
}

func TestToolCallsWithoutAnIdGetOne(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.ToolCalls(llmtest.Call("", "a", "{}"), llmtest.Call("", "b", "{}")))
	resp, err := ask(t, newModel(t, s))
	require.NoError(t, err)
	require.Len(t, resp.Choices[0].ToolCalls, 2)
	assert.Equal(t, "call_1", resp.Choices[0].ToolCalls[0].ID)
	assert.Equal(t, "call_2", resp.Choices[0].ToolCalls[1].ID)
}

func TestAWholeToolConversationReachesTheWireWithSeveralResultsInOneMessage(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("done"))
	_, err := newModel(t, s).GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "be brief"),
		llms.TextParts(llms.ChatMessageTypeHuman, "two things"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
			llmtest.Call("a", "search", `{"q":1}`), llmtest.Call("b", "search", `{"q":2}`),
		}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: "a", Name: "search", Content: "one"},
			llms.ToolCallResponse{ToolCallID: "b", Name: "search", Content: "two"},
		}},
	})
	require.NoError(t, err)
	got := s.Requests()[0].Messages
	require.Len(t, got, 5)
	assert.Equal(t, "system", got[0].Role)
	require.Len(t, got[2].ToolCalls, 2)
	assert.Equal(t, `{"q":2}`, got[2].ToolCalls[1].Function.Arguments)
	for i, want := range []struct{ id, text string }{{"a", "one"}, {"b", "two"}} {
		assert.Equal(t, "tool", got[3+i].Role)
		assert.Equal(t, want.id, got[3+i].ToolCallID)
		assert.Equal(t, want.text, got[3+i].Text())
	}
}

func TestThinkingTextIsNeverPartOfTheAnswer(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"reasoning_content": llmtest.Thinking("hmm, let me see", "42"),
		"reasoning": llmtest.Raw("application/json",
			`{"choices":[{"message":{"content":"42","reasoning":"hmm, let me see"},"finish_reason":"stop"}]}`),
		"parts": llmtest.Raw("application/json",
			`{"choices":[{"message":{"content":[{"type":"thinking","text":"hmm"},{"type":"text","text":"42"}],"reasoning_content":"hmm, let me see"},"finish_reason":"stop"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(reply)
			resp, err := ask(t, newModel(t, s))
			require.NoError(t, err)
			assert.Equal(t, "42", resp.Choices[0].Content)
			assert.Equal(t, "hmm, let me see", resp.Choices[0].ReasoningContent)
		})
	}
}

func TestALegacyFunctionCallIsAToolCallAndAMissingOneNoPanic(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(
		llmtest.Raw("application/json", `{"choices":[{"message":{"content":null,"function_call":{"name":"f","arguments":{"x":1}}},"finish_reason":"function_call"}]}`),
		llmtest.Raw("application/json", `{"choices":[{"message":{"content":"odd"},"finish_reason":"function_call"}]}`),
		llmtest.Raw("application/json", `{"choices":[{"message":{"content":null,"function_call":{"name":"f","arguments":"{}"},`+
			`"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`),
	)
	m := newModel(t, s)
	resp, err := ask(t, m)
	require.NoError(t, err)
	require.Len(t, resp.Choices[0].ToolCalls, 1)
	assert.Equal(t, `{"x":1}`, resp.Choices[0].ToolCalls[0].FunctionCall.Arguments)
	resp, err = ask(t, m)
	require.NoError(t, err)
	assert.Equal(t, "odd", resp.Choices[0].Content)
	resp, err = ask(t, m)
	require.NoError(t, err)
	assert.Equal(t, []llms.ToolCall{llmtest.Call("a", "f", "{}")}, resp.Choices[0].ToolCalls, "both forms are one call")
}

func TestAConversationThatCannotBeSentIsRefusedBeforeTheWire(t *testing.T) {
	result := llms.ToolCallResponse{ToolCallID: "a", Content: "x"}
	for name, messages := range map[string][]llms.MessageContent{
		"no message":                  nil,
		"no parts":                    {{Role: llms.ChatMessageTypeHuman}},
		"a call without a function":   {{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "a"}}}},
		"a call of the user":          {{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llmtest.Call("a", "f", "{}")}}},
		"a result in a user message":  {{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{result}}},
		"a text as a tool's result":   {llms.TextParts(llms.ChatMessageTypeTool, "x")},
		"an unknown role":             {llms.TextParts("narrator", "x")},
		"top_p out of range (option)": question("x"),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			var options []llms.CallOption
			if name == "top_p out of range (option)" {
				options = append(options, llms.WithTopP(1.5))
			}
			_, err := newModel(t, s).GenerateContent(t.Context(), messages, options...)
			require.Error(t, err)
			assert.Empty(t, s.Requests())
		})
	}
}

func TestOneModelServesManyGoroutinesAtOnce(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Handle(func(r llmtest.Request) llmtest.Reply { return llmtest.Text("you said " + r.Last()) })
	m := newModel(t, s)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			prompt, options := string(rune('a'+i)), []llms.CallOption{llms.WithTopP(0.5)}
			var got collector
			if i%2 == 0 {
				options = append(options, got.option())
			}
			text, err := m.Call(t.Context(), prompt, options...)
			assert.NoError(t, err)
			assert.Equal(t, "you said "+prompt, text)
			if i%2 == 0 {
				assert.Equal(t, text, got.text())
			}
		})
	}
	wg.Wait()
	assert.Len(t, s.Requests(), 32)
}
