package nodes

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes/reply"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// rerankScores asks a re-ranker, and refuses what breaks its contract.
func rerankScores(ctx context.Context, r Reranker, q RerankRequest) ([]float64, error) {
	scores, err := r.Rerank(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(q.Items) {
		return nil, fmt.Errorf("there are %d scores for %d passages", len(scores), len(q.Items))
	}
	for _, s := range scores {
		if math.IsNaN(s) || s < 0 || s > 1 {
			return nil, fmt.Errorf("the score %v is not from 0 to 1", s)
		}
	}
	return scores, nil
}

// lexicalReranker scores by words.
type lexicalReranker struct{ lib Library }

// Rerank implements Reranker.
func (r lexicalReranker) Rerank(ctx context.Context, q RerankRequest) ([]float64, error) {
	return bestOf(q, func(query string) ([]float64, error) {
		stats, err := termStats(ctx, r.lib, query)
		return rules.Relevance(query, q.Items, stats), err
	})
}

// bestOf scores each item by what it is worth to the question, or to the claim that it serves best.
func bestOf(q RerankRequest, score func(query string) ([]float64, error)) ([]float64, error) {
	best := make([]float64, len(q.Items))
	for _, query := range append([]string{q.Query}, q.Claims...) {
		scores, err := score(query)
		if err != nil {
			return nil, err
		}
		if len(scores) != len(best) {
			return nil, fmt.Errorf("there are %d scores for %d passages", len(scores), len(best))
		}
		for i, s := range scores {
			best[i] = max(best[i], s)
		}
	}
	return best, nil
}

// RerankTexts is a Reranker that asks score, which returns a value from 0 to 1 for each text, once for the question and once
// for each claim: for re-ranking servers, which know a query and texts only.
func RerankTexts(score func(ctx context.Context, query string, texts []string) ([]float64, error)) Reranker {
	return textScorer(score)
}

type textScorer func(ctx context.Context, query string, texts []string) ([]float64, error)

// Rerank implements Reranker.
func (score textScorer) Rerank(ctx context.Context, q RerankRequest) ([]float64, error) {
	texts := make([]string, len(q.Items))
	for i, item := range q.Items {
		texts[i] = excerpt(item.Content, graderItemRunes)
	}
	return bestOf(q, func(query string) ([]float64, error) { return score(ctx, query, texts) })
}

// modelReranker scores all items in one call.
type modelReranker struct{ m *Model }

// Rerank implements Reranker. It returns *UnreadableError when neither the reply nor its repair can be read.
func (r modelReranker) Rerank(ctx context.Context, q RerankRequest) ([]float64, error) {
	asked := r.m.prompts.get(promptReranker)
	data := rerankerData{Query: q.Query, Claims: q.Claims, Items: promptItems(q.Items, graderItemRunes), fencing: newFencing(r.m.fence())}
	msgs, err := asked.messages(data, nil)
	if err != nil {
		return nil, err
	}
	read := func(c *llms.ContentChoice) ([]float64, error) {
		ratings, err := reply.Scores(c.Content, len(q.Items))
		return ratings.Values, err
	}
	scores, err := repaired(ctx, r.m, asked.call(RoleReranker), msgs, read, r.m.schema("ranks", gradesSchema(len(q.Items)))...)
	var parse *reply.ParseError
	if errors.As(err, &parse) {
		return nil, &UnreadableError{Reason: parse.Reason, Raw: parse.Excerpt}
	}
	return scores, err
}

// NewTextReranker is a model that scores texts against a query, each from 0 to 1, in one call; it is safe for concurrent use.
// The call counts towards the budget of the run that ctx belongs to, if any.
func NewTextReranker(m *Model, p Prompts) TextReranker { return TextReranker{modelReranker{m.with(p)}} }

// TextReranker re-ranks what a search has found by a language model. Make one with [NewTextReranker].
type TextReranker struct{ model modelReranker }

// Rerank returns a score from 0 to 1 for each text, in the order of texts.
func (r TextReranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	q := RerankRequest{Query: query}
	for _, s := range texts {
		q.Items = append(q.Items, state.Evidence{Content: s})
	}
	return rerankScores(ctx, r.model, q)
}
