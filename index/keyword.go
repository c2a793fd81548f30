package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/index/text"
)

// BM25Half is the BM25 sum that becomes the score one half: Score = s/(s+BM25Half).
// With FTS5's weighting a passage that holds two rare words of the query once reaches about as much.
const BM25Half = 10.0

// maxQueryTerms bounds the work of one query; further terms are left out.
const maxQueryTerms = 256

// fieldWeights are FTS5's column weights.
var fieldWeights = Weights{Title: 1, Section: 1, Body: 1}

// Keyword returns the k passages that match query's terms best by BM25, best first, of kind KindBM25.
// Passages that share no term with the query are no hits; a query without terms, or k ≤ 0, has none. The query
// is plain text: no character in it has a meaning of its own.
func (x *Index) Keyword(ctx context.Context, query string, k int) ([]Hit, error) {
	terms := text.Terms(query)
	if len(terms) == 0 || k <= 0 {
		return nil, nil
	}
	// The words as they stand find identifiers, which are kept whole and without stemming: "readfile" finds ReadFile.
	terms = distinct(append(terms, text.Words(query)...), maxQueryTerms)
	matches, err := x.store.Keyword(ctx, KeywordQuery{Terms: terms, Weights: fieldWeights, K: k})
	if err != nil {
		return nil, fmt.Errorf("keyword search: %w", err)
	}
	hits := make([]Hit, len(matches))
	for i, m := range matches {
		hits[i] = Hit{Passage: m.Passage, Score: m.Score / (m.Score + BM25Half), Kind: KindBM25}
	}
	return hits, nil
}

// distinct returns the first limit different terms, in order.
func distinct(terms []string, limit int) []string {
	var out []string
	for _, t := range terms {
		if len(out) < limit && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
