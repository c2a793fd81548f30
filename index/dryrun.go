package index

import (
	"context"
	"unicode/utf8"
)

// A dryRun collects the changes of an update instead of making them.
type dryRun struct {
	texts map[Digest]int   // the tokens of what would be embedded
	gone  map[FileKey]bool // whose passages of now would not be there
}

func newDryRun() *dryRun { return &dryRun{texts: map[Digest]int{}, gone: map[FileKey]bool{}} }

func (d *dryRun) add(c Change) {
	for _, key := range c.Remove {
		d.gone[key] = true
	}
	for _, doc := range c.Put {
		d.gone[FileKey{doc.Root, doc.Path}] = true
		for _, p := range doc.Passages {
			d.texts[p.Digest] = tokens(EmbeddedText(p.Passage))
		}
	}
}

// cost is what embedding would take after the changes: for the new passages, and for old ones that have no vector yet.
func (d *dryRun) cost(ctx context.Context, x *Index) (*EmbeddingCost, error) {
	model := x.embedder.Model()
	digests := make([]Digest, 0, len(d.texts))
	for digest := range d.texts {
		digests = append(digests, digest)
	}
	have, err := x.store.Embedded(ctx, model, digests)
	if err != nil {
		return nil, err
	}
	for digest := range have {
		delete(d.texts, digest)
	}
	if err := d.waiting(ctx, x, model); err != nil {
		return nil, err
	}
	cost := &EmbeddingCost{Model: model, Texts: len(d.texts), Calls: (len(d.texts) + x.opts.EmbedBatch - 1) / x.opts.EmbedBatch}
	for _, n := range d.texts {
		cost.Tokens += n
	}
	return cost, nil
}

// waiting adds the passages of the index that have no vector and would stay.
func (d *dryRun) waiting(ctx context.Context, x *Index, model string) error {
	for after := int64(0); ; {
		list, err := x.store.Unembedded(ctx, model, after, 1000)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, w := range list {
			if !d.gone[FileKey{w.Passage.Root, w.Passage.Path}] {
				d.texts[w.Digest] = tokens(EmbeddedText(w.Passage))
			}
		}
		after = list[len(list)-1].Key
	}
}

// tokens estimates how many tokens an embedding model makes of s: one for four letters, or for a Han, Kana or Hangul letter.
func tokens(s string) int {
	ideographs := 0
	for _, r := range s {
		if isIdeograph(r) {
			ideographs++
		}
	}
	return ideographs + (utf8.RuneCountInString(s)-ideographs+3)/4
}
