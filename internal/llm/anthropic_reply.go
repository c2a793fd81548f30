package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// anthropicReply is a message of the model, whole or put together.
type anthropicReply struct {
	Type       string           `json:"type"`
	Content    []anthropicBlock `json:"content"`
	StopReason string           `json:"stop_reason"`
	Usage      anthropicUsage   `json:"usage"`
	Error      *wireError       `json:"error"`
}

// anthropicUsage counts tokens; what came from the cache is not in InputTokens.
type anthropicUsage struct {
	InputTokens   int `json:"input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	OutputTokens  int `json:"output_tokens"`
}

func (u anthropicUsage) prompt() int { return u.InputTokens + u.CacheCreation + u.CacheRead }

// merge takes the later counts, which are totals, where they are there.
func (u *anthropicUsage) merge(later anthropicUsage) {
	for _, pair := range []struct{ old, new *int }{
		{&u.InputTokens, &later.InputTokens}, {&u.CacheCreation, &later.CacheCreation},
		{&u.CacheRead, &later.CacheRead}, {&u.OutputTokens, &later.OutputTokens},
	} {
		if *pair.new > 0 {
			*pair.old = *pair.new
		}
	}
}

// parts gathers the blocks: what is text, thinking, and the tool calls. The input of replyTool is text; when that tool
// was called, other text is only talk around it.
func (r *anthropicReply) parts(replyTool string) (text, thinking string, calls []llms.ToolCall) {
	var said, thought, reply strings.Builder
	for i, b := range r.Content {
		switch b.Type {
		case "text":
			said.WriteString(b.Text)
		case "thinking":
			thought.WriteString(b.Thinking)
		case "tool_use":
			if b.Name == replyTool && replyTool != "" {
				reply.Write(b.Input)
				continue
			}
			calls = append(calls, b.call(i))
		}
	}
	if reply.Len() > 0 {
		return reply.String(), thought.String(), calls
	}
	return said.String(), thought.String(), calls
}

func (b anthropicBlock) call(i int) llms.ToolCall {
	id := b.ID
	if id == "" {
		id = fmt.Sprintf("call_%d", i+1)
	}
	arguments := string(b.Input)
	if arguments == "" || arguments == "null" { // a tool that takes nothing
		arguments = "{}"
	}
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: b.Name, Arguments: arguments}}
}

// response is the reply in langchaingo's words: one choice with everything.
func (r *anthropicReply) response(replyTool string) *llms.ContentResponse {
	text, thinking, calls := r.parts(replyTool)
	u := r.Usage
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: text, ReasoningContent: thinking, ToolCalls: calls, StopReason: r.stopReason(len(calls) > 0),
		GenerationInfo: map[string]any{
			"PromptTokens": u.prompt(), "CompletionTokens": u.OutputTokens, "TotalTokens": u.prompt() + u.OutputTokens,
			"PromptCachedTokens": u.CacheRead,
		},
	}}}
}

// stopReason says in the words of the OpenAI protocol why the reply ended.
func (r *anthropicReply) stopReason(calls bool) string {
	switch r.StopReason {
	case "end_turn", "stop_sequence":
		return "stop"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "tool_use":
		if !calls { // it was the reply in its schema
			return "stop"
		}
		return "tool_calls"
	case "refusal":
		return "content_filter"
	}
	return r.StopReason
}

// anthropicBlock is one part of a message, in requests and replies. Which fields count depends on Type.
type anthropicBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`

	// Type tool_use.
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	// Type tool_result.
	ToolUseID string `json:"tool_use_id,omitempty"`
	Content   string `json:"content,omitempty"`

	// Type image.
	Source *anthropicSource `json:"source,omitempty"`
}

// anthropicSource is where an image is.
type anthropicSource struct {
	Type      string `json:"type"` // base64 or url
	MediaType string `json:"media_type,omitempty"`
	Data      []byte `json:"data,omitempty"` // encoding/json writes base64
	URL       string `json:"url,omitempty"`
}
