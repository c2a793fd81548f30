package llm

import (
	"context"
	"maps"

	"github.com/tmc/langchaingo/llms"
)

// adapt asks, and asks again without the part of the request that the server refuses, until it works
// or there is nothing more to leave out. What was left out is remembered only when that helped; else
// the first refusal is the error, since what was left out was not its reason.
func (m *Model) adapt(ctx context.Context, c *call, w *watch) (*llms.ContentResponse, error) {
	var first, before error
	var left feature
	tried := maps.Clone(c.without)
	for {
		resp, err := m.wire.ask(ctx, c, w)
		if err == nil {
			m.remember(ctx, c)
			return resp, nil
		}
		if first == nil || temporary(err) || ctx.Err() != nil {
			first = err
		}
		if left != "" && err.Error() == before.Error() {
			delete(c.without, left) // it was not that
		}
		left, before = c.refused(err, tried), err
		if left == "" {
			return nil, first
		}
		tried[left], c.without[left] = true, true
	}
}

func (m *Model) remember(ctx context.Context, c *call) {
	for _, f := range m.refused.learn(c.model, c.without) {
		m.endpoint.cfg.Logger.WarnContext(ctx, "the server refuses a part of the request, going on without it",
			"endpoint", m.endpoint.cfg.BaseURL, "model", c.model, "part", string(f))
	}
}
