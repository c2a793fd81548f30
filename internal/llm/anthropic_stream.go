package llm

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// anthropicEvent is one event of a stream. Events of types that are not known here are let pass, as the protocol asks.
type anthropicEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *anthropicReply `json:"message"`
	Block   *anthropicBlock `json:"content_block"`
	Delta   anthropicDelta  `json:"delta"`
	Usage   anthropicUsage  `json:"usage"`
	Error   *wireError      `json:"error"`
}

type anthropicDelta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

// anthropicAssembly puts the events of a stream together.
type anthropicAssembly struct {
	reply anthropicReply
	begun bool
	at    []int // the index of each block of the reply
}

// add takes one event. Its error says what breaks the protocol.
func (a *anthropicAssembly) add(e anthropicEvent) error {
	switch e.Type {
	case "message_start":
		a.begun = true
		if e.Message != nil {
			a.reply.Usage.merge(e.Message.Usage)
		}
	case "content_block_start":
		if e.Block == nil || slices.Contains(a.at, e.Index) {
			return fmt.Errorf("block %d starts without content, or twice", e.Index)
		}
		a.at = append(a.at, e.Index)
		block := *e.Block
		if string(block.Input) == "{}" { // the true one comes in pieces
			block.Input = nil
		}
		a.reply.Content = append(a.reply.Content, block)
	case "content_block_delta":
		block := a.block(e.Index)
		if block == nil {
			return fmt.Errorf("a piece of block %d comes before its start", e.Index)
		}
		block.Text += e.Delta.Text
		block.Thinking += e.Delta.Thinking
		block.Input = append(block.Input, e.Delta.PartialJSON...)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.reply.StopReason = e.Delta.StopReason
		}
		a.reply.Usage.merge(e.Usage)
	case "message_stop":
		if !a.begun || a.reply.StopReason == "" {
			return errNoStopReason
		}
	}
	return nil
}

// block is the started block of that index; nil if there is none.
func (a *anthropicAssembly) block(index int) *anthropicBlock {
	if i := slices.Index(a.at, index); i >= 0 {
		return &a.reply.Content[i]
	}
	return nil
}

// shown is what of an event is shown while it comes: text and thinking. With a replyTool the text is known at the end
// only: it is the tool's input, or what was said where the server did not make the model call it.
func (a *anthropicAssembly) shown(e anthropicEvent, replyTool string) (text, thinking string) {
	block := a.block(e.Index)
	switch {
	case e.Type == "message_stop" && replyTool != "":
		text, _, _ = a.reply.parts(replyTool)
	case block == nil:
	case e.Type == "content_block_start":
		text, thinking = block.Text, block.Thinking
	case e.Type == "content_block_delta":
		text, thinking = e.Delta.Text, e.Delta.Thinking
	}
	if replyTool != "" && e.Type != "message_stop" {
		text = ""
	}
	return text, thinking
}

// brokenStream says how a stream ended before its message_stop.
func brokenStream(err error) string {
	if errors.Is(err, io.EOF) {
		return "the stream ended without its message_stop"
	}
	return "the stream broke off: " + err.Error()
}

// endOfStream is the cause of a cut stream: an end in good order came too early.
func endOfStream(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
