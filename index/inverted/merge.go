package inverted

import (
	"context"
	"fmt"
)

// Merge makes one segment of parts, which must be in order of their keys, without the deleted documents. When all are
// deleted nothing is written and Meta is zero.
func Merge(ctx context.Context, parts []Part, put Put) (Meta, error) {
	m := merger{ctx: ctx}
	for i := range parts {
		m.take(&parts[i])
	}
	if len(m.keys) == 0 {
		return Meta{}, nil
	}
	w := newWriter(put, func(doc uint32) uint32 { return m.lengths[doc] })
	if err := m.merge(w); err != nil {
		return Meta{}, err
	}
	return w.finish(m.keys, m.lengths)
}

// A merger goes through the dictionaries of several parts side by side.
type merger struct {
	ctx     context.Context
	inputs  []*input
	keys    []int64
	lengths []uint32
}

// An input is one part of a merge.
type input struct {
	*Part
	renumber []uint32 // by ordinal; gone for a deleted document
	page     int      // the next one
	reader   *pageReader
	lists    map[int][]byte // the long lists of the page
	done     bool
}

// gone is no ordinal.
const gone = 1<<32 - 1

func (m *merger) take(p *Part) {
	in := &input{Part: p, renumber: make([]uint32, p.docs), reader: readPage(nil)}
	for doc := range uint32(p.docs) {
		if p.dead(doc) {
			in.renumber[doc] = gone
			continue
		}
		in.renumber[doc] = uint32(len(m.keys))
		m.keys = append(m.keys, p.Key(int(doc)))
		m.lengths = append(m.lengths, p.length(doc))
	}
	m.inputs = append(m.inputs, in)
}

func (m *merger) merge(w *writer) error {
	for _, in := range m.inputs {
		if err := in.next(m.ctx); err != nil {
			return err
		}
	}
	var list []posting
	for w.err == nil {
		term, ok := m.first()
		if !ok {
			return nil
		}
		list = list[:0]
		for _, in := range m.inputs {
			if in.done || string(in.reader.term) != term {
				continue
			}
			var err error
			if list, err = in.postings(list); err == nil {
				err = in.next(m.ctx)
			}
			if err != nil {
				return err
			}
		}
		if len(list) > 0 {
			w.term(term, list)
		}
	}
	return w.err
}

// first is the first term that any input is at; false at the end.
func (m *merger) first() (string, bool) {
	var best []byte
	for _, in := range m.inputs {
		if !in.done && (best == nil || string(in.reader.term) < string(best)) {
			best = in.reader.term
		}
	}
	return string(best), best != nil
}

// next goes to the next term.
func (in *input) next(ctx context.Context) error {
	for !in.reader.next() {
		if err := in.reader.err(); err != nil {
			return err
		}
		if in.page == in.pageCount() {
			in.done = true
			return nil
		}
		if err := in.load(ctx); err != nil {
			return err
		}
	}
	return nil
}

// load reads the next page and its long lists.
func (in *input) load(ctx context.Context) error {
	_, _, number := in.Segment.page(in.page)
	in.page++
	pages, err := in.Load(ctx, []int{number})
	if err != nil {
		return err
	}
	in.reader, in.lists = readPage(pages[0]), nil
	var numbers []int
	for r := readPage(pages[0]); r.next(); {
		if r.inline == nil {
			numbers = append(numbers, r.number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	lists, err := in.Load(ctx, numbers)
	if err != nil {
		return err
	}
	in.lists = make(map[int][]byte, len(lists))
	for i, list := range lists {
		in.lists[numbers[i]] = list
	}
	return nil
}

// postings appends the documents of the present term that are not deleted.
func (in *input) postings(out []posting) ([]posting, error) {
	list := in.reader.inline
	if list == nil {
		list = in.lists[in.reader.number]
	}
	start := len(out)
	out, err := decodeList(out, list, in.reader.df)
	if err != nil {
		return out, err
	}
	kept := out[:start]
	for _, p := range out[start:] {
		if int(p.doc) >= in.docs {
			return out, fmt.Errorf("%w: document %d of %d", ErrCorrupt, p.doc, in.docs)
		}
		if doc := in.renumber[p.doc]; doc != gone {
			kept = append(kept, posting{doc, p.tf})
		}
	}
	return kept, nil
}
