package inverted

import (
	"context"
	"slices"
)

// A Load returns the blobs of a segment with these numbers, in their order. The caller does not change them.
type Load func(ctx context.Context, numbers []int) ([][]byte, error)

// A Part is a segment as a search sees it.
type Part struct {
	*Segment
	// Dead has a bit for each deleted document, the lowest bit of the first byte being ordinal 0; nil when there is none.
	Dead []byte
	Load Load
}

// Stats are sums over the documents that are not deleted.
type Stats struct {
	Docs   int
	Tokens int64
}

func (p *Part) dead(doc uint32) bool {
	return int(doc>>3) < len(p.Dead) && p.Dead[doc>>3]&(1<<(doc&7)) != 0
}

// SetDead returns bitmap with the bit of a document set, and whether it was not set before.
func SetDead(bitmap []byte, ordinal int) (with []byte, isNew bool) {
	for len(bitmap) <= ordinal>>3 {
		bitmap = append(bitmap, 0)
	}
	isNew = bitmap[ordinal>>3]&(1<<(ordinal&7)) == 0
	bitmap[ordinal>>3] |= 1 << (ordinal & 7)
	return bitmap, isNew
}

// entries looks terms up; df is 0 for those that the segment does not hold.
func (p *Part) entries(ctx context.Context, terms []string) ([]entry, error) {
	pageOf := make([]int, len(terms)) // the blob; 0 = none
	var numbers []int
	for i, t := range terms {
		if page := p.pageOf(t); page >= 0 {
			_, _, pageOf[i] = p.page(page)
			numbers = append(numbers, pageOf[i])
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	if len(numbers) == 0 {
		return make([]entry, len(terms)), nil
	}
	pages, err := p.Load(ctx, numbers)
	if err != nil {
		return nil, err
	}
	found := make([]entry, len(terms))
	for i, t := range terms {
		if at, ok := slices.BinarySearch(numbers, pageOf[i]); ok {
			if found[i], err = lookup(pages[at], t); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// lists loads the lists of entries; nil for those with df 0.
func (p *Part) lists(ctx context.Context, entries []entry) ([][]byte, error) {
	lists := make([][]byte, len(entries))
	var numbers, at []int
	for i, e := range entries {
		switch {
		case e.df == 0:
		case e.inline != nil:
			lists[i] = e.inline
		default:
			numbers, at = append(numbers, e.number), append(at, i)
		}
	}
	if len(numbers) == 0 {
		return lists, nil
	}
	blobs, err := p.Load(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for i, blob := range blobs {
		lists[at[i]] = blob
	}
	return lists, nil
}

// living is how many documents of a list are not deleted.
func (p *Part) living(list []byte, df int) (int, error) {
	if p.Dead == nil {
		return df, nil
	}
	postings, err := decodeList(nil, list, df)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, x := range postings {
		if !p.dead(x.doc) {
			n++
		}
	}
	return n, nil
}
