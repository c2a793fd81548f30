package llm

import (
	"context"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"
)

// Model is a chat model behind an endpoint of one of the providers. Make one with [New]; it is safe
// for concurrent use and holds no goroutine.
type Model struct {
	endpoint *endpoint
	wire     protocol
	refused  memory
	breaker  *breaker
}

var _ llms.Model = (*Model)(nil)

// protocol asks once and returns a whole, checked reply. Its errors are those of the endpoint.
type protocol interface {
	ask(ctx context.Context, c *call, w *watch) (*llms.ContentResponse, error)
}

// New checks cfg and makes a Model. It sends nothing and reads no environment; [Ping] asks whether
// the server is there. The error names every field that cannot work.
func New(cfg Config) (*Model, error) {
	model := cfg.Model
	cfg, err := cfg.withDefaults()
	if model == "" {
		err = errors.Join(errors.New("no model is named"), err)
	}
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	m := &Model{endpoint: newEndpoint(cfg), breaker: newBreaker(cfg)}
	if cfg.Provider == ProviderAnthropic {
		m.wire = anthropic{m.endpoint}
		return m, nil
	}
	m.wire, err = newOpenAI(m.endpoint)
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	return m, nil
}

// GenerateContent asks the model. It streams only when llms.WithStreamingFunc (or
// WithStreamingReasoningFunc) is given; that function then gets the answer's text piece by piece, on
// this goroutine, never tool calls or empty pieces, and the whole answer is returned as well. An
// error of the function stops the answer and is wrapped in the error returned.
//
// The temperature is 0 unless llms.WithTemperature says otherwise; top_p and seed 0 mean unset;
// llms.WithTopK, WithMinLength, WithMaxLength, WithCandidateCount and WithRepetitionPenalty are no
// part of the OpenAI protocol and have no effect; to Anthropic only WithTopK goes of these, no seed and
// no penalties, and a call without a token limit has [DefaultAnthropicMaxTokens]. Several tool results may stand in one message. Each tool
// call of the reply has an id.
//
// On success every choice has a StopReason: "stop", "length" (the token limit cut the text: the
// caller decides), "tool_calls", "content_filter" or what else the server says. Content may be empty.
//
// Errors, in this order: ctx.Err() itself whenever ctx is done, even if an answer came at the same
// moment; an error that is [context.DeadlineExceeded] when Config.Timeout is used up or an attempt
// stayed silent; a *[StatusError]; [ErrUnreachable], [ErrCut], [ErrMalformed], [ErrRateLimit].
// Unreachable servers, broken connections, silence and the statuses 408, 429 and 5xx (529, overloaded,
// too) are retried, but never after the first piece of text was streamed.
func (m *Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := newCall(m.endpoint.cfg, messages, options)
	if err != nil {
		return nil, err
	}
	c.without = m.refused.recall(c.model)
	resp, err := m.breaker.do(ctx, func() (*llms.ContentResponse, error) {
		return retry(ctx, m.endpoint, func(ctx context.Context, w *watch) (*llms.ContentResponse, error) {
			return m.adapt(ctx, c, w)
		})
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return resp, err
}

// Call is GenerateContent for one prompt; it returns the text of the first choice.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}
