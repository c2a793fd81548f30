package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/tmc/langchaingo/llms"
)

const (
	anthropicVersion = "2023-06-01" // of the protocol; sent with every request
	anthropicPath    = "/v1/messages"
)

// anthropic speaks the Messages API without langchaingo, whose package for it sends neither the tool
// choice nor a JSON mode and tears text and tool calls of one reply apart.
type anthropic struct{ endpoint *endpoint }

// ask implements protocol.
func (p anthropic) ask(ctx context.Context, c *call, w *watch) (*llms.ContentResponse, error) {
	request, err := newAnthropicRequest(c)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("llm: writing the request: %w", err)
	}
	resp, err := p.endpoint.send(ctx, w, http.MethodPost, anthropicPath, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // it was read as far as it matters
	reader := anthropicReader{endpoint: p.endpoint, watch: w, out: c.out, replyTool: request.replyTool}
	var reply *anthropicReply
	if c.out.wanted() && !wholeType(resp.Header.Get("Content-Type")) {
		reply, err = reader.stream(ctx, resp.Body)
	} else {
		reply, err = reader.whole(ctx, resp)
	}
	if err != nil {
		return nil, err
	}
	if reply.StopReason == "" {
		return nil, p.endpoint.cut(errNoStopReason.Error(), nil, false)
	}
	return reply.response(request.replyTool), nil
}

// anthropicReader reads one reply.
type anthropicReader struct {
	endpoint  *endpoint
	watch     *watch
	out       sink
	replyTool string // the tool whose input is the reply's text; "" without a schema
}

// whole reads a reply that is one JSON object and shows its text in one piece where one asked to stream.
func (r anthropicReader) whole(ctx context.Context, resp *http.Response) (*anthropicReply, error) {
	raw, err := r.endpoint.readAll(ctx, resp)
	if err != nil {
		return nil, err
	}
	reply := new(anthropicReply)
	if err := r.endpoint.decode(raw, reply); err != nil {
		return nil, err
	}
	switch {
	case reply.Error != nil:
		return nil, r.endpoint.replyError(reply.Error, resp.StatusCode, raw)
	case reply.Type != "message":
		return nil, r.endpoint.malformed(fmt.Sprintf("it is no message but of type %q", clip(reply.Type, 40)), nil)
	}
	if !r.out.wanted() || reply.StopReason == "" {
		return reply, nil
	}
	text, thinking, _ := reply.parts(r.replyTool)
	r.watch.pause()
	return reply, r.out.show(ctx, r.watch, thinking, text)
}

// stream reads a reply of events to its message_stop. Everything else is an error: ErrCut, the sink's, or the cause of
// a done ctx.
func (r anthropicReader) stream(ctx context.Context, body io.Reader) (*anthropicReply, error) {
	events := newSSEReader(body)
	var parts anthropicAssembly
	for {
		event, err := events.next()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.watch.touch()
		if err != nil {
			return nil, r.endpoint.cut(brokenStream(err), endOfStream(err), true)
		}
		done, err := r.take(ctx, &parts, event)
		if err != nil {
			return nil, err
		}
		if done {
			return &parts.reply, nil
		}
	}
}

// take adds one event to the parts, shows its text, and tells whether it was the last.
func (r anthropicReader) take(ctx context.Context, parts *anthropicAssembly, event sseEvent) (done bool, err error) {
	var e anthropicEvent
	if err := json.Unmarshal(event.Data, &e); err != nil {
		return false, r.endpoint.cut("a line of the stream is malformed", err, true)
	}
	if e.Error != nil || e.Type == "error" {
		said := string(event.Data)
		if e.Error != nil {
			said = e.Error.Message
		}
		return false, r.endpoint.cut("the server reported in mid-stream: "+clip(oneLine(said), 300), nil, true)
	}
	if err := parts.add(e); err != nil {
		return false, r.endpoint.cut(err.Error(), nil, true)
	}
	text, thinking := parts.shown(e, r.replyTool)
	r.watch.pause() // the time that the caller takes is not the server's silence
	if err := r.out.show(ctx, r.watch, thinking, text); err != nil {
		return false, err
	}
	r.watch.touch()
	return e.Type == "message_stop", ctxCause(ctx)
}
