package sqlite

import (
	"context"
	"database/sql"

	"github.com/kbagent/kbagent/index"
)

// Source implements index.Store.
func (x *Index) Source(ctx context.Context, key index.FileKey) (s index.Source, found bool, err error) {
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return s, false, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	files, err := queryIn(ctx, x.db, tx, func(rows *sql.Rows) (f storedFile, err error) {
		err = rows.Scan(append(fileFields(&f.record), &f.id)...)
		return f, err
	}, `SELECT `+fileColumns+`, f.id FROM index_files f WHERE f.root = ? AND f.path = ?`, key.Root, key.Path)
	if err != nil || len(files) == 0 {
		return s, false, err
	}
	s, err = x.source(ctx, tx, files[0])
	return s, err == nil, err
}
