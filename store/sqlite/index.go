package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"

	"github.com/kbagent/kbagent/index"
)

var _ index.Store = (*Index)(nil)

// Index is the part of the file that holds the documents. It implements index.Store.
type Index struct{ db *DB }

// Index returns the file's index. All values that it returns are the same index.
func (db *DB) Index() *Index { return &Index{db} }

// Version implements index.Store.
func (x *Index) Version(ctx context.Context) (int64, error) {
	var version int64
	err := x.db.read.QueryRowContext(ctx, `SELECT version FROM index_state`).Scan(&version)
	return version, x.db.explain(err)
}

// Stamp implements index.Store: each change that commits draws a new one.
func (x *Index) Stamp(ctx context.Context) (string, error) {
	var stamp string
	err := x.db.read.QueryRowContext(ctx, `SELECT stamp FROM index_state`).Scan(&stamp)
	return stamp, x.db.explain(err)
}

// Roots implements index.Store.
func (x *Index) Roots(ctx context.Context) ([]string, error) {
	return collect(ctx, x.db, func(rows *sql.Rows) (root string, err error) {
		err = rows.Scan(&root)
		return root, err
	}, `SELECT root FROM index_roots ORDER BY root`)
}

// Files implements index.Store.
func (x *Index) Files(ctx context.Context) ([]index.FileRecord, error) {
	return collect(ctx, x.db, func(rows *sql.Rows) (f index.FileRecord, err error) {
		err = rows.Scan(fileFields(&f)...)
		return f, err
	}, `SELECT `+fileColumns+` FROM index_files f ORDER BY f.root, f.path`)
}

// Counts implements index.Store.
func (x *Index) Counts(ctx context.Context) (index.Counts, error) {
	c := index.Counts{Vectors: map[string]index.VectorCount{}}
	tx, err := x.snapshot(ctx, x.db.read)
	if err != nil {
		return c, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM index_files), (SELECT coalesce(sum(size), 0) FROM index_files),
		(SELECT count(*) FROM index_passages), (SELECT version FROM index_state)`).Scan(&c.Files, &c.Bytes, &c.Passages, &c.Version)
	if err != nil {
		return c, x.db.explain(err)
	}
	rows, err := tx.QueryContext(ctx, `SELECT v.model, count(*), min(length(v.vector)) / 4 FROM index_vectors v JOIN index_passages p USING (digest) GROUP BY v.model`)
	if err != nil {
		return c, x.db.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var model string
		var n index.VectorCount
		if err := rows.Scan(&model, &n.Passages, &n.Dim); err != nil {
			return c, x.db.explain(err)
		}
		c.Vectors[model] = n
	}
	return c, x.db.explain(rows.Err())
}

// Sources implements index.Store. It holds a connection of its own while it is ranged over.
func (x *Index) Sources(ctx context.Context) iter.Seq2[index.Source, error] {
	return func(yield func(index.Source, error) bool) {
		if err := x.eachSource(ctx, func(s index.Source) bool { return yield(s, nil) }); err != nil {
			yield(index.Source{}, err)
		}
	}
}

// eachSource calls yield until it returns false. It puts each file together from its passages and what lies between.
func (x *Index) eachSource(ctx context.Context, yield func(index.Source) bool) error {
	tx, err := x.snapshot(ctx, x.db.loops)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	files, err := queryIn(ctx, x.db, tx, func(rows *sql.Rows) (f storedFile, err error) {
		err = rows.Scan(append(fileFields(&f.record), &f.id)...)
		return f, err
	}, `SELECT `+fileColumns+`, f.id FROM index_files f ORDER BY f.root, f.path`)
	if err != nil {
		return err
	}
	for _, f := range files {
		source, err := x.source(ctx, tx, f)
		if err != nil {
			return err
		}
		if !yield(source) {
			return nil
		}
	}
	return nil
}

type storedFile struct {
	id     int64
	record index.FileRecord
}

func (x *Index) source(ctx context.Context, tx *sql.Tx, f storedFile) (index.Source, error) {
	s := index.Source{FileRecord: f.record}
	var b strings.Builder
	b.Grow(int(f.record.Size))
	rows, err := tx.QueryContext(ctx, `SELECT `+passageColumns+`, p.gap FROM index_passages p JOIN index_files f ON f.id = p.file
		WHERE p.file = ? ORDER BY p.start_byte`, f.id)
	if err != nil {
		return s, x.db.explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var p index.Passage
		var gap string
		if err := rows.Scan(append(passageFields(&p), &gap)...); err != nil {
			return s, x.db.explain(err)
		}
		b.WriteString(gap)
		b.WriteString(p.Content)
		p.Content = ""
		s.Passages = append(s.Passages, p)
	}
	if err := rows.Err(); err != nil {
		return s, x.db.explain(err)
	}
	var tail string
	if err := tx.QueryRowContext(ctx, `SELECT tail FROM index_files WHERE id = ?`, f.id).Scan(&tail); err != nil {
		return s, x.db.explain(err)
	}
	b.WriteString(tail)
	if s.Text = b.String(); int64(len(s.Text)) != s.Size {
		return s, fmt.Errorf("%s: %w: the text of %s does not add up", x.db.path, ErrDamaged, s.Path)
	}
	return s, nil
}
