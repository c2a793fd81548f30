package postgres

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kbagent/kbagent/index"
)

// Sources implements index.Store. It holds a connection of its own while it is ranged over.
func (x *Index) Sources(ctx context.Context) iter.Seq2[index.Source, error] {
	return func(yield func(index.Source, error) bool) {
		if err := x.eachSource(ctx, func(s index.Source) bool { return yield(s, nil) }); err != nil {
			yield(index.Source{}, explain(err))
		}
	}
}

// storedFile is a file with its id.
type storedFile struct {
	id     int64
	record index.FileRecord
}

func scanFile(rows pgx.Rows) (f storedFile, err error) {
	err = rows.Scan(append(fileFields(&f.record), &f.id)...)
	return f, err
}

// eachSource calls yield until it returns false. It is bounded by its statements, not as a whole.
func (x *Index) eachSource(ctx context.Context, yield func(index.Source) bool) error {
	conn, err := x.db.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: reading}, func(tx pgx.Tx) error {
		files, err := listIn(ctx, tx, scanFile, `SELECT `+fileColumns+`, f.id FROM index_files f ORDER BY f.root, f.path`)
		if err != nil {
			return err
		}
		for _, f := range files {
			s, err := source(ctx, tx, f)
			if err != nil {
				return err
			}
			if !yield(s) {
				return nil
			}
		}
		return nil
	})
}

// Source implements index.Store.
func (x *Index) Source(ctx context.Context, key index.FileKey) (s index.Source, found bool, err error) {
	err = x.read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		s, found = index.Source{}, false
		files, err := listIn(ctx, tx, scanFile, `SELECT `+fileColumns+`, f.id FROM index_files f WHERE f.root = $1 AND f.path = $2`,
			[]byte(key.Root), []byte(key.Path))
		if err != nil || len(files) == 0 {
			return err
		}
		s, err = source(ctx, tx, files[0])
		found = err == nil
		return err
	})
	return s, found, err
}

// source puts a file together from its passages and what lies between.
func source(ctx context.Context, tx pgx.Tx, f storedFile) (index.Source, error) {
	s := index.Source{FileRecord: f.record}
	var b strings.Builder
	b.Grow(int(f.record.Size))
	passages, err := listIn(ctx, tx, func(rows pgx.Rows) (p index.Passage, err error) {
		var gap string
		err = rows.Scan(append(passageFields(&p), &rawText{&gap})...)
		b.WriteString(gap)
		b.WriteString(p.Content)
		p.Content = ""
		return p, err
	}, `SELECT `+passageColumns+`, p.gap FROM index_passages p JOIN index_files f ON f.id = p.file WHERE p.file = $1 ORDER BY p.start_byte`, f.id)
	if err != nil {
		return s, err
	}
	s.Passages = passages
	var tail string
	if err := tx.QueryRow(ctx, `SELECT tail FROM index_files WHERE id = $1`, f.id).Scan(&rawText{&tail}); err != nil {
		return s, err
	}
	b.WriteString(tail)
	if s.Text = b.String(); int64(len(s.Text)) != s.Size {
		return s, fmt.Errorf("%w: the text of %s does not add up", index.ErrDamaged, s.Path)
	}
	return s, nil
}
