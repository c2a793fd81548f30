package llmtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Reply is what the server does with one request; make it with a function of this package. Where the
// protocol knows two forms it comes streamed or whole, as the request asks.
type Reply struct {
	serve func(*exchange)
}

// Text is a complete answer; streamed it comes word by word. Usage counts words.
func Text(answer string) Reply { return finished(answer, "stop") }

// Length is an answer that reached its token limit: complete as a reply, cut as a text.
func Length(answer string) Reply { return finished(answer, "length") }

func finished(answer, reason string) Reply {
	return Reply{func(x *exchange) { x.whole(completion{Content: answer, Reason: reason}) }}
}

// Thinking is an answer with thinking text beside it, in the field reasoning_content.
func Thinking(thinking, answer string) Reply {
	return Reply{func(x *exchange) { x.whole(completion{Thinking: thinking, Content: answer, Reason: "stop"}) }}
}

// ToolCalls asks for those calls. Streamed, their arguments come in pieces, taking turns between the
// calls. A call without an id goes out without one; one without FunctionCall panics.
func ToolCalls(calls ...llms.ToolCall) Reply {
	return Reply{func(x *exchange) { x.whole(completion{Calls: calls, Reason: "tool_calls"}) }}
}

// Call makes a tool call for [ToolCalls]; arguments is JSON.
func Call(id, name, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

// Status is an HTTP error with the protocol's error object. retryAfter is sent as the header where it
// is not "".
func Status(code int, retryAfter string) Reply {
	return StatusBody(code, retryAfter, fmt.Sprintf(`{"error":{"message":"scripted status %d","type":"scripted"}}`, code))
}

// StatusBody is Status with a body of its own.
func StatusBody(code int, retryAfter, body string) Reply {
	return Reply{func(x *exchange) {
		if retryAfter != "" {
			x.w.Header().Set("Retry-After", retryAfter)
		}
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(code)
		x.write(body)
	}}
}

// Raw answers 200 with exactly that body.
func Raw(contentType, body string) Reply {
	return Reply{func(x *exchange) {
		x.w.Header().Set("Content-Type", contentType)
		x.write(body)
	}}
}

// Cut begins an answer and then closes the connection, streamed or not.
func Cut(partial string) Reply {
	return Reply{func(x *exchange) {
		if x.request.Stream {
			x.begin()
			x.words(partial)
		} else {
			x.w.Header().Set("Content-Type", "application/json")
			x.w.Header().Set("Content-Length", "100000")
			x.write(`{"choices":[{"message":{"role":"assistant","content":` + quote(partial))
			x.flush()
		}
		panic(http.ErrAbortHandler) // net/http closes the connection without the end of the body
	}}
}

// NoStopReason ends in good order but gives no stop reason and no usage, as Ollama does when a model
// repeats itself.
func NoStopReason(partial string) Reply {
	return Reply{func(x *exchange) {
		if !x.request.Stream {
			x.whole(completion{Content: partial})
			return
		}
		x.begin()
		x.words(partial)
		x.data("[DONE]")
	}}
}

// Malformed streams a word, then that line in place of an event, then a good end. Whole, line is the
// body.
func Malformed(line string) Reply {
	return Reply{func(x *exchange) {
		if !x.request.Stream {
			x.w.Header().Set("Content-Type", "application/json")
			x.write(line)
			return
		}
		x.begin()
		x.words("before ")
		x.write(line + "\n\n")
		x.finish("stop")
	}}
}

// MidStreamError streams partial, then an error event, then closes in good order, as providers do
// when they are overloaded. Whole, it is an error object with status 200.
func MidStreamError(partial, reason string) Reply {
	return Reply{func(x *exchange) {
		object := `{"error":{"message":` + quote(reason) + `,"type":"server_error","code":null}}`
		if !x.request.Stream {
			x.w.Header().Set("Content-Type", "application/json")
			x.write(object)
			return
		}
		x.begin()
		x.words(partial)
		x.data(object)
		x.data("[DONE]")
	}}
}

// Stream sends exactly these lines as an event stream, each followed by a blank line: "data: {…}".
func Stream(lines ...string) Reply {
	return Raw("text/event-stream", strings.Join(lines, "\n\n")+"\n\n")
}
