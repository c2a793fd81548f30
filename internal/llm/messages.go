package llm

import (
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"
)

// wireMessages checks the conversation and gives it the form that langchaingo accepts: a message
// with several tool results becomes several messages, since langchaingo refuses more than one.
func wireMessages(messages []llms.MessageContent) ([]llms.MessageContent, error) {
	if len(messages) == 0 {
		return nil, errors.New("llm: there is no message to send")
	}
	out := make([]llms.MessageContent, 0, len(messages))
	for i, m := range messages {
		if err := checkParts(m); err != nil {
			return nil, fmt.Errorf("llm: message %d: %w", i+1, err)
		}
		if m.Role != llms.ChatMessageTypeTool {
			out = append(out, m)
			continue
		}
		for _, part := range m.Parts {
			out = append(out, llms.MessageContent{Role: m.Role, Parts: []llms.ContentPart{part}})
		}
	}
	return out, nil
}

// checkParts refuses what langchaingo would drop in silence or panic on.
func checkParts(m llms.MessageContent) error {
	if len(m.Parts) == 0 {
		return errors.New("it has no parts")
	}
	for _, part := range m.Parts {
		switch p := part.(type) {
		case llms.ToolCall:
			if p.FunctionCall == nil {
				return fmt.Errorf("tool call %q names no function", p.ID)
			}
			if m.Role != llms.ChatMessageTypeAI {
				return fmt.Errorf("a tool call cannot stand in a message of role %q", m.Role)
			}
		case llms.ToolCallResponse:
			if m.Role != llms.ChatMessageTypeTool && m.Role != llms.ChatMessageTypeFunction {
				return fmt.Errorf("a tool result cannot stand in a message of role %q", m.Role)
			}
		default:
			if m.Role == llms.ChatMessageTypeTool {
				return fmt.Errorf("a tool message holds a %T, not a tool result", part)
			}
		}
	}
	return nil
}
