package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// exchange is one request being answered.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request
	request Request
	closing <-chan struct{}
	said    strings.Builder // the text streamed so far
}

// completion is an answer before it has a form.
type completion struct {
	Content, Thinking, Reason string
	Calls                     []llms.ToolCall
}

// whole sends c streamed or whole, as the request asks.
func (x *exchange) whole(c completion) {
	if !x.request.Stream {
		writeJSON(x.w, c.body(x.request))
		return
	}
	x.begin()
	if c.Thinking != "" {
		x.delta(map[string]any{"reasoning_content": c.Thinking})
	}
	x.words(c.Content)
	x.calls(c.Calls)
	x.finish(c.Reason)
}

func (c completion) body(r Request) map[string]any {
	message := map[string]any{"role": "assistant", "content": c.Content}
	if c.Thinking != "" {
		message["reasoning_content"] = c.Thinking
	}
	if len(c.Calls) > 0 {
		calls := make([]map[string]any, len(c.Calls))
		for i, call := range c.Calls {
			calls[i] = wireCall(call.ID, call.FunctionCall.Name, call.FunctionCall.Arguments)
		}
		message["content"], message["tool_calls"] = nil, calls
	}
	body := map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": r.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": nil}},
	}
	if c.Reason != "" {
		body["choices"].([]any)[0].(map[string]any)["finish_reason"] = c.Reason
		body["usage"] = usage(r, c.Content)
	}
	return body
}

func wireCall(id, name, arguments string) map[string]any {
	call := map[string]any{"type": "function", "function": map[string]any{"name": name, "arguments": arguments}}
	if id != "" {
		call["id"] = id
	}
	return call
}

// usage counts words.
func usage(r Request, answer string) map[string]any {
	prompt := 0
	for _, m := range r.Messages {
		prompt += len(strings.Fields(m.Text()))
	}
	reply := len(strings.Fields(answer))
	return map[string]any{"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
}

// begin sends the header of a stream.
func (x *exchange) begin() {
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.WriteHeader(http.StatusOK)
	x.delta(map[string]any{"role": "assistant", "content": ""})
}

// words streams text word by word.
func (x *exchange) words(text string) {
	for _, word := range strings.SplitAfter(text, " ") {
		if word != "" {
			x.said.WriteString(word)
			x.delta(map[string]any{"content": word})
		}
	}
}

// calls streams tool calls: the heads, then the halves of the arguments by turns.
func (x *exchange) calls(calls []llms.ToolCall) {
	part := func(i int, fields map[string]any) {
		fields["index"] = i
		x.delta(map[string]any{"tool_calls": []any{fields}})
	}
	for i, call := range calls {
		part(i, wireCall(call.ID, call.FunctionCall.Name, ""))
	}
	for half := range 2 {
		for i, call := range calls {
			arguments, middle := call.FunctionCall.Arguments, len(call.FunctionCall.Arguments)/2
			piece := arguments[:middle]
			if half == 1 {
				piece = arguments[middle:]
			}
			part(i, map[string]any{"function": map[string]any{"arguments": piece}})
		}
	}
}

// finish ends a stream in good order: the stop reason, the usage if it was asked for, [DONE].
func (x *exchange) finish(reason string) {
	x.chunk(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}, nil)
	if o := x.request.StreamOptions; o != nil && o.IncludeUsage {
		x.chunk(nil, usage(x.request, x.said.String()))
	}
	x.data("[DONE]")
}

func (x *exchange) delta(delta map[string]any) {
	x.chunk(map[string]any{"index": 0, "delta": delta, "finish_reason": nil}, nil)
}

func (x *exchange) chunk(choice, usage map[string]any) {
	choices := []any{}
	if choice != nil {
		choices = append(choices, choice)
	}
	x.data(encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": x.request.Model,
		"choices": choices, "usage": usage,
	}))
}

// data sends one event.
func (x *exchange) data(line string) {
	x.write("data: " + line + "\n\n")
	x.flush()
}

// write sends text; a client that went away is no failure of the server.
func (x *exchange) write(text string) {
	if _, err := io.WriteString(x.w, text); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func (x *exchange) flush() {
	if err := http.NewResponseController(x.w).Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := io.WriteString(w, encode(v)); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// encode writes what this package built, which always has a JSON form.
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return string(raw)
}

func quote(s string) string { return encode(s) }
