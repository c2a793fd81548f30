package sqlite

import (
	"context"
	"database/sql"

	"github.com/kbagent/kbagent/index"
)

// Notes implements index.Store.
func (x *Index) Notes(ctx context.Context) ([]index.Note, error) {
	return collect(ctx, x.db, func(rows *sql.Rows) (n index.Note, err error) {
		err = rows.Scan(&n.Root, &n.Path, &n.Text)
		return n, err
	}, `SELECT root, path, text FROM index_notes ORDER BY root, path`)
}

// Embedded implements index.Store.
func (x *Index) Embedded(ctx context.Context, model string, digests []index.Digest) (map[index.Digest]bool, error) {
	have := make(map[index.Digest]bool, len(digests))
	if len(digests) == 0 {
		return have, nil
	}
	stmt, err := x.db.read.PrepareContext(ctx, `SELECT EXISTS (SELECT 1 FROM index_vectors WHERE model = ? AND digest = ?)`)
	if err != nil {
		return nil, x.db.explain(err)
	}
	defer stmt.Close()
	for _, d := range digests {
		var there bool
		if err := stmt.QueryRowContext(ctx, model, d[:]).Scan(&there); err != nil {
			return nil, x.db.explain(err)
		}
		if there {
			have[d] = true
		}
	}
	return have, nil
}
