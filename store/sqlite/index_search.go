package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/kbagent/kbagent/index"
)

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
		v.Keys, v.Values = append(v.Keys, key), index.DecodeVector(v.Values, raw)
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
