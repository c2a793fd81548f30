package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readStream reads a streamed completion to its end, shows its text to sink as it comes, and
// returns the whole. Everything but a finished completion is an error: ErrCut, the sink's, or the
// cause of a done ctx.
func (e *endpoint) readStream(ctx context.Context, body io.Reader, w *watch, out sink) (*completion, error) {
	reader := newSSEReader(body)
	var parts assembly
	for {
		event, err := reader.next()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w.touch()
		switch {
		case err != nil && parts.finished():
			// Some servers close, or even reset, after the stop reason: the answer is whole.
			return parts.whole(), nil
		case errors.Is(err, io.EOF):
			return nil, e.cut(errNoStopReason.Error(), io.ErrUnexpectedEOF, true)
		case err != nil:
			return nil, e.cut("the stream broke off: "+err.Error(), err, true)
		case bytes.Equal(bytes.TrimSpace(event.Data), []byte("[DONE]")):
			if !parts.finished() {
				return nil, e.cut(errNoStopReason.Error(), nil, true)
			}
			return parts.whole(), nil
		}
		if err := e.takeEvent(ctx, &parts, event, w, out); err != nil {
			return nil, err
		}
	}
}

// takeEvent adds one event to the parts and shows its text.
func (e *endpoint) takeEvent(ctx context.Context, parts *assembly, event sseEvent, w *watch, out sink) error {
	var chunk completion
	if err := json.Unmarshal(event.Data, &chunk); err != nil {
		return e.cut("a line of the stream is malformed", err, true)
	}
	if event.Name == "error" && chunk.Error == nil {
		chunk.Error = &wireError{Message: string(event.Data)}
	}
	if chunk.Error != nil {
		return e.cut("the server reported in mid-stream: "+clip(oneLine(chunk.Error.Message), 300), nil, true)
	}
	parts.add(chunk)
	for _, ch := range chunk.Choices {
		if ch.Index != 0 || ch.Delta == nil {
			continue // only the first choice is shown, as only one can be read at a time
		}
		thinking := ch.Delta.Thinking
		if thinking == "" {
			thinking = ch.Delta.Reasoning
		}
		w.pause() // the time that the caller takes is not the server's silence
		if err := out.show(ctx, w, string(thinking), string(ch.Delta.Content)); err != nil {
			return err
		}
		w.touch()
	}
	return ctxCause(ctx)
}

// ctxCause is the cause of a done ctx, else nil.
func ctxCause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// sink is where the caller wants the text while it comes; its fields may be nil.
type sink struct {
	text     func(ctx context.Context, chunk []byte) error
	thinking func(ctx context.Context, reasoning, chunk []byte) error
}

func (s sink) wanted() bool { return s.text != nil || s.thinking != nil }

// show passes on what is not empty. Tool calls never come here.
func (s sink) show(ctx context.Context, w *watch, thinking, content string) error {
	if s.text != nil && content != "" {
		w.shown = true
		if err := s.text(ctx, []byte(content)); err != nil {
			return fmt.Errorf("llm: the streaming function stopped the answer: %w", err)
		}
	}
	if s.thinking != nil && (thinking != "" || content != "") {
		w.shown = true
		if err := s.thinking(ctx, []byte(thinking), []byte(content)); err != nil {
			return fmt.Errorf("llm: the streaming function stopped the answer: %w", err)
		}
	}
	return nil
}
