package main

import (
	"cmp"
	"context"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/nodes"
)

// searchOptions takes over how searches merge and order what they find.
func (b *base) searchOptions(o *index.Options) error {
	s := b.cfg.Search
	o.Fusion = index.Fusion{Method: index.FusionMethod(s.Fusion), Vector: &s.VectorWeight}
	o.MMRLambda = s.MMRLambda
	o.RerankFailed = func(err error) { b.log.Warn("rerank_failed", "error", err, "order", "that of the search") }
	var err error
	switch s.Rerank {
	case "endpoint":
		b.rerank, err = newReranker(b.cfg, llm.RerankConfig{Limit: b.limit, Logger: b.log, Transport: b.traffic.transport()})
		o.Reranker = b.rerank
	case "model":
		if b.ranker, err = b.model(cmp.Or(b.cfg.LLM.FastModel, b.cfg.LLM.Model)); err != nil {
			return err
		}
		var prompts nodes.Prompts
		prompts, err = loadPrompts(b.cfg.Prompts)
		o.Reranker = modelReranker{b.ranker, prompts}
	}
	return err
}

// newReranker is the configured re-ranking endpoint, over what opts hold of the surroundings.
func newReranker(cfg config.Config, opts llm.RerankConfig) (*llm.Reranker, error) {
	s := cfg.Search
	opts.BaseURL, opts.APIKey, opts.Model, opts.Timeout = s.RerankBaseURL, s.RerankAPIKey, s.RerankModel, cfg.LLM.Timeout
	return llm.NewReranker(opts)
}

// modelReranker orders passages by a language model, which may be put under watch before the first search.
type modelReranker struct {
	model   *nodes.Model
	prompts nodes.Prompts
}

// Rerank implements index.Reranker.
func (r modelReranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	return nodes.NewTextReranker(r.model, r.prompts).Rerank(ctx, query, texts)
}
