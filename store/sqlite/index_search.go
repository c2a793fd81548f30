package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/kbagent/kbagent/index"
)

// Keyword implements index.Store by FTS5's bm25 (k1 = 1.2, b = 0.75), which sums over the phrases of an expression: where some
// terms count half, the others stand in it twice and the sum is halved.
func (x *Index) Keyword(ctx context.Context, q index.KeywordQuery) ([]index.Match, error) {
	match, share := matchExpression(q.Terms), 1.0
	if half := matchExpression(q.Half); half != "" && match != "" {
		match, share = match+" OR "+match+" OR "+half, 0.5
	}
	if match == "" || q.K <= 0 {
		return nil, nil
	}
	return collect(ctx, x.db, func(rows *sql.Rows) (m index.Match, err error) {
		err = rows.Scan(append(passageFields(&m.Passage), &m.Score)...)
		m.Score *= share
		return m, err
	}, `WITH best AS MATERIALIZED (
			SELECT rowid AS id, -bm25(index_terms, ?, ?, ?) AS score FROM index_terms WHERE index_terms MATCH ?
			ORDER BY score DESC, id LIMIT ?)
		SELECT `+passageColumns+`, best.score FROM best
		JOIN index_passages p ON p.id = best.id JOIN index_files f ON f.id = p.file
		ORDER BY best.score DESC, f.root, f.path, p.start_byte`,
		q.Weights.Title, q.Weights.Section, q.Weights.Body, match, q.K)
}

// matchExpression ORs the terms, each as a quoted string, so that none of them is read as syntax.
func matchExpression(terms []string) string {
	quoted := make([]string, 0, len(terms))
	seen := make(map[string]bool, len(terms))
	for _, t := range terms {
		if t == "" || seen[t] {
			continue
		}
		seen[t] = true
		quoted = append(quoted, `"`+strings.ReplaceAll(t, `"`, `""`)+`"`)
	}
	return strings.Join(quoted, " OR ")
}

// Vectors implements index.Store.
func (x *Index) Vectors(ctx context.Context, model string) (index.Vectors, error) {
	var v index.Vectors
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return v, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var passages int
	if err := tx.QueryRowContext(ctx, `SELECT stamp, (SELECT count(*) FROM index_passages) FROM index_state`).Scan(&v.Stamp, &passages); err != nil {
		return v, x.db.explain(err)
	}
	// Without an order: sorting the rows takes as long as reading them.
	rows, err := tx.QueryContext(ctx, `SELECT p.id, v.vector FROM index_vectors v JOIN index_passages p USING (digest) WHERE v.model = ?`, model)
	if err != nil {
		return v, x.db.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var key int64
		var raw sql.RawBytes
		if err := rows.Scan(&key, &raw); err != nil {
			return v, x.db.explain(err)
		}
		if v.Dim == 0 {
			v.Dim = len(raw) / 4
			v.Keys, v.Values = make([]int64, 0, passages), make([]float32, 0, passages*v.Dim)
		}
		if len(raw) == 0 || len(raw) != 4*v.Dim {
			return v, fmt.Errorf("%s: %w: vectors of %q have different lengths", x.db.path, ErrDamaged, model)
		}
		v.Keys = append(v.Keys, key)
		for i := 0; i < len(raw); i += 4 {
			v.Values = append(v.Values, math.Float32frombits(binary.LittleEndian.Uint32(raw[i:])))
		}
	}
	return v, x.db.explain(rows.Err())
}

// Passages implements index.Store.
func (x *Index) Passages(ctx context.Context, keys []int64) (map[int64]index.Passage, error) {
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	found, err := collect(ctx, x.db, func(rows *sql.Rows) (u index.Unembedded, err error) {
		err = rows.Scan(append(passageFields(&u.Passage), &u.Key)...)
		return u, err
	}, `SELECT `+passageColumns+`, p.id FROM index_passages p JOIN index_files f ON f.id = p.file WHERE p.id IN (SELECT value FROM json_each(?))`, string(list))
	passages := make(map[int64]index.Passage, len(found))
	for _, u := range found {
		passages[u.Key] = u.Passage
	}
	return passages, err
}

// Unembedded implements index.Store.
func (x *Index) Unembedded(ctx context.Context, model string, after int64, limit int) ([]index.Unembedded, error) {
	return collect(ctx, x.db, func(rows *sql.Rows) (u index.Unembedded, err error) {
		err = rows.Scan(append(passageFields(&u.Passage), &u.Key, (*digest)(&u.Digest))...)
		return u, err
	}, `SELECT `+passageColumns+`, p.id, p.digest FROM index_passages p JOIN index_files f ON f.id = p.file
		WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM index_vectors v WHERE v.model = ? AND v.digest = p.digest)
		ORDER BY p.id LIMIT ?`, after, model, limit)
}
