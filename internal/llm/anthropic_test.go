package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
)

// claude is a server that speaks the Messages API: it answers from a script and keeps the requests.
type claude struct {
	URL string

	mu       sync.Mutex
	script   []http.HandlerFunc
	requests []claudeRequest
}

type claudeRequest struct {
	Header http.Header
	Path   string
	Body   map[string]any
}

func newClaude(t *testing.T, script ...http.HandlerFunc) *claude {
	t.Helper()
	c := &claude{script: script}
	s := httptest.NewServer(c)
	c.URL = s.URL
	t.Cleanup(func() {
		s.Close()
		assert.Empty(t, c.script, "replies that were never asked for")
	})
	return c
}

func (c *claude) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := claudeRequest{Header: r.Header.Clone(), Path: r.URL.Path}
	raw, err := io.ReadAll(r.Body)
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &request.Body)
	}
	c.mu.Lock()
	c.requests = append(c.requests, request)
	var answer http.HandlerFunc
	if len(c.script) > 0 {
		answer, c.script = c.script[0], c.script[1:]
	}
	c.mu.Unlock()
	if err != nil || answer == nil {
		http.Error(w, fmt.Sprintf("unscripted (%v)", err), http.StatusTeapot)
		return
	}
	answer(w, r)
}

// model is a model on that server which retries without losing time.
func (c *claude) model(t *testing.T, change ...func(*llm.Config)) *llm.Model {
	t.Helper()
	cfg := llm.Config{Provider: llm.ProviderAnthropic, BaseURL: c.URL, Model: "claude", RetryWait: time.Microsecond}
	for _, f := range change {
		f(&cfg)
	}
	m, err := llm.New(cfg)
	require.NoError(t, err)
	return m
}

// says answers with one JSON object.
func says(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// message is a whole reply with those blocks.
func message(stop, blocks string) http.HandlerFunc {
	return says(200, `{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[`+blocks+
		`],"stop_reason":"`+stop+`","stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":5}}`)
}

// events streams events of the protocol, each named by its type, and closes in good order.
func events(list ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, data := range list {
			var e struct{ Type string }
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				panic(err)
			}
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Type, data)
			http.NewResponseController(w).Flush()
		}
	}
}

const (
	messageStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude","stop_reason":null,"usage":{"input_tokens":10,"output_tokens":1}}}`
	pingEvent    = `{"type":"ping"}`
	textStart    = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	textStop     = `{"type":"content_block_stop","index":0}`
	messageDelta = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5}}`
	messageStop  = `{"type":"message_stop"}`
	overloaded   = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
)

func textDelta(text string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text)
}

func TestAnthropicARequestIsInTheWordsOfTheProtocol(t *testing.T) {
	c := newClaude(t, message("end_turn", `{"type":"text","text":"fine"}`))
	m := c.model(t, func(cfg *llm.Config) { cfg.APIKey = secret; cfg.BaseURL += "/v1/" })
	resp, err := m.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "be brief"),
		llms.TextParts(llms.ChatMessageTypeHuman, "how many", " "),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
			llms.TextContent{Text: "I look"},
			llms.ToolCall{ID: "a", FunctionCall: &llms.FunctionCall{Name: "count", Arguments: `{"of":"files"}`}},
			llms.ToolCall{ID: "b", FunctionCall: &llms.FunctionCall{Name: "today"}},
		}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: "a", Name: "count", Content: "7"},
			llms.ToolCallResponse{ToolCallID: "b", Name: "today", Content: "Monday"},
		}},
		llms.TextParts(llms.ChatMessageTypeHuman, "and now?"),
		llms.TextParts(llms.ChatMessageTypeSystem, "in English"),
	}, llms.WithMaxTokens(99), llms.WithTopP(0.5), llms.WithStopWords([]string{"END"}), llms.WithTemperature(0.25))
	require.NoError(t, err)
	assert.Equal(t, "fine", resp.Choices[0].Content)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
	assert.Equal(t, llm.Usage{PromptTokens: 15, CompletionTokens: 5, TotalTokens: 20}, llm.UsageOf(resp), "what came from the cache counts")

	got := c.requests[0]
	assert.Equal(t, "/v1/messages", got.Path, "a version in the base URL is not doubled")
	assert.Equal(t, secret, got.Header.Get("X-Api-Key"))
	assert.Equal(t, "2023-06-01", got.Header.Get("Anthropic-Version"))
	assert.Empty(t, got.Header.Get("Authorization"))
	raw, err := json.Marshal(got.Body)
	require.NoError(t, err)
	assert.JSONEq(t, `{"model":"claude","max_tokens":99,"temperature":0.25,"top_p":0.5,"stop_sequences":["END"],"system":"be brief\n\nin English","messages":[
		{"role":"user","content":[{"type":"text","text":"how many"}]},
		{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"a","name":"count","input":{"of":"files"}},{"type":"tool_use","id":"b","name":"today","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"7"},{"type":"tool_result","tool_use_id":"b","content":"Monday"},{"type":"text","text":"and now?"}]}
	]}`, string(raw))
}

func TestAnthropicACallWithoutLimitHasTheDefaultOneAndTemperatureZero(t *testing.T) {
	c := newClaude(t, message("end_turn", ""))
	resp, err := ask(t, c.model(t))
	require.NoError(t, err)
	assert.Empty(t, resp.Choices[0].Content)
	assert.EqualValues(t, llm.DefaultAnthropicMaxTokens, c.requests[0].Body["max_tokens"])
	assert.EqualValues(t, 0, c.requests[0].Body["temperature"])
	assert.NotContains(t, c.requests[0].Body, "stream")
	assert.NotContains(t, c.requests[0].Body, "tools")
}

var counter = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
	Name: "count", Description: "counts", Parameters: json.RawMessage(`{"type":"object","properties":{"of":{"type":"string"}}}`),
}}

// langchaingo sends no tool choice and gives text and calls as separate choices.
func TestAnthropicToolsAndTheirChoiceAreSentAndTextAndCallsAreOneChoice(t *testing.T) {
	c := newClaude(t, message("tool_use", `{"type":"text","text":"I count. "},{"type":"tool_use","id":"a","name":"count","input":{"of":"files"}},
		{"type":"tool_use","id":"b","name":"count","input":{"of":"folders"}},{"type":"tool_use","id":"c","name":"today","input":{}}`))
	resp, err := ask(t, c.model(t), llms.WithTools([]llms.Tool{counter}), llms.WithToolChoice("required"))
	require.NoError(t, err)
	require.Len(t, resp.Choices, 1)
	choice := resp.Choices[0]
	assert.Equal(t, "I count. ", choice.Content)
	assert.Equal(t, "tool_calls", choice.StopReason)
	require.Len(t, choice.ToolCalls, 3)
	assert.Equal(t, "a", choice.ToolCalls[0].ID)
	assert.JSONEq(t, `{"of":"folders"}`, choice.ToolCalls[1].FunctionCall.Arguments)
	assert.Equal(t, "{}", choice.ToolCalls[2].FunctionCall.Arguments)
	assert.Equal(t, map[string]any{"type": "any"}, c.requests[0].Body["tool_choice"])
	assert.Equal(t, []any{map[string]any{"name": "count", "description": "counts", "input_schema": map[string]any{
		"type": "object", "properties": map[string]any{"of": map[string]any{"type": "string"}},
	}}}, c.requests[0].Body["tools"])
}

func TestAnthropicEachFormOfToolChoiceIsUnderstoodAndAnotherRefused(t *testing.T) {
	for want, choice := range map[string]any{
		`{"type":"auto"}`:                "auto",
		`{"type":"none"}`:                llms.ToolChoice{Type: "none"},
		`{"type":"tool","name":"count"}`: llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: "count"}},
		`{"name":"today","type":"tool"}`: &llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: "today"}},
	} {
		c := newClaude(t, message("end_turn", ""))
		_, err := ask(t, c.model(t), llms.WithTools([]llms.Tool{counter}), llms.WithToolChoice(choice))
		require.NoError(t, err)
		raw, err := json.Marshal(c.requests[0].Body["tool_choice"])
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
	_, err := ask(t, newClaude(t).model(t), llms.WithToolChoice("sometimes"))
	require.ErrorContains(t, err, "the tool choice sometimes is unknown")
}

// langchaingo ignores its JSON mode here.
func TestAnthropicASchemaIsAForcedToolWhoseInputIsTheReply(t *testing.T) {
	c := newClaude(t, message("tool_use", `{"type":"text","text":"Here it is:"},{"type":"tool_use","id":"a","name":"grades","input":{"scores":[0.5]}}`))
	resp, err := ask(t, c.model(t), llm.Schema("grades", json.RawMessage(`{"type":"object","required":["scores"]}`)))
	require.NoError(t, err)
	choice := resp.Choices[0]
	assert.JSONEq(t, `{"scores":[0.5]}`, choice.Content)
	assert.Equal(t, "stop", choice.StopReason)
	assert.Empty(t, choice.ToolCalls)
	assert.Equal(t, map[string]any{"type": "tool", "name": "grades"}, c.requests[0].Body["tool_choice"])

	c = newClaude(t, message("tool_use", `{"type":"tool_use","id":"a","name":"reply","input":{"x":1}}`))
	resp, err = ask(t, c.model(t), llms.WithJSONMode())
	require.NoError(t, err)
	assert.JSONEq(t, `{"x":1}`, resp.Choices[0].Content)

	c = newClaude(t, message("end_turn", `{"type":"text","text":"[0.5]"}`))
	resp, err = ask(t, c.model(t), llms.WithJSONMode())
	require.NoError(t, err)
	assert.Equal(t, "[0.5]", resp.Choices[0].Content, "a server that does not force the call")

	_, err = ask(t, newClaude(t).model(t), llms.WithJSONMode(), llms.WithTools([]llms.Tool{counter}))
	require.ErrorContains(t, err, "in two calls")
}

func TestAnthropicWhatTheModelRefusesIsLeftOut(t *testing.T) {
	refusal := func(text string) http.HandlerFunc {
		return says(400, `{"type":"error","error":{"type":"invalid_request_error","message":"`+text+`"}}`)
	}
	fine := message("end_turn", `{"type":"text","text":"[0.5]"}`)
	c := newClaude(t, refusal("temperature is deprecated for this model"), fine, fine,
		refusal("Thinking may not be enabled when tool_choice forces tool use."), fine, fine)
	m := c.model(t)
	schema := llm.Schema("grades", json.RawMessage(`{"type":"object"}`))
	for _, options := range [][]llms.CallOption{nil, nil, {schema}, {schema}} {
		_, err := ask(t, m, options...)
		require.NoError(t, err)
	}
	sent := func(i int, field string) bool { _, ok := c.requests[i].Body[field]; return ok }
	assert.True(t, sent(0, "temperature"))
	assert.False(t, sent(1, "temperature"))
	assert.False(t, sent(2, "temperature"), "it is remembered")
	assert.True(t, sent(3, "tool_choice"))
	assert.False(t, sent(4, "tool_choice"))
	assert.False(t, sent(5, "tool_choice"), "it is remembered")
}

func TestAnthropicStopReasonsAreThoseOfTheOtherProtocol(t *testing.T) {
	for reason, want := range map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
		"refusal": "content_filter", "pause_turn": "pause_turn",
	} {
		resp, err := ask(t, newClaude(t, message(reason, `{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"so"}`)).model(t))
		require.NoError(t, err)
		assert.Equal(t, want, resp.Choices[0].StopReason)
		assert.Equal(t, "so", resp.Choices[0].Content)
		assert.Equal(t, "hm", resp.Choices[0].ReasoningContent)
	}
	_, err := ask(t, newClaude(t, message("", `{"type":"text","text":"so"}`)).model(t))
	require.ErrorIs(t, err, llm.ErrCut, "a reply without a stop reason")
}

func TestAnthropicAReplyThatIsNoMessageIsMalformed(t *testing.T) {
	for _, body := range []string{`{"choices":[]}`, `[]`, `<html>`} {
		_, err := ask(t, newClaude(t, says(200, body)).model(t))
		require.ErrorIs(t, err, llm.ErrMalformed)
		assert.ErrorContains(t, err, "not what the Anthropic protocol says")
	}
}

func TestAnthropicErrorsAreTypedAndHideTheKey(t *testing.T) {
	c := newClaude(t, says(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key `+secret+`"}}`))
	_, err := ask(t, c.model(t, func(cfg *llm.Config) { cfg.APIKey = secret }))
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 401, status.Status)
	assert.ErrorContains(t, err, "check the API key (the server said: invalid x-api-key [API key])")
	assert.NotContains(t, err.Error(), secret)

	_, err = ask(t, newClaude(t, says(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`)).model(t))
	require.ErrorContains(t, err, "check plan and billing")
}

func TestAnthropicAnOverloadedServerIsAskedAgain(t *testing.T) {
	busy := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "0.001")
		says(529, overloaded)(w, r)
	}
	c := newClaude(t, busy, busy, message("end_turn", `{"type":"text","text":"now"}`))
	resp, err := ask(t, c.model(t))
	require.NoError(t, err)
	assert.Equal(t, "now", resp.Choices[0].Content)

	_, err = ask(t, newClaude(t, busy).model(t, func(cfg *llm.Config) { cfg.MaxRetries = -1 }))
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, time.Millisecond, status.RetryAfter)
	assert.ErrorContains(t, err, "it is overloaded: try again later (the server said: Overloaded)")
}

func TestAnthropicAnErrorObjectInPlaceOfAReplyIsAStatusError(t *testing.T) {
	_, err := ask(t, newClaude(t, says(200, overloaded)).model(t, func(cfg *llm.Config) { cfg.MaxRetries = -1 }))
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
}

func TestAnthropicThePingAsksForTheListOfModels(t *testing.T) {
	list := says(200, `{"data":[{"type":"model","id":"claude-x-20260101"}],"has_more":false}`)
	c := newClaude(t, list, list, list)
	cfg := llm.Config{Provider: llm.ProviderAnthropic, BaseURL: c.URL, APIKey: secret, Model: "claude-x-20260101"}
	require.NoError(t, llm.Ping(t.Context(), cfg))
	assert.Equal(t, "/v1/models", c.requests[0].Path)
	assert.Equal(t, secret, c.requests[0].Header.Get("X-Api-Key"))
	cfg.Model = "claude-x-latest"
	require.NoError(t, llm.Ping(t.Context(), cfg), "an alias is listed under its dates")
	cfg.Model = "claude-y"
	require.ErrorIs(t, llm.Ping(t.Context(), cfg), llm.ErrModelUnknown)
}

func TestAnUnknownProviderIsRefused(t *testing.T) {
	_, err := llm.New(llm.Config{Provider: "nobody", BaseURL: "http://host", Model: "m"})
	require.ErrorContains(t, err, `the provider "nobody" is unknown: it is openai or anthropic`)
	assert.Contains(t, llm.Config{Provider: llm.ProviderAnthropic, Model: "m"}.String(), llm.DefaultAnthropicBaseURL)
}

func TestAnthropicACancelWhileTheServerThinksIsTheErrorOfItsContext(t *testing.T) {
	arrived := make(chan struct{})
	c := newClaude(t, func(_ http.ResponseWriter, r *http.Request) { close(arrived); <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := c.model(t).GenerateContent(ctx, question("go on"))
	require.Equal(t, context.Canceled, err)
}

func TestAnthropicPartsThatCannotBeSentAreRefusedByName(t *testing.T) {
	m := newClaude(t).model(t)
	for want, msgs := range map[string][]llms.MessageContent{
		"but the system's": {llms.TextParts(llms.ChatMessageTypeSystem, "x")},
		"are not JSON": {{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
			llms.ToolCall{ID: "a", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: "{"}},
		}}},
		"of the old kind": {{Role: llms.ChatMessageTypeFunction, Parts: []llms.ContentPart{llms.ToolCallResponse{Content: "x"}}}},
	} {
		_, err := m.GenerateContent(t.Context(), msgs)
		require.ErrorContains(t, err, want)
	}
}

func TestAnthropicImagesGoAsTheirSource(t *testing.T) {
	c := newClaude(t, message("end_turn", ""))
	_, err := c.model(t).GenerateContent(t.Context(), []llms.MessageContent{{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.BinaryContent{MIMEType: "image/png", Data: []byte("png")}, llms.ImageURLContent{URL: "https://host/x.png"},
	}}})
	require.NoError(t, err)
	raw, err := json.Marshal(c.requests[0].Body["messages"])
	require.NoError(t, err)
	assert.JSONEq(t, `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}},
		{"type":"image","source":{"type":"url","url":"https://host/x.png"}}]}]`, string(raw))
	assert.False(t, strings.Contains(string(raw), `"text"`))
}
