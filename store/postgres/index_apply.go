package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kbagent/kbagent/index"
)

// Apply implements index.Store. Changes come one after the other, also those of several processes. A change whose reply was lost
// returns [ErrReplyLost]; it can be applied again.
func (x *Index) Apply(ctx context.Context, c index.Change) error {
	for _, doc := range c.Put {
		if err := doc.Check(); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil || c.Empty() {
		return err
	}
	return x.db.inTxTimes(ctx, timesOf(c), writing, func(ctx context.Context, tx pgx.Tx) error {
		a := applier{ctx: ctx, tx: tx}
		a.apply(c)
		return a.err
	})
}

// timesOf is how many times the time limit of a statement a change may take: it has no bound of its own, and neither has its work.
func timesOf(c index.Change) int {
	bytes := int64(0)
	for _, doc := range c.Put {
		bytes += doc.Size
	}
	return 1 + int(bytes>>20) + (len(c.Put)+len(c.Remove)+len(c.Vectors))/1000
}

// An applier runs one transaction's statements; after the first error it does nothing more.
type applier struct {
	ctx              context.Context
	tx               pgx.Tx
	changed          int64 // rows written or deleted
	passages, tokens int64 // how many more there are
	err              error
}

func (a *applier) exec(sql string, args ...any) {
	if a.err != nil {
		return
	}
	tag, err := a.tx.Exec(a.ctx, sql, args...)
	a.changed, a.err = a.changed+tag.RowsAffected(), err
}

func (a *applier) apply(c index.Change) {
	a.exec(`SELECT FROM index_state FOR UPDATE`) // one writer at a time
	a.changed = 0
	for _, key := range c.Remove {
		a.remove(key)
		a.exec(`DELETE FROM index_notes WHERE root = $1 AND path = $2`, []byte(key.Root), []byte(key.Path))
	}
	for _, doc := range c.Put {
		a.remove(index.FileKey{Root: doc.Root, Path: doc.Path})
		a.put(doc)
	}
	a.exec(`INSERT INTO index_roots SELECT unnest($1::bytea[]) ON CONFLICT DO NOTHING`, raws(c.AddRoots))
	a.exec(`DELETE FROM index_roots WHERE root = ANY ($1)`, raws(c.DropRoots))
	a.exec(`DELETE FROM index_notes WHERE root = ANY ($1) AND path = ''`, raws(c.DropRoots))
	for _, n := range c.Notes {
		a.note(n)
	}
	a.vectors(c)
	if a.changed > 0 {
		a.exec(`UPDATE index_state SET version = version + 1, stamp = gen_random_uuid()::text, passages = passages + $1, tokens = tokens + $2`,
			a.passages, a.tokens)
	}
}

// note writes n where it says something new, so that a note that is there already changes nothing.
func (a *applier) note(n index.Note) {
	if n.Text == "" {
		a.exec(`DELETE FROM index_notes WHERE root = $1 AND path = $2`, []byte(n.Root), []byte(n.Path))
		return
	}
	a.exec(`INSERT INTO index_notes AS n VALUES ($1, $2, $3) ON CONFLICT (root, path) DO UPDATE SET text = excluded.text WHERE n.text <> excluded.text`,
		[]byte(n.Root), []byte(n.Path), []byte(n.Text))
}

func (a *applier) vectors(c index.Change) {
	if c.DropVectors != "" {
		a.exec(`DELETE FROM index_vectors WHERE model = $1`, c.DropVectors)
	}
	for _, v := range c.Vectors {
		a.exec(`INSERT INTO index_vectors VALUES ($1, $2, $3) ON CONFLICT (model, digest) DO UPDATE SET vector = excluded.vector`,
			v.Model, v.Digest[:], index.EncodeVector(v.Values))
	}
	if c.Prune != "" {
		a.exec(`DELETE FROM index_vectors v WHERE model <> $1 OR NOT EXISTS (SELECT FROM index_passages p WHERE p.digest = v.digest)`, c.Prune)
	}
}

func (a *applier) remove(key index.FileKey) {
	if a.err != nil {
		return
	}
	var passages, tokens int64
	a.err = a.tx.QueryRow(a.ctx, `SELECT count(*), coalesce(sum(p.length), 0)::bigint FROM index_passages p JOIN index_files f ON f.id = p.file
		WHERE f.root = $1 AND f.path = $2`, []byte(key.Root), []byte(key.Path)).Scan(&passages, &tokens)
	a.exec(`DELETE FROM index_files WHERE root = $1 AND path = $2`, []byte(key.Root), []byte(key.Path))
	a.passages, a.tokens = a.passages-passages, a.tokens-tokens
}

// put stores a file that is not there.
func (a *applier) put(doc index.Document) {
	if a.err != nil {
		return
	}
	end := 0
	if n := len(doc.Passages); n > 0 {
		end = doc.Passages[n-1].EndByte
	}
	var file int64
	a.err = a.tx.QueryRow(a.ctx, `INSERT INTO index_files (root, path, title, size, lines, passages, hash, recipe, named, tail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
		[]byte(doc.Root), []byte(doc.Path), []byte(doc.Title), doc.Size, doc.Lines, len(doc.Passages), doc.Hash[:], doc.Recipe, doc.Named,
		[]byte(doc.Text[end:])).Scan(&file)
	a.changed++
	a.putPassages(file, doc)
}

func (a *applier) putPassages(file int64, doc index.Document) {
	if a.err != nil || len(doc.Passages) == 0 {
		return
	}
	var ids []int64
	a.err = a.tx.QueryRow(a.ctx, `SELECT array_agg(nextval(pg_get_serial_sequence('index_passages', 'id'))) FROM generate_series(1, $1)`,
		len(doc.Passages)).Scan(&ids)
	if a.err != nil {
		return
	}
	var passages, terms [][]any
	end := 0
	for i, p := range doc.Passages {
		counts, length := termCounts(p.Terms)
		passages = append(passages, []any{
			ids[i], file, p.ID, []byte(p.Section), p.Language, p.StartLine, p.EndLine, p.StartByte, p.EndByte, p.Digest[:],
			[]byte(doc.Text[end:p.StartByte]), []byte(p.Content), length,
		})
		for term, n := range counts {
			terms = append(terms, []any{[]byte(term), ids[i], n})
		}
		a.tokens += length
		end = p.EndByte
	}
	a.passages += int64(len(doc.Passages))
	a.copy("index_passages", []string{
		"id", "file", "passage_id", "section", "language", "start_line", "end_line", "start_byte", "end_byte", "digest", "gap", "content", "length",
	}, passages)
	a.copy("index_terms", []string{"term", "passage", "count"}, terms)
}

// copyRows is how many rows one statement writes, so that it keeps to the time limit whatever a file's size.
const copyRows = 50_000

// copy writes many rows at once.
func (a *applier) copy(table string, columns []string, rows [][]any) {
	for part := range slices.Chunk(rows, copyRows) {
		if a.err == nil {
			_, a.err = a.tx.CopyFrom(a.ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(part))
		}
	}
}

// termCounts is how often each term occurs, in whatever field, and how many terms there are in all.
func termCounts(t index.Terms) (counts map[string]int64, length int64) {
	counts = map[string]int64{}
	for _, field := range [][]string{t.Title, t.Section, t.Body} {
		for _, term := range field {
			counts[term]++
			length++
		}
	}
	return counts, length
}
