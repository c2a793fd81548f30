package postgres

import (
	"fmt"

	"github.com/kbagent/kbagent/index"
)

// rawText scans a bytea into a string.
type rawText struct{ to *string }

// ScanBytes implements pgtype.BytesScanner.
func (r *rawText) ScanBytes(v []byte) error {
	*r.to = string(v)
	return nil
}

// rawDigest scans a bytea of its exact length.
type rawDigest struct{ to *index.Digest }

// ScanBytes implements pgtype.BytesScanner.
func (r *rawDigest) ScanBytes(v []byte) error {
	if len(v) != len(r.to) {
		return fmt.Errorf("%w: a digest has %d bytes", index.ErrDamaged, len(v))
	}
	copy(r.to[:], v)
	return nil
}

// raws are strings as bytea.
func raws(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

// fileColumns of index_files f go into fileFields.
const fileColumns = `f.root, f.path, f.title, f.size, f.lines, f.passages, f.hash, f.recipe, f.named`

func fileFields(f *index.FileRecord) []any {
	return []any{&rawText{&f.Root}, &rawText{&f.Path}, &rawText{&f.Title}, &f.Size, &f.Lines, &f.Passages, &rawDigest{&f.Hash}, &f.Recipe, &f.Named}
}

// passageColumns of index_passages p and index_files f go into passageFields.
const passageColumns = `p.passage_id, f.path, f.root, f.title, p.section, p.start_line, p.end_line, p.start_byte, p.end_byte, p.content, p.language`

func passageFields(p *index.Passage) []any {
	return []any{
		&p.ID, &rawText{&p.Path}, &rawText{&p.Root}, &rawText{&p.Title}, &rawText{&p.Section},
		&p.StartLine, &p.EndLine, &p.StartByte, &p.EndByte, &rawText{&p.Content}, &p.Language,
	}
}
