package index

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// A Record is a ready-made passage that comes from no file, a reviewer's correction for instance.
type Record struct {
	Path    string // its name in its root; required, one record each
	Title   string
	Section string
	Text    string // valid UTF-8; stays one passage, however long
}

// Put adds records under a root of their own, which must not be an absolute path; a record replaces the one of the same
// path, the others of the root stay. All records are one transaction. They are embedded by the next [Index.Update].
// Update never removes them and Roots does not list their root; Remove takes them out. The report has no Entries.
func (x *Index) Put(ctx context.Context, root string, records []Record) (Report, error) {
	start := time.Now()
	if root == "" || filepath.IsAbs(root) {
		return Report{}, fmt.Errorf("index: a root for records must be a name, not %q", root)
	}
	known, err := x.store.Files(ctx)
	if err != nil {
		return Report{}, err
	}
	hashes := map[FileKey]Digest{}
	for _, f := range known {
		hashes[FileKey{f.Root, f.Path}] = f.Hash
	}
	var report Report
	var change Change
	seen := map[string]bool{}
	for _, r := range records {
		if r.Path == "" || seen[r.Path] {
			return Report{}, fmt.Errorf("index: record path %q is empty or there twice", r.Path)
		}
		seen[r.Path] = true
		if err := checkText([]byte(r.Text)); err != nil {
			return Report{}, fmt.Errorf("index: record %s: %w", r.Path, err)
		}
		doc := r.document(root)
		if hashes[FileKey{root, r.Path}] == doc.Hash {
			report.Files.Unchanged++
			continue
		}
		change.Put = append(change.Put, doc)
		report.Files.Indexed++
		report.Passages += len(doc.Passages)
		report.Bytes += doc.Size
	}
	if err := x.store.Apply(ctx, change); err != nil {
		return Report{}, err
	}
	report.Elapsed = time.Since(start)
	return report, nil
}

func (r Record) document(root string) Document {
	lines := scanLines(r.Text)
	doc := Document{Text: r.Text, FileRecord: FileRecord{
		File:   File{Path: r.Path, Root: root, Title: r.Title, Size: int64(len(r.Text)), Lines: countLines(r.Text)},
		Hash:   sha256.Sum256([]byte(r.Title + "\x00" + r.Section + "\x00" + r.Text)),
		Recipe: splitRecipe, Named: true,
	}}
	o := outline{title: r.Title, src: r.Text, lines: lines}
	first := slices.IndexFunc(lines, func(l line) bool { return l.start < l.end })
	if first < 0 {
		return doc
	}
	p := o.passage(r.Path, r.Section, o.trimmed(o.piece(first, len(lines))))
	p.Root = root
	doc.Passages = []IndexedPassage{indexed(p)}
	doc.File.Passages = 1
	return doc
}
