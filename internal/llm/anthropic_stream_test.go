package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
)

func TestAnthropicAStreamShowsTheTextAndReturnsTheWhole(t *testing.T) {
	c := newClaude(t, events(messageStart, pingEvent, `{"type":"something_new","index":7}`, textStart, textDelta("it "), textDelta("works"), textStop, messageDelta, messageStop))
	var got collector
	resp, err := ask(t, c.model(t), got.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"it ", "works"}, got.pieces)
	assert.Equal(t, "it works", resp.Choices[0].Content)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
	assert.Equal(t, llm.Usage{PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15}, llm.UsageOf(resp))
	assert.Equal(t, true, c.requests[0].Body["stream"])
}

func TestAnthropicAStreamWithoutMessageStopIsCutAtEveryPlace(t *testing.T) {
	whole := []string{messageStart, textStart, textDelta("it "), textDelta("works"), textStop, messageDelta, messageStop}
	for n := range whole {
		c := newClaude(t, events(whole[:n]...))
		var got collector
		resp, err := ask(t, c.model(t, func(cfg *llm.Config) { cfg.MaxRetries = -1 }), got.option())
		require.ErrorIs(t, err, llm.ErrCut, "after %d events", n)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Nil(t, resp)
	}
}

func TestAnthropicABrokenConnectionInMidStreamIsCut(t *testing.T) {
	c := newClaude(t, func(w http.ResponseWriter, r *http.Request) {
		events(messageStart, textStart, textDelta("it "))(w, r)
		panic(http.ErrAbortHandler)
	})
	_, err := ask(t, c.model(t), new(collector).option())
	require.ErrorIs(t, err, llm.ErrCut)
	assert.Len(t, c.requests, 1, "what was shown is not asked for again")
}

func TestAnthropicAnErrorEventIsCutAndAskedAgainOnlyWhenNothingWasShown(t *testing.T) {
	c := newClaude(t, events(messageStart, overloaded), events(messageStart, textStart, textDelta("now"), textStop, messageDelta, messageStop))
	resp, err := ask(t, c.model(t), new(collector).option())
	require.NoError(t, err)
	assert.Equal(t, "now", resp.Choices[0].Content)

	c = newClaude(t, events(messageStart, textStart, textDelta("half "), overloaded))
	_, err = ask(t, c.model(t), new(collector).option())
	require.ErrorIs(t, err, llm.ErrCut)
	require.ErrorContains(t, err, "the server reported in mid-stream: Overloaded")
	assert.Len(t, c.requests, 1)
}

func TestAnthropicPiecesOfParallelToolCallsFindTheirCall(t *testing.T) {
	start := func(i int, id, name string) string {
		return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}}`, i, id, name)
	}
	part := func(i int, text string) string {
		return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, i, text)
	}
	done := `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`
	c := newClaude(t, events(messageStart, textStart, textDelta("I look."), start(1, "a", "f"), start(2, "b", "g"), start(3, "c", "h"),
		part(1, ""), part(1, `{"x"`), part(2, `{"y":`), part(1, `:1}`), part(2, `2}`), done, messageStop))
	var got collector
	resp, err := ask(t, c.model(t), got.option(), llms.WithTools([]llms.Tool{counter}))
	require.NoError(t, err)
	assert.Equal(t, "I look.", got.text(), "tool calls are never shown")
	calls := resp.Choices[0].ToolCalls
	require.Len(t, calls, 3)
	assert.Equal(t, []string{"a", "b", "c"}, []string{calls[0].ID, calls[1].ID, calls[2].ID})
	assert.Equal(t, `{"x":1}`, calls[0].FunctionCall.Arguments)
	assert.Equal(t, `{"y":2}`, calls[1].FunctionCall.Arguments)
	assert.Equal(t, `{}`, calls[2].FunctionCall.Arguments)
	assert.Equal(t, "tool_calls", resp.Choices[0].StopReason)
}

func TestAnthropicAStreamedSchemaReplyIsShownOnce(t *testing.T) {
	c := newClaude(t, events(messageStart, textStart, textDelta("Here:"), textStop,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"grades","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"scores\":"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"[1]}"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`, messageStop))
	var got collector
	resp, err := ask(t, c.model(t), got.option(), llm.Schema("grades", json.RawMessage(`{"type":"object"}`)))
	require.NoError(t, err)
	assert.Equal(t, `{"scores":[1]}`, resp.Choices[0].Content)
	assert.Equal(t, []string{resp.Choices[0].Content}, got.pieces)
}

func TestAnthropicThinkingIsStreamedApart(t *testing.T) {
	c := newClaude(t, events(messageStart,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"so"}}`,
		messageDelta, messageStop))
	var thought string
	resp, err := ask(t, c.model(t), llms.WithStreamingReasoningFunc(func(_ context.Context, thinking, _ []byte) error {
		thought += string(thinking)
		return nil
	}))
	require.NoError(t, err)
	assert.Equal(t, "hm", thought)
	assert.Equal(t, "hm", resp.Choices[0].ReasoningContent)
	assert.Equal(t, "so", resp.Choices[0].Content)
}

func TestAnthropicEventsOutOfOrderAreCut(t *testing.T) {
	for name, list := range map[string][]string{
		"a piece before its block":  {messageStart, textDelta("x"), messageDelta, messageStop},
		"a block that starts twice": {messageStart, textStart, textStart, messageDelta, messageStop},
		"no begin":                  {messageDelta, messageStop},
		"no stop reason":            {messageStart, textStart, textStop, messageStop},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t, newClaude(t, events(list...)).model(t, func(cfg *llm.Config) { cfg.MaxRetries = -1 }), new(collector).option())
			require.ErrorIs(t, err, llm.ErrCut)
		})
	}
}

func TestAnthropicAServerThatDoesNotStreamIsShownInOnePiece(t *testing.T) {
	c := newClaude(t, message("end_turn", `{"type":"text","text":"all at once"}`))
	var got collector
	_, err := ask(t, c.model(t), got.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"all at once"}, got.pieces)
}

func TestAnthropicACancelledStreamIsAlwaysTheErrorOfItsContext(t *testing.T) {
	for range 40 {
		c := newClaude(t, func(w http.ResponseWriter, r *http.Request) {
			events(messageStart, textStart, textDelta("begun "))(w, r)
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := c.model(t).GenerateContent(ctx, question("go on"), llms.WithStreamingFunc(func(context.Context, []byte) error {
			cancel()
			return nil
		}))
		require.Equal(t, context.Canceled, err)
		require.Nil(t, resp)
	}
}
