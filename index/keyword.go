package index

import (
	"context"
	"fmt"
)

// BM25Half is the BM25 sum that becomes the score one half: Score = s/(s+BM25Half), s being raised or lowered by what BM25 does
// not see (see [Index.Keyword]).
const BM25Half = 10.0

// Keyword returns the k passages that match query's terms best by BM25, best first, of kind KindBM25. The first 50 are
// weighed again by what BM25 does not see: how near each other terms stand that follow each other in the query; for a
// query in Chinese, Japanese or Korean how many of its pairs of characters there are; for a question that begins with why,
// words that give reasons; and passages of release notes and change logs fall back for a question that asks for no version.
//
// Passages that share no term with the query are no hits; a query without terms, or k ≤ 0, has none. The query is text, of which no
// character makes it invalid. The last line is what is asked, the lines before it are its context, and terms that stand only
// there count half. In the last line
//
//   - "several words" in quotes put the passages first in which they stand next to each other, of the 200 best that hold them all;
//   - word* stands for all words that begin so, three letters or more (the 64 most frequent ones, together as one word);
//   - of phrases and of words with an asterisk the first eight different ones count, further ones are words like others;
//   - a word that no passage holds is taken for a typing error: see [Index.Corrections].
//
// With Options.Reranker that one orders the best 20 or k instead, and scores are of kind KindRerank; with Options.MMRLambda
// various passages are preferred.
func (x *Index) Keyword(ctx context.Context, query string, k int) ([]Hit, error) {
	if k <= 0 {
		return nil, nil
	}
	hits, err := x.byWord(ctx, query, x.depth(k))
	if err != nil {
		return nil, err
	}
	return x.arrange(ctx, query, hits, k)
}

// byWord is Keyword before its hits are arranged.
func (x *Index) byWord(ctx context.Context, query string, k int) ([]Hit, error) {
	q := readQuery(query)
	if len(q.full) == 0 || k <= 0 {
		return nil, nil
	}
	matches, held, err := x.match(ctx, q, max(k, rerankDepth))
	if err != nil {
		return nil, fmt.Errorf("keyword search: %w", err)
	}
	q.rerank(matches)
	lift(matches, held)
	hits := make([]Hit, min(k, len(matches)))
	for i, m := range matches[:len(hits)] {
		hits[i] = Hit{Passage: m.Passage, Score: m.Score / (m.Score + BM25Half), Kind: KindBM25}
	}
	return hits, nil
}

// match asks the store for k passages, and for those with phrases of q, of which it returns how many each holds, by ID.
func (x *Index) match(ctx context.Context, q query, k int) (matches []Match, held map[string]int, err error) {
	if err := x.expand(ctx, &q); err != nil {
		return nil, nil, err
	}
	typos, err := x.correct(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range typos {
		q.alike = append(q.alike, Alike{Terms: t.terms, Weight: correctionWeight})
	}
	search := KeywordQuery{Terms: q.full, Half: q.half, Alike: q.alike, K: k}
	if x.filter.Empty() {
		return x.ask(ctx, q, search)
	}
	for try := 1; ; try++ { // what the filter takes, and where it is looked for, must be of one state
		before, err := x.store.Stamp(ctx)
		if err != nil {
			return nil, nil, err
		}
		if search.Within, err = x.passages(ctx); err != nil {
			return nil, nil, err
		}
		if matches, held, err = x.ask(ctx, q, search); err != nil {
			return nil, nil, err
		}
		after, err := x.store.Stamp(ctx)
		if err != nil || after == before || try == maxTries {
			return matches, held, err
		}
	}
}

// ask is match for a search that is ready.
func (x *Index) ask(ctx context.Context, q query, search KeywordQuery) (matches []Match, held map[string]int, err error) {
	if matches, err = x.store.Keyword(ctx, search); err != nil || len(q.phrases) == 0 {
		return matches, nil, err
	}
	return x.addPhrases(ctx, q, search, matches)
}
