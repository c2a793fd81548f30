package inverted

import (
	"fmt"
	"maps"
	"slices"
)

// A Builder gathers documents for a new segment. It is for one goroutine. The zero value is not ready: use [NewBuilder].
type Builder struct {
	keys    []int64
	lengths []uint32
	at      map[string]int // of a term's list in lists
	lists   [][]posting
}

// NewBuilder returns a Builder without documents.
func NewBuilder() *Builder { return &Builder{at: map[string]int{}} }

// Docs is how many documents were added.
func (b *Builder) Docs() int { return len(b.keys) }

// Add adds a document with the terms of all fields. Keys must ascend. The Builder keeps the strings.
func (b *Builder) Add(key int64, fields ...[]string) {
	b.keys = append(b.keys, key)
	b.lengths = append(b.lengths, 0)
	for _, terms := range fields {
		for _, t := range terms {
			b.count(uint32(len(b.keys)-1), t)
		}
	}
}

// Occurs counts one more occurrence of term in the document with key, which was added before. For each term keys ascend.
func (b *Builder) Occurs(key int64, term string) error {
	doc, found := slices.BinarySearch(b.keys, key)
	if !found {
		return fmt.Errorf("inverted: document %d was not added", key)
	}
	b.count(uint32(doc), term)
	return nil
}

func (b *Builder) count(doc uint32, term string) {
	b.lengths[doc]++
	i, ok := b.at[term]
	if !ok {
		i = len(b.lists)
		b.at[term] = i
		b.lists = append(b.lists, nil)
	}
	list := b.lists[i]
	if k := len(list); k > 0 && list[k-1].doc == doc {
		list[k-1].tf++
		return
	}
	b.lists[i] = append(list, posting{doc, 1})
}

// Write makes the segment. There must be a document.
func (b *Builder) Write(put Put) (Meta, error) {
	w := newWriter(put, func(doc uint32) uint32 { return b.lengths[doc] })
	for _, term := range slices.Sorted(maps.Keys(b.at)) {
		w.term(term, b.lists[b.at[term]])
	}
	return w.finish(b.keys, b.lengths)
}
