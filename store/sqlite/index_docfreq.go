package sqlite

import (
	"context"

	"github.com/kbagent/kbagent/index/inverted"
)

// DocFreq implements index.Store. All counts are of one version of the index.
func (x *Index) DocFreq(ctx context.Context, terms []string) (map[string]int, int, error) {
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return nil, 0, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	lists, err := x.db.lists(ctx, tx)
	if err != nil {
		return nil, 0, x.db.explain(err)
	}
	counts, err := inverted.DocFreq(ctx, lists.parts, terms)
	if err != nil {
		return nil, 0, x.db.explain(err)
	}
	freq := make(map[string]int, len(terms))
	for i, term := range terms {
		freq[term] = counts[i]
	}
	return freq, lists.stats.Docs, nil
}

// Vocabulary implements index.Store. A removed passage counts until its segment is written anew.
func (x *Index) Vocabulary(ctx context.Context, prefix string, keep func(term []byte) bool) (map[string]int, error) {
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	lists, err := x.db.lists(ctx, tx)
	if err != nil {
		return nil, x.db.explain(err)
	}
	terms, err := inverted.Vocabulary(ctx, lists.parts, prefix, keep)
	return terms, x.db.explain(err)
}
