package llm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestAStreamedAnswerComesInPiecesAndAsAWhole(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("one two three"))
	var got collector
	resp, err := ask(t, newModel(t, s), got.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"one ", "two ", "three"}, got.pieces)
	assert.Equal(t, "one two three", resp.Choices[0].Content)
	assert.Equal(t, "stop", resp.Choices[0].StopReason)
	assert.Equal(t, llm.Usage{PromptTokens: 4, CompletionTokens: 3, TotalTokens: 7}, llm.UsageOf(resp))
	assert.True(t, s.Requests()[0].Stream)
}

func TestAStreamWithoutAGoodEndIsNeverAnAnswer(t *testing.T) {
	const word = `data: {"choices":[{"index":0,"delta":{"content":"partial"}}]}`
	const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	for name, reply := range map[string]llmtest.Reply{
		"the connection closes":                    llmtest.Cut("partial answer"),
		"[DONE] without a stop reason":             llmtest.NoStopReason("partial answer"),
		"the stream ends without [DONE]":           llmtest.Stream(word),
		"an error event":                           llmtest.MidStreamError("partial answer", "overloaded"),
		"an error event by name":                   llmtest.Stream(word, "event: error\ndata: {\"message\":\"overloaded\"}", stop, "data: [DONE]"),
		"an error as a bare string":                llmtest.Stream(word, `data: {"error":"overloaded"}`, stop, "data: [DONE]"),
		"a line of half a JSON object":             llmtest.Malformed(`data: {"choices":[{"delta":{"cont`),
		"a line that is no field":                  llmtest.Malformed(`error: {"code":500}`),
		"a line of prose":                          llmtest.Malformed("Internal Server Error"),
		"data that is prose":                       llmtest.Malformed("data: upstream failed"),
		"data that is another type":                llmtest.Malformed(`data: [1,2,3]`),
		"the stop reason null as a string":         llmtest.Stream(word, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"null"}]}`, "data: [DONE]"),
		"one of two choices without a stop reason": llmtest.Stream(word, `data: {"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`, "data: [DONE]"),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(reply)
			var got collector
			resp, err := ask(t, newModel(t, s), got.option())
			require.ErrorIs(t, err, llm.ErrCut)
			assert.Nil(t, resp)
			assert.NotEmpty(t, got.pieces, "the caller saw the beginning")
			assert.Len(t, s.Requests(), 1, "after the first piece nothing is asked again")
		})
	}
}

func TestAWholeReplyWithoutAGoodEndIsNeverAnAnswer(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.NoStopReason("partial answer"))
	_, err := ask(t, newModel(t, s))
	require.ErrorIs(t, err, llm.ErrCut)
	assert.ErrorContains(t, err, "without a stop reason")

	s.Reply(llmtest.Cut("partial answer"), llmtest.Raw("application/json", `{"choices":[{"message":{"content":"par`))
	_, err = ask(t, newModel(t, s, func(c *llm.Config) { c.MaxRetries = 1 }))
	require.ErrorIs(t, err, llm.ErrCut)
	assert.Len(t, s.Requests(), 3, "a connection that broke off is tried again, a bad end is not")
}

func TestTheErrorOfACutStreamSaysWhatTheServerReported(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.MidStreamError("partial", "the engine is overloaded"))
	_, err := ask(t, newModel(t, s), new(collector).option())
	assert.ErrorContains(t, err, "the engine is overloaded")
	assert.ErrorContains(t, err, s.URL)
}

func TestAStreamThatBreaksBeforeTheFirstPieceIsAskedAgain(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Cut(""), llmtest.MidStreamError("", "overloaded"), llmtest.Stream("data: [DONE]"), llmtest.Text("here now"))
	var got collector
	resp, err := ask(t, newModel(t, s), got.option())
	require.NoError(t, err)
	assert.Equal(t, "here now", resp.Choices[0].Content)
	assert.Equal(t, "here now", got.text())
}

func TestALineOfMoreThan64KiBIsRead(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000) // 200 kB, bufio.Scanner ends at 64 KiB
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text(long))
	var got collector
	resp, err := ask(t, newModel(t, s), got.option())
	require.NoError(t, err)
	assert.Equal(t, long, resp.Choices[0].Content)
	assert.Equal(t, long, got.text())
}

func TestTheStreamingFunctionNeverGetsToolCallsOrThinking(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(
		llmtest.ToolCalls(llmtest.Call("a", "search", `{"query":"x"}`)),
		llmtest.Thinking("let me see", "42"),
	)
	m := newModel(t, s)
	var got collector
	_, err := ask(t, m, got.option())
	require.NoError(t, err)
	assert.Empty(t, got.pieces)
	resp, err := ask(t, m, got.option())
	require.NoError(t, err)
	assert.Equal(t, []string{"42"}, got.pieces)
	assert.Equal(t, "42", resp.Choices[0].Content)
	assert.Equal(t, "let me see", resp.Choices[0].ReasoningContent)
}

func TestAReasoningFunctionGetsThinkingApartFromText(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Thinking("let me see", "the answer"))
	var thought, text string
	_, err := ask(t, newModel(t, s), llms.WithStreamingReasoningFunc(func(_ context.Context, reasoning, chunk []byte) error {
		thought, text = thought+string(reasoning), text+string(chunk)
		return nil
	}))
	require.NoError(t, err)
	assert.Equal(t, "let me see", thought)
	assert.Equal(t, "the answer", text)
}

func TestAnErrorOfTheStreamingFunctionStopsTheAnswer(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("one two three"))
	got := collector{fail: errStop}
	resp, err := ask(t, newModel(t, s), got.option())
	require.ErrorIs(t, err, errStop)
	assert.Nil(t, resp)
	assert.Equal(t, []string{"one "}, got.pieces)
	assert.Len(t, s.Requests(), 1)
}

func TestAServerThatCannotStreamHasItsReplyShownInOnePiece(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Raw("application/json; charset=utf-8", goodReply))
	var got collector
	resp, err := ask(t, newModel(t, s), got.option())
	require.NoError(t, err)
	assert.Equal(t, "fine", resp.Choices[0].Content)
	assert.Equal(t, []string{"fine"}, got.pieces)
}

func TestAStopReasonIsEnoughWhenTheServerClosesWithoutDone(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Stream(`data: {"choices":[{"index":0,"delta":{"content":"whole"},"finish_reason":"stop"}]}`))
	resp, err := ask(t, newModel(t, s), new(collector).option())
	require.NoError(t, err)
	assert.Equal(t, "whole", resp.Choices[0].Content)
}

// Each stream is a dialect that was seen in the wild.
func TestToolCallsOfAStreamKeepApartInEveryDialect(t *testing.T) {
	part := func(call string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}`
	}
	const end = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	for name, lines := range map[string][]string{
		"index 0 for all, new ids": {
			part(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}}`),
			part(`{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{\"n\":2}"}}`),
		},
		"no index, ids": {
			part(`{"id":"a","function":{"name":"f","arguments":"{\"n\""}}`), part(`{"function":{"arguments":":1}"}}`),
			part(`{"id":"b","function":{"name":"g","arguments":"{\"n\":2}"}}`),
		},
		"id and name repeated in every part": {
			part(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\""}}`),
			part(`{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}`),
			part(`{"index":1,"id":"b","function":{"name":"g","arguments":"{\"n\":2}"}}`),
		},
		"the id comes late": {
			part(`{"index":0,"function":{"name":"f","arguments":""}}`),
			part(`{"index":0,"id":"a","function":{"arguments":"{\"n\":1}"}}`),
			part(`{"index":1,"id":"b","function":{"name":"g","arguments":"{\"n\":2}"}}`),
		},
		"both in one event, arguments as an object": {
			part(`{"index":0,"id":"a","function":{"name":"f","arguments":{"n":1}}},{"index":1,"id":"b","function":{"name":"g","arguments":{"n":2}}}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(llmtest.Stream(append(lines, end, "data: [DONE]")...))
			resp, err := ask(t, newModel(t, s), new(collector).option())
			require.NoError(t, err)
			want := []llms.ToolCall{llmtest.Call("a", "f", `{"n":1}`), llmtest.Call("b", "g", `{"n":2}`)}
			assert.Equal(t, want, resp.Choices[0].ToolCalls)
		})
	}
	t.Run("neither index nor id", func(t *testing.T) {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Stream(part(`{"function":{"name":"f","arguments":"{\"n\":1}"}}`),
			part(`{"function":{"name":"g","arguments":"{\"n\":2}"}}`), end))
		resp, err := ask(t, newModel(t, s), new(collector).option())
		require.NoError(t, err)
		want := []llms.ToolCall{llmtest.Call("call_1", "f", `{"n":1}`), llmtest.Call("call_2", "g", `{"n":2}`)}
		assert.Equal(t, want, resp.Choices[0].ToolCalls)
	})
}

func TestSeveralChoicesOfAStreamComeInOrderAndOnlyTheFirstIsShown(t *testing.T) {
	var lines []string
	for _, i := range []int{1, 0} {
		lines = append(lines, fmt.Sprintf(`data: {"choices":[{"index":%d,"delta":{"content":"choice %d"},"finish_reason":"stop"}]}`, i, i))
	}
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Stream(append(lines, "data: [DONE]")...))
	var got collector
	resp, err := ask(t, newModel(t, s), got.option(), llms.WithN(2))
	require.NoError(t, err)
	require.Len(t, resp.Choices, 2)
	assert.Equal(t, "choice 0", resp.Choices[0].Content)
	assert.Equal(t, "choice 1", resp.Choices[1].Content)
	assert.Equal(t, []string{"choice 0"}, got.pieces)
}
