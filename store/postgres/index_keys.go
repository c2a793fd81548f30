package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kbagent/kbagent/index"
)

// Keys implements index.Store.
func (x *Index) Keys(ctx context.Context, takes func(index.FileKey) bool) (set *index.KeySet, err error) {
	err = x.read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		set = new(index.KeySet)
		rows, err := tx.Query(ctx, `SELECT f.root, f.path, array_agg(p.id) FROM index_files f JOIN index_passages p ON p.file = f.id GROUP BY f.id`)
		if err != nil {
			return err
		}
		var file index.FileKey
		var keys []int64
		_, err = pgx.ForEachRow(rows, []any{&rawText{&file.Root}, &rawText{&file.Path}, &keys}, func() error {
			if takes(file) {
				for _, key := range keys {
					set.Add(key)
				}
			}
			return nil
		})
		return err
	})
	return set, err
}
