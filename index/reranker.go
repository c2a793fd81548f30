package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Reranker reads a query and texts together, which tells better than a search what answers it, and takes longer. It must
// be safe for concurrent use. Where the search has a deadline, it gets half of the time that is left. Without one, keyword search weighs its hits again by itself (see [Index.Keyword]).
type Reranker interface {
	// Rerank returns how well each text answers query, 0 to 1, in the order of texts.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// DefaultRerankDepth is how many hits a Reranker reads for one search, unless more are asked for.
const DefaultRerankDepth = 20

// arrange makes k results of the hits of a search, best first: the Reranker orders them anew, and then the various ones are
// preferred, where the options say so. A Reranker that fails leaves the order as it is, and RerankFailed is told.
func (x *Index) arrange(ctx context.Context, query string, hits []Hit, k int) ([]Hit, error) {
	if x.opts.Reranker != nil && len(hits) > 1 {
		hits = hits[:min(len(hits), x.depth(k))]
		ordered, err := x.rerankInTime(ctx, query, hits)
		switch {
		case err == nil:
			hits = ordered
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case x.opts.RerankFailed == nil:
			return nil, err
		default:
			x.opts.RerankFailed(err)
		}
	}
	k = max(0, min(k, len(hits)))
	if l := x.opts.MMRLambda; l > 0 && l < 1 {
		hits = hits[:min(len(hits), max(mmrDepth, 2*k))]
		return MMR(hits, l, k, wordSimilarity(hits)), nil
	}
	return hits[:k], nil
}

// rerankInTime leaves half of the time that is left to whoever searches: a Reranker that takes longer has failed.
func (x *Index) rerankInTime(ctx context.Context, query string, hits []Hit) ([]Hit, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	return rerankHits(ctx, x.opts.Reranker, query, hits)
}

// mmrDepth is of how many hits the various ones are chosen, at least.
const mmrDepth = 50

// depth is how many hits a search for k has to find, so that there is something to arrange.
func (x *Index) depth(k int) int {
	if x.opts.Reranker != nil {
		return max(k, DefaultRerankDepth)
	}
	if l := x.opts.MMRLambda; l > 0 && l < 1 {
		return max(mmrDepth, 2*k)
	}
	return k
}

// rerankHits returns hits in the order of the reranker's scores, of kind KindRerank; ties keep their order.
func rerankHits(ctx context.Context, r Reranker, query string, hits []Hit) ([]Hit, error) {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = EmbeddedText(h.Passage)
	}
	scores, err := r.Rerank(ctx, query, texts)
	if err != nil {
		return nil, fmt.Errorf("re-rank %d passages: %w", len(hits), err)
	}
	if len(scores) != len(hits) {
		return nil, fmt.Errorf("re-rank %d passages: there are %d scores", len(hits), len(scores))
	}
	ordered := make([]Hit, len(hits))
	for i, h := range hits {
		if s := scores[i]; math.IsNaN(s) || s < 0 || s > 1 {
			return nil, fmt.Errorf("re-rank %d passages: the score %v is not from 0 to 1", len(hits), s)
		}
		ordered[i] = Hit{Passage: h.Passage, Score: scores[i], Kind: KindRerank}
	}
	slices.SortStableFunc(ordered, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return ordered, nil
}
