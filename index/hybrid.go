package index

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
)

// RRFConstant is the k of reciprocal rank fusion, 1/(k+rank): Cormack, Clarke and Büttcher, SIGIR 2009.
const RRFConstant = 60

// hybridDepth is how many hits Hybrid takes from each side, at least.
const hybridDepth = 50

// Hybrid fuses a keyword search for query, in which keywords that it does not hold count half, with a vector search for
// query, both in parallel, and returns the k best hits, of kind KindRRF or, where Options.Fusion goes by scores, KindWeighted. One
// side that finds nothing is no failure. Without an embedder, keywords alone rank. When the vector side fails, Options.Degraded
// is told and keywords alone rank; without Options.Degraded its error is returned. Only the lists that were searched count for
// the scores: the first of a single list has score 1.
//
// With Options.Reranker that one orders the best 20 or k anew, and scores are of kind KindRerank; with Options.MMRLambda
// various passages are preferred.
func (x *Index) Hybrid(ctx context.Context, query string, keywords []string, k int) ([]Hit, error) {
	if k <= 0 {
		return nil, nil
	}
	hits, err := x.fused(ctx, query, keywords, x.depth(k))
	if err != nil {
		return nil, err
	}
	return x.arrange(ctx, query, hits, k)
}

// fused is Hybrid before its hits are arranged.
func (x *Index) fused(ctx context.Context, query string, keywords []string, k int) ([]Hit, error) {
	depth := max(hybridDepth, 2*k)
	var byWord, byVector []Hit
	var wordErr, vectorErr error
	var both sync.WaitGroup
	both.Go(func() { byVector, vectorErr = x.byVector(ctx, query, depth) })
	byWord, wordErr = x.byWord(ctx, strings.Join(keywords, " ")+"\n"+query, depth)
	both.Wait()
	if err := cmp.Or(wordErr, ctx.Err()); err != nil {
		return nil, err
	}
	switch {
	case vectorErr == nil:
		return x.opts.Fusion.fuse([][]Hit{byWord, byVector}, k), nil
	case errors.Is(vectorErr, ErrNoEmbedder):
	case x.opts.Degraded == nil:
		return nil, vectorErr
	default:
		x.opts.Degraded(vectorErr)
	}
	return x.opts.Fusion.fuse([][]Hit{byWord}, k), nil
}
