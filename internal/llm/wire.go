package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// completion is a chat completion, or one chunk of a streamed one (then its choices hold deltas).
// It reads what real servers send and writes only what langchaingo understands.
type completion struct {
	ID      string     `json:"id,omitempty"`
	Model   string     `json:"model,omitempty"`
	Object  string     `json:"object,omitempty"`
	Choices []choice   `json:"choices"`
	Usage   *usage     `json:"usage,omitempty"`
	Error   *wireError `json:"error,omitempty"`
}

type choice struct {
	Index        int      `json:"index"`
	Message      message  `json:"message"`
	Delta        *message `json:"delta,omitempty"`
	FinishReason string   `json:"finish_reason"`
}

type message struct {
	Role      string     `json:"role,omitempty"`
	Content   text       `json:"content"`
	Thinking  aside      `json:"reasoning_content,omitempty"`
	Reasoning aside      `json:"reasoning,omitempty"` // the same thing at Ollama, vLLM and OpenRouter
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
	Function  *function  `json:"function_call,omitempty"`
}

type toolCall struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	PromptDetails    struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// text reads a string, null, or a list of parts, of which only those of type "text" are the answer.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	if !bytes.HasPrefix(raw, []byte("[")) {
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var b strings.Builder
	for _, part := range parts {
		if part.Type == "text" {
			b.WriteString(part.Text)
		}
	}
	*t = text(b.String())
	return nil
}

// aside reads a string and takes anything else for silence: thinking text never spoils an answer.
type aside string

func (a *aside) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*a = aside(s)
	}
	return nil
}

// arguments reads the JSON text of the protocol and also the bare object that some servers send.
type arguments string

func (a *arguments) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("{")) {
		*a = arguments(raw)
		return nil
	}
	return json.Unmarshal(raw, (*string)(a))
}

// wireError reads the error object of the protocol, or a bare string. Code is 0 unless numeric.
type wireError struct {
	Message string `json:"message"`
	Type    string `json:"type,omitempty"`
	Param   string `json:"param,omitempty"`
	Code    int    `json:"code,omitempty"`
}

func (w *wireError) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &w.Message) == nil {
		return nil
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	w.Message, _ = fields["message"].(string)
	w.Type, _ = fields["type"].(string)
	w.Param, _ = fields["param"].(string)
	if code, ok := fields["code"].(float64); ok {
		w.Code = int(code)
	}
	if w.Message == "" {
		w.Message = string(raw)
	}
	return nil
}

// complete checks a whole reply and brings it into the one form that langchaingo reads safely.
func (c *completion) complete() error {
	if len(c.Choices) == 0 {
		return errors.New("it has no choices")
	}
	for i := range c.Choices {
		ch := &c.Choices[i]
		ch.Delta = nil
		if ch.FinishReason == "" || ch.FinishReason == "null" {
			return errNoStopReason
		}
		ch.tidy()
	}
	return nil
}

var errNoStopReason = errors.New("it ended without a stop reason")

// tidy turns a legacy function call into a tool call (langchaingo panics on one that is missing),
// names calls without an id, and gathers the thinking text in one field.
func (ch *choice) tidy() {
	m := &ch.Message
	if m.Function != nil && len(m.ToolCalls) == 0 {
		m.ToolCalls = []toolCall{{Function: *m.Function}}
	}
	m.Function = nil
	if ch.FinishReason == "function_call" {
		ch.FinishReason = "tool_calls"
	}
	if m.Thinking == "" {
		m.Thinking = m.Reasoning
	}
	m.Reasoning = ""
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		call.Index = nil
		call.Type = "function"
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", i+1)
		}
	}
}
