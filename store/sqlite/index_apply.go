package sqlite

import (
	"context"
	"database/sql"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/inverted"
)

// Apply implements index.Store.
func (x *Index) Apply(ctx context.Context, c index.Change) error {
	if c.Empty() {
		return nil
	}
	tx, err := x.db.write.BeginTx(ctx, nil)
	if err != nil {
		return x.db.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // a no-op after Commit
	a := applier{ctx: ctx, tx: tx, added: inverted.NewBuilder()}
	if err := a.apply(c); err != nil {
		return x.db.explain(err)
	}
	if a.changed == 0 {
		return nil
	}
	a.exec(`UPDATE index_state SET version = version + 1, stamp = lower(hex(randomblob(16)))`)
	if a.err != nil {
		return x.db.explain(a.err)
	}
	return x.db.explain(tx.Commit())
}

// An applier runs one transaction's statements; after the first error it does nothing more.
type applier struct {
	ctx     context.Context
	tx      *sql.Tx
	changed int64             // rows written or deleted
	added   *inverted.Builder // the terms of new passages
	removed []int64           // keys of passages that are no more
	err     error
}

func (a *applier) exec(query string, args ...any) (lastID int64) {
	if a.err != nil {
		return 0
	}
	result, err := a.tx.ExecContext(a.ctx, query, args...)
	if err != nil {
		a.err = err
		return 0
	}
	return a.record(result)
}

func (a *applier) record(result sql.Result) (lastID int64) {
	n, err := result.RowsAffected()
	if err == nil {
		a.changed += n
		lastID, err = result.LastInsertId()
	}
	a.err = err
	return lastID
}

func (a *applier) apply(c index.Change) error {
	for _, key := range c.Remove {
		a.remove(key)
		a.exec(`DELETE FROM index_notes WHERE root = ? AND path = ?`, key.Root, key.Path)
	}
	if len(c.Put) > 0 {
		a.putAll(c.Put)
	}
	for _, root := range c.AddRoots {
		a.exec(`INSERT OR IGNORE INTO index_roots VALUES (?)`, root)
	}
	for _, root := range c.DropRoots {
		a.exec(`DELETE FROM index_roots WHERE root = ?`, root)
		a.exec(`DELETE FROM index_notes WHERE root = ? AND path = ''`, root)
	}
	for _, n := range c.Notes {
		a.note(n)
	}
	if c.DropVectors != "" {
		a.exec(`DELETE FROM index_vectors WHERE model = ?`, c.DropVectors)
	}
	for _, v := range c.Vectors {
		a.exec(`INSERT OR REPLACE INTO index_vectors VALUES (?, ?, ?)`, v.Model, v.Digest[:], index.EncodeVector(v.Values))
	}
	if c.Prune != "" {
		a.exec(`DELETE FROM index_vectors WHERE model <> ? OR digest NOT IN (SELECT digest FROM index_passages)`, c.Prune)
	}
	if a.err == nil {
		a.err = a.updateSegments()
	}
	return a.err
}

func (a *applier) remove(key index.FileKey) {
	if a.err != nil {
		return
	}
	var keys []int64
	if keys, a.err = removedKeys(a.ctx, a.tx, key); a.err != nil {
		return
	}
	a.removed = append(a.removed, keys...)
	a.exec(`DELETE FROM index_files WHERE root = ? AND path = ?`, key.Root, key.Path)
}

// note writes n where it says something new, so that a note that is there already changes nothing.
func (a *applier) note(n index.Note) {
	if n.Text == "" {
		a.exec(`DELETE FROM index_notes WHERE root = ? AND path = ?`, n.Root, n.Path)
		return
	}
	a.exec(`INSERT INTO index_notes VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET text = ?3 WHERE text <> ?3`, n.Root, n.Path, n.Text)
}

func (a *applier) putAll(docs []index.Document) {
	passage := a.prepare(`INSERT INTO index_passages
		(file, passage_id, section, language, start_line, end_line, start_byte, end_byte, digest, gap, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	for _, doc := range docs {
		a.put(doc, passage)
	}
}

// prepare prepares a statement that the transaction's end closes.
func (a *applier) prepare(query string) *sql.Stmt {
	if a.err != nil {
		return nil
	}
	var stmt *sql.Stmt
	stmt, a.err = a.tx.PrepareContext(a.ctx, query)
	return stmt
}

func (a *applier) put(doc index.Document, passage *sql.Stmt) {
	if a.err == nil {
		a.err = doc.Check()
	}
	a.remove(index.FileKey{Root: doc.Root, Path: doc.Path})
	end := 0
	if n := len(doc.Passages); n > 0 {
		end = doc.Passages[n-1].EndByte
	}
	if a.err != nil {
		return
	}
	file := a.exec(`INSERT INTO index_files (root, path, title, size, lines, passages, hash, recipe, named, tail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		doc.Root, doc.Path, doc.Title, doc.Size, doc.Lines, len(doc.Passages), doc.Hash[:], doc.Recipe, doc.Named, doc.Text[end:])
	end = 0
	for _, p := range doc.Passages {
		key := a.run(passage, file, p.ID, p.Section, p.Language, p.StartLine, p.EndLine, p.StartByte, p.EndByte,
			p.Digest[:], doc.Text[end:p.StartByte], p.Content)
		if a.err != nil {
			return
		}
		a.added.Add(key, p.Terms.Title, p.Terms.Section, p.Terms.Body)
		end = p.EndByte
	}
}

func (a *applier) run(stmt *sql.Stmt, args ...any) (lastID int64) {
	if a.err != nil {
		return 0
	}
	result, err := stmt.ExecContext(a.ctx, args...)
	if err != nil {
		a.err = err
		return 0
	}
	return a.record(result)
}
