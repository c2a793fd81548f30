package index

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// RRFConstant is the k of reciprocal rank fusion, 1/(k+rank): Cormack, Clarke and Büttcher, SIGIR 2009.
const RRFConstant = 60

// hybridDepth is how many hits Hybrid takes from each side, at least.
const hybridDepth = 50

// Hybrid fuses a keyword search for query, in which keywords that it does not hold count half, with a vector search for query, both in parallel, and returns
// the k best hits, of kind KindRRF. One side that finds nothing is no failure. Without an embedder, keywords alone rank.
// When the vector side fails, Options.Degraded is told and keywords alone rank; without Options.Degraded its error is returned.
// Only the lists that were searched count for the scores: the first of a single list has score 1.
func (x *Index) Hybrid(ctx context.Context, query string, keywords []string, k int) ([]Hit, error) {
	if k <= 0 {
		return nil, nil
	}
	depth := max(hybridDepth, 2*k)
	var byWord, byVector []Hit
	var wordErr, vectorErr error
	var both sync.WaitGroup
	both.Go(func() { byVector, vectorErr = x.Vector(ctx, query, depth) })
	byWord, wordErr = x.Keyword(ctx, strings.Join(keywords, " ")+"\n"+query, depth)
	both.Wait()
	if err := cmp.Or(wordErr, ctx.Err()); err != nil {
		return nil, err
	}
	switch {
	case vectorErr == nil:
		return Fuse([][]Hit{byWord, byVector}, k), nil
	case errors.Is(vectorErr, ErrNoEmbedder):
	case x.opts.Degraded == nil:
		return nil, vectorErr
	default:
		x.opts.Degraded(vectorErr)
	}
	return Fuse([][]Hit{byWord}, k), nil
}

// Fuse merges ranked lists by reciprocal rank fusion and returns the k best hits, of kind KindRRF. Passages are
// told apart by ID; a passage counts once a list, at its best rank. Score = Σ 1/(RRFConstant+rank) over the lists,
// divided by its maximum, len(lists)/(RRFConstant+1): 1 is the first of every list. Empty lists count. Ties keep the
// order of first appearance, list by list. The lists are not changed.
func Fuse(lists [][]Hit, k int) []Hit {
	at := map[string]int{}
	var fused []Hit
	for _, list := range lists {
		seen := map[string]bool{}
		for rank, h := range list {
			if seen[h.ID] {
				continue
			}
			seen[h.ID] = true
			i, ok := at[h.ID]
			if !ok {
				i = len(fused)
				at[h.ID] = i
				fused = append(fused, Hit{Passage: h.Passage, Kind: KindRRF})
			}
			fused[i].Score += float64(RRFConstant+1) / float64(RRFConstant+1+rank) / float64(len(lists))
		}
	}
	slices.SortStableFunc(fused, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return fused[:max(0, min(k, len(fused)))]
}
