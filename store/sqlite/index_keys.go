package sqlite

import (
	"context"

	"github.com/kbagent/kbagent/index"
)

// Keys implements index.Store.
func (x *Index) Keys(ctx context.Context, takes func(index.FileKey) bool) (*index.KeySet, error) {
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	rows, err := tx.QueryContext(ctx, `SELECT f.root, f.path, p.id FROM index_files f JOIN index_passages p ON p.file = f.id ORDER BY f.id`)
	if err != nil {
		return nil, x.db.explain(err)
	}
	defer rows.Close()
	set := new(index.KeySet)
	var file, last index.FileKey
	var taken bool
	for rows.Next() {
		var key int64
		if err := rows.Scan(&file.Root, &file.Path, &key); err != nil {
			return nil, x.db.explain(err)
		}
		if file != last {
			last, taken = file, takes(file)
		}
		if taken {
			set.Add(key)
		}
	}
	return set, x.db.explain(rows.Err())
}
