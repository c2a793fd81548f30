package llmtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Request is one decoded chat request. Fields that were not sent are zero, nil for pointers.
type Request struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	Stream              bool            `json:"stream"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	Seed                *int            `json:"seed"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stop                []string        `json:"stop"`
	Tools               []Tool          `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ResponseFormat      *ResponseFormat `json:"response_format"`
	StreamOptions       *StreamOptions  `json:"stream_options"`

	// Raw is the body as it came.
	Raw json.RawMessage `json:"-"`
	// Header is the request's header.
	Header http.Header `json:"-"`
}

func (r *Request) keep(raw []byte) { r.Raw = slices.Clone(raw) }

// Sent tells whether the request has that top-level field at all.
func (r Request) Sent(field string) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &fields) != nil {
		return false
	}
	_, ok := fields[field]
	return ok
}

// Last is the text of the last message, "" without messages.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Text()
}

// Message is one message of a conversation.
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCalls  []ToolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// Text is the content where it is a string, or its text parts joined.
func (m Message) Text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

// ToolCall is a tool call inside a request.
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool that was offered.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// ResponseFormat is the form that was asked of the reply.
type ResponseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// StreamOptions is what was asked of a stream.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// EmbeddingRequest is one decoded embedding request.
type EmbeddingRequest struct {
	Model          string      `json:"model"`
	Input          []string    `json:"input"`
	EncodingFormat string      `json:"encoding_format"`
	Header         http.Header `json:"-"`
}

// Requests returns the chat requests so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// EmbeddingRequests returns the embedding requests so far, in order of arrival.
func (s *Server) EmbeddingRequests() []EmbeddingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.embedded)
}

// Pings is how often the list of models was asked for.
func (s *Server) Pings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pings
}
