package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/inverted"
)

// Keyword implements index.Store by BM25 (k1 = 1.2, b = 0.75) over the terms of all fields together.
func (x *Index) Keyword(ctx context.Context, q index.KeywordQuery) ([]index.Match, error) {
	terms := weighted(q)
	if len(terms) == 0 || q.K <= 0 {
		return nil, nil
	}
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	lists, err := x.db.lists(ctx, tx)
	if err != nil {
		return nil, x.db.explain(err)
	}
	hits, err := inverted.Search(ctx, lists.parts, lists.stats, inverted.Query{Terms: terms, All: q.All, K: q.K, Takes: takes(q.Within)})
	if err != nil {
		return nil, x.db.explain(err)
	}
	return x.matches(ctx, tx, hits)
}

// takes is nil for all keys.
func takes(within *index.KeySet) func(int64) bool {
	if within == nil {
		return nil
	}
	return within.Has
}

// weighted are the different terms of q with their weights.
func weighted(q index.KeywordQuery) []inverted.Term {
	terms := make([]inverted.Term, 0, len(q.Terms)+len(q.Half))
	seen := make(map[string]bool, cap(terms))
	add := func(list []string, weight float64, class int) {
		for _, t := range list {
			if t != "" && !seen[t] {
				seen[t] = true
				terms = append(terms, inverted.Term{Text: t, Weight: weight, Class: class})
			}
		}
	}
	add(q.Terms, 1, 0)
	add(q.Half, 0.5, 0)
	for i, a := range q.Alike {
		add(a.Terms, a.Weight, i+1)
	}
	return terms
}

// matches reads the passages of hits. Ties come in order of root, path and place.
func (x *Index) matches(ctx context.Context, tx *sql.Tx, hits []inverted.Hit) ([]index.Match, error) {
	keys := make([]int64, len(hits))
	scores := make(map[int64]float64, len(hits))
	for i, h := range hits {
		keys[i], scores[h.Key] = h.Key, h.Score
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	matches, err := queryIn(ctx, x.db, tx, func(rows *sql.Rows) (m index.Match, err error) {
		var key int64
		err = rows.Scan(append(passageFields(&m.Passage), &key)...)
		m.Score = scores[key]
		return m, err
	}, `SELECT `+passageColumns+`, p.id FROM index_passages p JOIN index_files f ON f.id = p.file WHERE p.id IN (SELECT value FROM json_each(?))`, string(list))
	slices.SortFunc(matches, func(a, b index.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage.Root, b.Passage.Root),
			cmp.Compare(a.Passage.Path, b.Passage.Path), cmp.Compare(a.Passage.StartByte, b.Passage.StartByte))
	})
	return matches, err
}
