package inverted

import (
	"bytes"
	"context"
)

// pagesAtOnce is how many pages of the dictionary are loaded together.
const pagesAtOnce = 64

// Vocabulary returns the terms that begin with prefix and that keep accepts, with how many documents hold each; deleted documents
// count as long as their segments hold them. keep must not hold on to the term; nil accepts all.
// It reads the whole part of the dictionary that begins with prefix.
func Vocabulary(ctx context.Context, parts []Part, prefix string, keep func(term []byte) bool) (map[string]int, error) {
	found := map[string]int{}
	for i := range parts {
		if err := parts[i].vocabulary(ctx, prefix, keep, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (p *Part) vocabulary(ctx context.Context, prefix string, keep func(term []byte) bool, found map[string]int) error {
	for page := max(0, p.pageOf(prefix)); page < p.pageCount(); {
		var numbers []int
		for ; page < p.pageCount() && len(numbers) < pagesAtOnce; page++ {
			_, _, blob := p.page(page)
			numbers = append(numbers, blob)
		}
		pages, err := p.Load(ctx, numbers)
		if err != nil {
			return err
		}
		for _, data := range pages {
			more, err := pageVocabulary(data, []byte(prefix), keep, found)
			if err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// pageVocabulary adds the terms of a page; more is false when the terms with prefix are over.
func pageVocabulary(page, prefix []byte, keep func(term []byte) bool, found map[string]int) (more bool, err error) {
	r := readPage(page)
	for r.next() {
		if !bytes.HasPrefix(r.term, prefix) {
			if bytes.Compare(r.term, prefix) > 0 {
				return false, nil
			}
			continue
		}
		if keep == nil || keep(r.term) {
			found[string(r.term)] += r.df
		}
	}
	return true, r.err()
}
