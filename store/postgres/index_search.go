package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kbagent/kbagent/index"
)

// keywordSQL sums up BM25 (k1 = 1.2, b = 0.75, an idf of at least 1e-6) over the terms $1 with the weights $2, for the best $3 of
// the passages $4, or of all where that is null, that hold all of the different terms $6. Terms of one class $5 other than 0 are
// as common as all of them together. The order of the sum is fixed, so that equal passages have equal sums.
const keywordSQL = `
WITH asked AS (SELECT * FROM unnest($1::bytea[], $2::float8[], $5::int[]) AS q (term, weight, class)),
size AS (SELECT passages::float8, tokens::float8 FROM index_state),
counted AS (SELECT q.term, q.weight, q.class, count(*)::float8 AS df FROM asked q JOIN index_terms t USING (term) GROUP BY q.term, q.weight, q.class),
rare AS (SELECT term, weight, CASE class WHEN 0 THEN df ELSE least(sum(df) OVER (PARTITION BY class), passages) END AS df FROM counted CROSS JOIN size),
best AS (
	SELECT t.passage, sum(r.weight * greatest(ln((s.passages - r.df + 0.5) / (r.df + 0.5)), 1e-6) * t.count * 2.2
		/ (t.count + 1.2 * (0.25 + 0.75 * p.length * s.passages / s.tokens)) ORDER BY r.term) AS score
	FROM rare r JOIN index_terms t USING (term) JOIN index_passages p ON p.id = t.passage CROSS JOIN size s
	WHERE ($4::bigint[] IS NULL OR t.passage = ANY ($4))
	AND (cardinality($6::bytea[]) = 0 OR t.passage IN (
		SELECT passage FROM index_terms WHERE term = ANY ($6) GROUP BY passage HAVING count(*) = cardinality($6)))
	GROUP BY t.passage ORDER BY score DESC, t.passage LIMIT $3)
SELECT ` + passageColumns + `, best.score FROM best JOIN index_passages p ON p.id = best.passage JOIN index_files f ON f.id = p.file
ORDER BY best.score DESC, f.root, f.path, p.start_byte`

// Keyword implements index.Store. Its cost grows with the passages that hold a term of q.
func (x *Index) Keyword(ctx context.Context, q index.KeywordQuery) ([]index.Match, error) {
	terms, weights, classes := weighted(q)
	if len(terms) == 0 || q.K <= 0 || q.Within != nil && q.Within.Len() == 0 {
		return nil, nil
	}
	var within []int64 // null
	if q.Within != nil {
		within = slices.Collect(q.Within.All())
	}
	return list(ctx, x, func(rows pgx.Rows) (m index.Match, err error) {
		err = rows.Scan(append(passageFields(&m.Passage), &m.Score)...)
		return m, err
	}, keywordSQL, terms, weights, q.K, within, classes, raws(slices.Compact(slices.Sorted(slices.Values(q.All)))))
}

// weighted are the different terms of q with their weights and classes.
func weighted(q index.KeywordQuery) (terms [][]byte, weights []float64, classes []int) {
	seen := map[string]bool{"": true}
	add := func(list []string, weight float64, class int) {
		for _, t := range list {
			if !seen[t] {
				seen[t] = true
				terms, weights, classes = append(terms, []byte(t)), append(weights, weight), append(classes, class)
			}
		}
	}
	add(q.Terms, 1, 0)
	add(q.Half, 0.5, 0)
	for i, a := range q.Alike {
		add(a.Terms, a.Weight, i+1)
	}
	return terms, weights, classes
}

// DocFreq implements index.Store. All counts are of one version.
func (x *Index) DocFreq(ctx context.Context, terms []string) (freq map[string]int, passages int, err error) {
	err = x.read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		freq = make(map[string]int, len(terms))
		if err := tx.QueryRow(ctx, `SELECT passages FROM index_state`).Scan(&passages); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT term, count(*) FROM index_terms WHERE term = ANY ($1) GROUP BY term`, raws(terms))
		if err != nil {
			return err
		}
		var term string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&rawText{&term}, &n}, func() error {
			freq[term] = n
			return nil
		})
		return err
	})
	return freq, passages, err
}

// Vocabulary implements index.Store.
func (x *Index) Vocabulary(ctx context.Context, prefix string, keep func(term []byte) bool) (map[string]int, error) {
	type counted struct {
		term string
		n    int
	}
	found, err := list(ctx, x, func(rows pgx.Rows) (c counted, err error) {
		err = rows.Scan(&rawText{&c.term}, &c.n)
		return c, err
	}, `SELECT term, count(*) FROM index_terms WHERE term >= $1 AND ($2::bytea IS NULL OR term < $2) GROUP BY term`, []byte(prefix), behind(prefix))
	terms := map[string]int{}
	for _, c := range found {
		if keep == nil || keep([]byte(c.term)) {
			terms[c.term] = c.n
		}
	}
	return terms, err
}

// behind is the first text after all that begin with prefix; nil when there is none.
func behind(prefix string) []byte {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return nil
	}
	end[len(end)-1]++
	return end
}

// Vectors implements index.Store.
func (x *Index) Vectors(ctx context.Context, model string) (v index.Vectors, err error) {
	err = x.read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		v = index.Vectors{}
		var passages int
		if err := tx.QueryRow(ctx, `SELECT stamp, passages FROM index_state`).Scan(&v.Stamp, &passages); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT p.id, v.vector FROM index_vectors v JOIN index_passages p USING (digest) WHERE v.model = $1`, model)
		if err != nil {
			return err
		}
		var key int64
		var raw pgtype.DriverBytes
		_, err = pgx.ForEachRow(rows, []any{&key, &raw}, func() error {
			if v.Dim == 0 {
				v.Dim = len(raw) / 4
				v.Keys, v.Values = make([]int64, 0, passages), make([]float32, 0, passages*v.Dim)
			}
			if len(raw) == 0 || len(raw) != 4*v.Dim {
				return fmt.Errorf("%w: vectors of %q have different lengths", index.ErrDamaged, model)
			}
			v.Keys, v.Values = append(v.Keys, key), index.DecodeVector(v.Values, raw)
			return nil
		})
		return err
	})
	return v, err
}

// Passages implements index.Store.
func (x *Index) Passages(ctx context.Context, keys []int64) (map[int64]index.Passage, error) {
	found, err := list(ctx, x, func(rows pgx.Rows) (u index.Unembedded, err error) {
		err = rows.Scan(append(passageFields(&u.Passage), &u.Key)...)
		return u, err
	}, `SELECT `+passageColumns+`, p.id FROM index_passages p JOIN index_files f ON f.id = p.file WHERE p.id = ANY ($1)`, keys)
	passages := make(map[int64]index.Passage, len(found))
	for _, u := range found {
		passages[u.Key] = u.Passage
	}
	return passages, err
}

// Unembedded implements index.Store.
func (x *Index) Unembedded(ctx context.Context, model string, after int64, limit int) ([]index.Unembedded, error) {
	return list(ctx, x, func(rows pgx.Rows) (u index.Unembedded, err error) {
		err = rows.Scan(append(passageFields(&u.Passage), &u.Key, &rawDigest{&u.Digest})...)
		return u, err
	}, `SELECT `+passageColumns+`, p.id, p.digest FROM index_passages p JOIN index_files f ON f.id = p.file
		WHERE p.id > $1 AND NOT EXISTS (SELECT FROM index_vectors v WHERE v.model = $2 AND v.digest = p.digest)
		ORDER BY p.id LIMIT $3`, after, model, limit)
}

// Embedded implements index.Store.
func (x *Index) Embedded(ctx context.Context, model string, digests []index.Digest) (map[index.Digest]bool, error) {
	asked := make([][]byte, len(digests))
	for i := range digests {
		asked[i] = digests[i][:]
	}
	found, err := list(ctx, x, func(rows pgx.Rows) (d index.Digest, err error) {
		err = rows.Scan(&rawDigest{&d})
		return d, err
	}, `SELECT digest FROM index_vectors WHERE model = $1 AND digest = ANY ($2)`, model, asked)
	have := make(map[index.Digest]bool, len(found))
	for _, d := range found {
		have[d] = true
	}
	return have, err
}
