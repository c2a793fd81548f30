package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// call is one GenerateContent: what was asked, and what this server is known to refuse.
type call struct {
	messages []llms.MessageContent
	opts     llms.CallOptions
	model    string
	schema   *jsonSchema
	out      sink
	provider string
	legacy   bool // max_tokens is the field to try first, else max_completion_tokens
	without  features
}

// newCall resolves and checks the options.
func newCall(cfg Config, messages []llms.MessageContent, options []llms.CallOption) (*call, error) {
	c := &call{model: cfg.Model, provider: cfg.Provider, legacy: !openAIHost(cfg.BaseURL)}
	for _, option := range options {
		option(&c.opts)
	}
	if c.opts.Model != "" {
		c.model = c.opts.Model
	}
	c.out = sink{text: c.opts.StreamingFunc, thinking: c.opts.StreamingReasoningFunc}
	if s, ok := c.opts.Metadata[schemaKey].(jsonSchema); ok {
		if !json.Valid(s.schema) {
			return nil, fmt.Errorf("llm: the schema %q is not JSON", s.name)
		}
		c.schema = &s
	}
	if chosen, ok := c.opts.Metadata[legacyMaxKey].(bool); ok {
		c.legacy = chosen
	}
	if c.opts.TopP < 0 || c.opts.TopP > 1 {
		return nil, fmt.Errorf("llm: top_p %v is outside 0 to 1", c.opts.TopP)
	}
	var err error
	c.messages, err = wireMessages(messages)
	return c, err
}

// limitField is the request field that carries the token limit.
func (c *call) limitField() string {
	if c.legacy != c.without[tokenLimit] {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

// openAIHost tells OpenAI's own servers, whose newer models refuse max_tokens, from the
// compatible ones, of which some ignore max_completion_tokens in silence.
func openAIHost(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
}

// inner is what langchaingo gets to see: never the streaming functions, since it cannot read a
// stream reliably.
func (c *call) inner() llms.CallOption {
	opts := c.opts
	opts.Model = c.model
	opts.StreamingFunc, opts.StreamingReasoningFunc = nil, nil
	opts.Metadata = maps.Clone(opts.Metadata)
	if opts.Metadata == nil {
		opts.Metadata = map[string]any{}
	}
	opts.Metadata[legacyMaxKey] = c.limitField() == "max_tokens"
	return llms.WithOptions(opts)
}

// amend rewrites the request that langchaingo built: it adds what langchaingo leaves out and takes
// away what the server refuses.
func (c *call) amend(body []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("llm: reading langchaingo's request: %w", err)
	}
	extra := map[string]any{}
	if c.opts.TopP > 0 {
		extra["top_p"] = c.opts.TopP
	}
	if c.out.wanted() {
		extra["stream"] = true
		if !c.without[streamOptions] {
			extra["stream_options"] = map[string]bool{"include_usage": true}
		}
	}
	if c.schema != nil && !c.without[schemaFeature(c.schema.name)] {
		extra["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": c.schema.name, "strict": true, "schema": c.schema.schema,
		}}
	}
	if c.without[temperature] {
		delete(fields, "temperature")
	}
	for name, value := range extra {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("llm: writing %s: %w", name, err)
		}
		fields[name] = raw
	}
	return json.Marshal(fields)
}
