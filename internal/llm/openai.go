package llm

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// openAI speaks chat completions, with langchaingo building the requests and mapping the replies.
type openAI struct {
	endpoint *endpoint
	inner    *openai.LLM
}

func newOpenAI(e *endpoint) (*openAI, error) {
	inner, err := openai.New(
		// langchaingo must have a token, and never sees the true one. What it reads from the environment
		// besides (model, organisation, address) stays with it: each call names its model, and our
		// client takes nothing of its request but the body.
		openai.WithToken("kept by our client"),
		openai.WithBaseURL(e.cfg.BaseURL),
		openai.WithHTTPClient(doer{e}),
	)
	return &openAI{endpoint: e, inner: inner}, err
}

// ask implements protocol: it sends the call once, through langchaingo.
func (p *openAI) ask(ctx context.Context, c *call, w *watch) (*llms.ContentResponse, error) {
	x := &exchange{call: c, watch: w}
	resp, err := p.inner.GenerateContent(context.WithValue(ctx, exchangeKey{}, x), c.messages, c.inner())
	switch {
	case x.err != nil: // langchaingo may have flattened it
		return nil, x.err
	case err != nil:
		return nil, fmt.Errorf("llm: langchaingo: %w", err)
	}
	return resp, nil
}
