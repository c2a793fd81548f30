package index

import (
	"context"
	"fmt"
	"strings"
)

// Vector returns the k passages whose embeddings are nearest to query's by cosine, best first, of kind KindCosine.
// The search is exact. Passages at a right angle or beyond are no hits; a blank query, or k ≤ 0, has none.
//
// The vectors of the present version are kept in memory: 4 bytes a value and 8 a passage, which is 154 MB for 100,000
// passages of 384 values. The first search after a change, or of a process, reads them: from Options.VectorFile when that
// holds them, else from the store.
//
// With Options.Reranker that one orders the best 20 or k anew, and scores are of kind KindRerank; with Options.MMRLambda
// various passages are preferred.
//
// It returns ErrNoEmbedder without an embedder, ErrNoVectors (or a *ModelChangedError) when there are passages but no
// vectors of this model, and the embedder's error when the query cannot be embedded.
func (x *Index) Vector(ctx context.Context, query string, k int) ([]Hit, error) {
	hits, err := x.byVector(ctx, query, x.depth(k))
	if err != nil {
		return nil, err
	}
	return x.arrange(ctx, query, hits, k)
}

// byVector is Vector before its hits are arranged.
func (x *Index) byVector(ctx context.Context, query string, k int) ([]Hit, error) {
	if x.embedder == nil {
		return nil, ErrNoEmbedder
	}
	if strings.TrimSpace(query) == "" || k <= 0 {
		return nil, nil
	}
	if m, err := x.matrix(ctx); err != nil || m == nil {
		return nil, err
	}
	vectors, err := embedNormal(ctx, x.embedder, []string{query})
	if err != nil {
		return nil, fmt.Errorf("embed the query: %w", err)
	}
	for try := 1; ; try++ {
		m, err := x.matrix(ctx)
		if err != nil || m == nil {
			return nil, err
		}
		hits, complete, err := x.nearest(ctx, m, vectors[0], k)
		if err != nil || complete || try == maxTries {
			return hits, err
		}
	}
}

// maxTries is how often a search looks again because the index changed meanwhile; then what it found has to do.
const maxTries = 5

// nearest is complete unless a hit left the index after m was read, or the filter is of another state, and m is out of date.
func (x *Index) nearest(ctx context.Context, m *Vectors, query []float32, k int) (hits []Hit, complete bool, err error) {
	if len(query) != m.Dim {
		return nil, false, fmt.Errorf("vector search: the query's embedding has %d values, the index's have %d: update the index", len(query), m.Dim)
	}
	within, err := x.passages(ctx)
	if err != nil {
		return nil, false, err
	}
	rows, err := topRows(ctx, m, within, query, k)
	if err != nil {
		return nil, false, err
	}
	keys := make([]int64, len(rows))
	for i, r := range rows {
		keys[i] = m.Keys[r.row]
	}
	passages, err := x.store.Passages(ctx, keys)
	if err != nil {
		return nil, false, fmt.Errorf("vector search: %w", err)
	}
	for i, r := range rows {
		if p, ok := passages[keys[i]]; ok {
			hits = append(hits, Hit{Passage: p, Score: min(1, float64(r.cos)), Kind: KindCosine})
		}
	}
	if len(hits) == len(rows) && within == nil {
		return hits, true, nil
	}
	stamp, err := x.store.Stamp(ctx)
	return hits, stamp == m.Stamp, err
}
