package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the cut of the pieces and the order of the calls' turns, the parts come together.
func TestAStreamOfAnyCutGivesTheSameCompletion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.String().Draw(t, "content")
		calls := rapid.SliceOfN(rapid.StringMatching(`\{"q":"[a-z ]{0,12}"\}`), 0, 4).Draw(t, "calls")
		stream := cutUp(t, content, calls)
		e := newEndpoint(Config{BaseURL: "http://model.test"})
		w := new(watch)
		var shown strings.Builder
		got, err := e.readStream(context.Background(), strings.NewReader(stream), w, sink{text: func(_ context.Context, piece []byte) error {
			shown.Write(piece)
			return nil
		}})
		require.NoError(t, err, stream)
		require.Equal(t, content, string(got.Choices[0].Message.Content))
		require.Equal(t, content, shown.String())
		require.Len(t, got.Choices[0].Message.ToolCalls, len(calls))
		for i, call := range got.Choices[0].Message.ToolCalls {
			require.Equal(t, fmt.Sprint("id", i), call.ID)
			require.Equal(t, calls[i], string(call.Function.Arguments))
		}
	})
}

// cutUp writes the stream of an answer and of tool calls that take turns as rapid likes.
func cutUp(t *rapid.T, content string, calls []string) string {
	var b strings.Builder
	event := func(delta map[string]any, reason any) {
		raw, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}}})
		require.NoError(t, err)
		fmt.Fprintf(&b, "data: %s\n\n", raw)
	}
	for _, piece := range strings.SplitAfter(content, " ") {
		event(map[string]any{"content": piece}, nil)
	}
	call := func(i int, id, name, arguments string) {
		event(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": id, "function": map[string]any{"name": name, "arguments": arguments}}}}, nil)
	}
	rest := append([]string(nil), calls...)
	for i := range calls {
		call(i, fmt.Sprint("id", i), "f", "")
	}
	for strings.Join(rest, "") != "" {
		i := rapid.IntRange(0, len(rest)-1).Draw(t, "turn")
		n := rapid.IntRange(0, len(rest[i])).Draw(t, "length")
		call(i, "", "", rest[i][:n])
		rest[i] = rest[i][n:]
	}
	event(map[string]any{}, "stop")
	return b.String() + "data: [DONE]\n\n"
}

// A prefix of a good stream is never taken for the answer, wherever it is cut.
func TestAStreamCutAnywhereBeforeItsStopReasonIsCut(t *testing.T) {
	const reason = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	stream := `data: {"choices":[{"index":0,"delta":{"content":"one "}}]}` + "\n\n" +
		": ping\n\n" + `data: {"choices":[{"index":0,"delta":{"content":"two"}}]}` + "\n\n" + reason
	e := newEndpoint(Config{BaseURL: "http://model.test"})
	w := new(watch)
	for end := range len(stream) {
		_, err := e.readStream(t.Context(), strings.NewReader(stream[:end]), w, sink{})
		require.ErrorIs(t, err, ErrCut, "cut at %d", end)
	}
	_, err := e.readStream(t.Context(), strings.NewReader(stream), w, sink{})
	require.NoError(t, err)
}

func TestNothingIsShownAfterTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := newEndpoint(Config{BaseURL: "http://model.test"})
	_, err := e.readStream(ctx, strings.NewReader(`data: {"choices":[{"delta":{"content":"late"}}]}`), new(watch),
		sink{text: func(context.Context, []byte) error {
			t.Error("text was shown")
			return nil
		}})
	require.Equal(t, context.Canceled, err)
}
