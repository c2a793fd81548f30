package sqlite

import "context"

// DocFreq implements index.Store. All counts are of one version of the index.
func (x *Index) DocFreq(ctx context.Context, terms []string) (map[string]int, int, error) {
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return nil, 0, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var passages int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM index_passages`).Scan(&passages); err != nil {
		return nil, 0, x.db.explain(err)
	}
	freq := make(map[string]int, len(terms))
	for _, term := range terms {
		match := matchExpression([]string{term})
		if match == "" {
			continue
		}
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM index_terms WHERE index_terms MATCH ?`, match).Scan(&n); err != nil {
			return nil, 0, x.db.explain(err)
		}
		freq[term] = n
	}
	return freq, passages, nil
}
