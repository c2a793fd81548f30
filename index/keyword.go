package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/index/text"
)

// BM25Half is the BM25 sum that becomes the score one half: Score = s/(s+BM25Half), s being raised by up to its double where
// the query's terms stand close together. The best hit of a question in the development sets has .46 to .88 (lowest 10th to highest 90th percentile of four sets).
const BM25Half = 10.0

// maxQueryTerms bounds the work of one query; further terms are left out.
const maxQueryTerms = 256

// fieldWeights are FTS5's column weights.
var fieldWeights = Weights{Title: 1, Section: 1, Body: 1}

// Keyword returns the k passages that match query's terms best by BM25, best first, of kind KindBM25. Among the first 50
// those rise in which terms that follow each other in the query stand close together.
// Passages that share no term with the query are no hits; a query without terms, or k ≤ 0, has none. The query
// is plain text: no character in it has a meaning of its own.
func (x *Index) Keyword(ctx context.Context, query string, k int) ([]Hit, error) {
	terms := distinct(text.Terms(query), maxQueryTerms)
	if len(terms) == 0 || k <= 0 {
		return nil, nil
	}
	// The words as they stand find identifiers, which are kept whole and without stemming: "readfile" finds ReadFile.
	all := distinct(append(slices.Clone(terms), text.Words(query)...), maxQueryTerms)
	matches, err := x.store.Keyword(ctx, KeywordQuery{Terms: all, Weights: fieldWeights, K: max(k, proximityDepth)})
	if err != nil {
		return nil, fmt.Errorf("keyword search: %w", err)
	}
	rerank(matches, terms)
	hits := make([]Hit, min(k, len(matches)))
	for i, m := range matches[:len(hits)] {
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
