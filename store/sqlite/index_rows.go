package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/kbagent/kbagent/index"
)

// fileColumns of index_files f go into fileFields.
const fileColumns = `f.root, f.path, f.title, f.size, f.lines, f.passages, f.hash, f.recipe, f.named`

func fileFields(f *index.FileRecord) []any {
	return []any{&f.Root, &f.Path, &f.Title, &f.Size, &f.Lines, &f.Passages, (*digest)(&f.Hash), &f.Recipe, &f.Named}
}

// passageColumns of index_passages p and index_files f go into passageFields.
const passageColumns = `p.passage_id, f.path, f.root, f.title, p.section, p.start_line, p.end_line, p.start_byte, p.end_byte, p.content, p.language`

func passageFields(p *index.Passage) []any {
	return []any{&p.ID, &p.Path, &p.Root, &p.Title, &p.Section, &p.StartLine, &p.EndLine, &p.StartByte, &p.EndByte, &p.Content, &p.Language}
}

// A digest scans a BLOB of its exact length.
type digest index.Digest

// Scan implements sql.Scanner.
func (d *digest) Scan(value any) error {
	b, ok := value.([]byte)
	if !ok || len(b) != len(d) {
		return fmt.Errorf("%w: a digest of %d bytes is missing", ErrDamaged, len(d))
	}
	copy(d[:], b)
	return nil
}

// snapshot begins a read transaction: all its queries see one version.
func (x *Index) snapshot(ctx context.Context, pool *sql.DB) (*sql.Tx, error) {
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	return tx, x.db.explain(err)
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func collect[T any](ctx context.Context, db *DB, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	return queryIn(ctx, db, db.read, scan, query, args...)
}

// queryIn returns all rows of a query.
func queryIn[T any](ctx context.Context, db *DB, q querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.explain(err)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, db.explain(err)
		}
		out = append(out, v)
	}
	return out, db.explain(rows.Err())
}
