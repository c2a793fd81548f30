package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// DefaultAnthropicMaxTokens is the token limit of a call to Anthropic that names none: its protocol wants one.
const DefaultAnthropicMaxTokens = 4096

// anthropicRequest is the body of a request.
type anthropicRequest struct {
	Model       string             `json:"model"`
	MaxTokens   int                `json:"max_tokens"`
	System      string             `json:"system,omitempty"`
	Messages    []anthropicMessage `json:"messages"`
	Temperature *float64           `json:"temperature,omitempty"`
	TopP        float64            `json:"top_p,omitempty"`
	TopK        int                `json:"top_k,omitempty"`
	Stop        []string           `json:"stop_sequences,omitempty"`
	Stream      bool               `json:"stream,omitempty"`
	Tools       []anthropicTool    `json:"tools,omitempty"`
	ToolChoice  *anthropicChoice   `json:"tool_choice,omitempty"`

	replyTool string
}

type anthropicTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	InputSchema any    `json:"input_schema"`
}

type anthropicChoice struct {
	Type string `json:"type"` // auto, any, none or tool
	Name string `json:"name,omitempty"`
}

func newAnthropicRequest(c *call) (*anthropicRequest, error) {
	r := &anthropicRequest{
		Model: c.model, MaxTokens: c.opts.MaxTokens, TopP: c.opts.TopP, TopK: c.opts.TopK,
		Stop: c.opts.StopWords, Stream: c.out.wanted(),
	}
	if r.MaxTokens <= 0 {
		r.MaxTokens = DefaultAnthropicMaxTokens
	}
	if !c.without[temperature] {
		r.Temperature = &c.opts.Temperature
	}
	for _, t := range c.opts.Tools {
		if t.Function == nil {
			return nil, errors.New("llm: a tool without a function cannot be offered")
		}
		r.Tools = append(r.Tools, anthropicTool{t.Function.Name, t.Function.Description, inputSchema(t.Function.Parameters)})
	}
	var err error
	if r.ToolChoice, err = anthropicToolChoice(c.opts.ToolChoice); err != nil {
		return nil, err
	}
	if err := r.askForJSON(c); err != nil {
		return nil, err
	}
	r.System, r.Messages, err = anthropicMessages(c.messages)
	return r, err
}

// askForJSON forces one tool whose input is the reply. The protocol's own output format takes a part of JSON Schema only
// (no lengths of arrays), and not every model and server has it; a forced tool call takes every schema.
func (r *anthropicRequest) askForJSON(c *call) error {
	name, schema := "reply", json.RawMessage(`{"type":"object"}`)
	switch {
	case c.schema != nil && !c.without[schemaFeature(c.schema.name)]:
		name, schema = c.schema.name, c.schema.schema
	case c.schema != nil, !c.opts.JSONMode:
		return nil
	}
	if len(r.Tools) > 0 {
		return errors.New("llm: a schema and tools in one call are not possible with Anthropic: ask for them in two calls")
	}
	r.Tools = []anthropicTool{{name, "Gives the whole reply; call it exactly once.", schema}}
	r.ToolChoice, r.replyTool = &anthropicChoice{Type: "tool", Name: name}, name
	return nil
}

// inputSchema is the schema of a tool; the protocol wants one also where a tool takes nothing.
func inputSchema(parameters any) any {
	if parameters == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return parameters
}

// anthropicToolChoice translates what llms.WithToolChoice takes. Functions of the old kind are not read.
func anthropicToolChoice(choice any) (*anthropicChoice, error) {
	switch v := choice.(type) {
	case nil:
		return nil, nil
	case string:
		switch v {
		case "":
			return nil, nil
		case "auto", "none", "any":
			return &anthropicChoice{Type: v}, nil
		case "required":
			return &anthropicChoice{Type: "any"}, nil
		}
	case *llms.ToolChoice:
		if v != nil {
			return anthropicToolChoice(*v)
		}
		return nil, nil
	case llms.ToolChoice:
		if v.Function != nil {
			return &anthropicChoice{Type: "tool", Name: v.Function.Name}, nil
		}
		return anthropicToolChoice(v.Type)
	}
	return nil, fmt.Errorf("llm: the tool choice %v is unknown: it is auto, none, required or one tool", choice)
}

// anthropicMessage is one turn; neighbours of one role are one turn.
type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

// anthropicMessages takes the system messages out, which stand apart in the protocol, and makes turns of the rest.
func anthropicMessages(messages []llms.MessageContent) (system string, turns []anthropicMessage, err error) {
	var systems []string
	for i, m := range messages {
		role := "user"
		switch m.Role {
		case llms.ChatMessageTypeSystem:
			for _, part := range m.Parts {
				if text, ok := part.(llms.TextContent); ok && strings.TrimSpace(text.Text) != "" {
					systems = append(systems, text.Text)
				}
			}
			continue
		case llms.ChatMessageTypeAI:
			role = "assistant"
		case llms.ChatMessageTypeFunction:
			return "", nil, fmt.Errorf("llm: message %d: function results of the old kind are not possible with Anthropic", i+1)
		}
		blocks, err := anthropicBlocks(m.Parts)
		if err != nil {
			return "", nil, fmt.Errorf("llm: message %d: %w", i+1, err)
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == role {
			turns[last].Content = append(turns[last].Content, blocks...)
		} else if len(blocks) > 0 {
			turns = append(turns, anthropicMessage{role, blocks})
		}
	}
	if len(turns) == 0 {
		return "", nil, errors.New("llm: there is no message to send but the system's")
	}
	return strings.Join(systems, "\n\n"), turns, nil
}

// anthropicBlocks translates the parts of a message. Empty text is left out: the protocol refuses it.
func anthropicBlocks(parts []llms.ContentPart) ([]anthropicBlock, error) {
	var blocks []anthropicBlock
	for _, part := range parts {
		switch p := part.(type) {
		case llms.TextContent:
			if strings.TrimSpace(p.Text) != "" {
				blocks = append(blocks, anthropicBlock{Type: "text", Text: p.Text})
			}
		case llms.ToolCall:
			input := json.RawMessage(p.FunctionCall.Arguments)
			if strings.TrimSpace(p.FunctionCall.Arguments) == "" {
				input = json.RawMessage(`{}`)
			}
			if !json.Valid(input) {
				return nil, fmt.Errorf("the arguments of tool call %q are not JSON", p.ID)
			}
			blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: p.ID, Name: p.FunctionCall.Name, Input: input})
		case llms.ToolCallResponse:
			blocks = append(blocks, anthropicBlock{Type: "tool_result", ToolUseID: p.ToolCallID, Content: p.Content})
		case llms.ImageURLContent:
			blocks = append(blocks, anthropicBlock{Type: "image", Source: &anthropicSource{Type: "url", URL: p.URL}})
		case llms.BinaryContent:
			blocks = append(blocks, anthropicBlock{Type: "image", Source: &anthropicSource{Type: "base64", MediaType: p.MIMEType, Data: p.Data}})
		default:
			return nil, fmt.Errorf("a %T cannot be sent to Anthropic", part)
		}
	}
	return blocks, nil
}
