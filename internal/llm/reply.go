package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

const chatPath = "/chat/completions"

// chat sends the request that langchaingo built, amended, and reads the whole reply.
func (e *endpoint) chat(req *http.Request, x *exchange) (*completion, error) {
	ctx := req.Context()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("llm: reading langchaingo's request: %w", err)
	}
	if body, err = x.call.amend(body); err != nil {
		return nil, err
	}
	resp, err := e.send(ctx, x.watch, http.MethodPost, chatPath, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // it was read as far as it matters
	reply, err := e.readReply(ctx, resp, x)
	if err != nil {
		return nil, err
	}
	switch err := reply.complete(); {
	case errors.Is(err, errNoStopReason):
		return nil, e.cut(err.Error(), nil, false)
	case err != nil:
		return nil, e.malformed(err.Error(), nil)
	}
	return reply, nil
}

// readReply reads a stream when one was asked for and one came; a server that answers a streaming
// request with a whole reply has it shown in one piece.
func (e *endpoint) readReply(ctx context.Context, resp *http.Response, x *exchange) (*completion, error) {
	wanted := x.call.out.wanted()
	if wanted && !wholeType(resp.Header.Get("Content-Type")) {
		return e.readStream(ctx, resp.Body, x.watch, x.call.out)
	}
	reply, err := e.readWhole(ctx, resp)
	if err != nil || !wanted || len(reply.Choices) == 0 || reply.Choices[0].FinishReason == "" {
		return reply, err
	}
	m := reply.Choices[0].Message
	x.watch.pause()
	return reply, x.call.out.show(ctx, x.watch, string(m.Thinking+m.Reasoning), string(m.Content))
}

// wholeType tells the content types that no stream has; servers are sloppy about the others.
func wholeType(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || kind == "text/html")
}

// readWhole reads a reply that is one JSON object. An error object in its place is a *StatusError.
func (e *endpoint) readWhole(ctx context.Context, resp *http.Response) (*completion, error) {
	raw, err := e.readAll(ctx, resp)
	if err != nil {
		return nil, err
	}
	reply := new(completion)
	if err := e.decode(raw, reply); err != nil {
		return nil, err
	}
	if reply.Error != nil {
		return nil, e.replyError(reply.Error, resp.StatusCode, raw)
	}
	return reply, nil
}

// decode reads a whole JSON reply; one that lacks its end is ErrCut and may be asked for again.
func (e *endpoint) decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	switch {
	case err == nil:
		return nil
	case truncated(err, raw):
		return e.cut("it breaks off in the middle", err, true)
	}
	return e.malformed("it begins with "+clip(oneLine(string(raw)), 80), err)
}

// replyError is an error object that came with a good status.
func (e *endpoint) replyError(w *wireError, status int, raw []byte) error {
	return &StatusError{
		Status: w.status(status), Endpoint: e.cfg.BaseURL,
		Body: clip(e.redact(string(raw)), maxErrorBody),
	}
}

// truncated tells a JSON object that lacks its end from something else.
func truncated(err error, raw []byte) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) &&
		syntax.Offset >= int64(len(raw))
}

// status is the code of an error object where it is an HTTP error status, else the answer's own.
func (w *wireError) status(own int) int {
	if w.Code >= 400 && w.Code < 600 {
		return w.Code
	}
	return own
}
