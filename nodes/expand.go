package nodes

import (
	"context"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes/reply"
)

// Expander widens a question that found nothing.
type Expander interface {
	Expand(ctx context.Context, query string) (Expansion, error)
}

// Expansion is what a model made of a question.
type Expansion struct {
	SubQueries []string `json:"sub_queries"` // at most maxSubQueries
	Hypothesis string   `json:"hypothesis"`  // an answer as the documents might word it; searched for, never shown
}

const (
	maxSubQueries   = 3
	hypothesisRunes = 600
)

// expand asks the model, when there is one. Its failure is no failure of the search.
func (t *turn) expand(ctx context.Context, query string) (Expansion, error) {
	if t.nodes.expander == nil {
		return Expansion{}, nil
	}
	e, err := (*t.nodes.expander).Expand(ctx, query)
	switch {
	case err == nil:
		return e, nil
	case ctx.Err() != nil:
		return Expansion{}, context.Cause(ctx)
	}
	return Expansion{}, t.modelFailed(ctx, RoleExpander, err)
}

// modelExpander asks a model for sub-questions and a hypothetical answer.
type modelExpander struct{ m *Model }

// Expand implements Expander.
func (x modelExpander) Expand(ctx context.Context, query string) (Expansion, error) {
	asked := x.m.prompts.get(promptExpander)
	msgs, err := asked.messages(expanderData{Query: query}, nil)
	if err != nil {
		return Expansion{}, err
	}
	read := func(c *llms.ContentChoice) (Expansion, error) {
		var e Expansion
		err := reply.Into(c.Content, &e, "sub_queries", "hypothesis")
		return e, err
	}
	e, err := repaired(ctx, x.m, asked.call(RoleExpander), msgs, read, x.m.schema("expansion", expansionSchema)...)
	e.SubQueries = e.SubQueries[:min(len(e.SubQueries), maxSubQueries)]
	e.Hypothesis = clip(oneLineText(e.Hypothesis), hypothesisRunes)
	return e, err
}

var expansionSchema = []byte(`{"type":"object","properties":{"sub_queries":{"type":"array","items":{"type":"string"}},"hypothesis":{"type":"string"}},"required":["sub_queries","hypothesis"],"additionalProperties":false}`)
