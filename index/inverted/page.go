package inverted

import "encoding/binary"

// pageBytes is the size at which a page is full, and inlineBytes the largest list that stands in one.
const (
	pageBytes   = 4000
	inlineBytes = 256
)

// An entry is a term's line in the dictionary of a segment.
type entry struct {
	df     int
	inline []byte // the list, when it is short
	number int    // the blob with the list otherwise
}

// appendEntry adds a term to a page: how many bytes it shares with the term before, the others, df, and the list.
func appendEntry(page []byte, before, term string, e entry) []byte {
	shared := 0
	for shared < min(len(before), len(term)) && before[shared] == term[shared] {
		shared++
	}
	page = binary.AppendUvarint(page, uint64(shared))
	page = binary.AppendUvarint(page, uint64(len(term)-shared))
	page = append(page, term[shared:]...)
	page = binary.AppendUvarint(page, uint64(e.df))
	if e.inline == nil {
		return binary.AppendUvarint(page, uint64(e.number)<<1|1)
	}
	page = binary.AppendUvarint(page, uint64(len(e.inline))<<1)
	return append(page, e.inline...)
}

// A pageReader reads the terms of a page in order.
type pageReader struct {
	d    decoder
	term []byte // valid until the next one
	entry
}

func readPage(page []byte) *pageReader { return &pageReader{d: decoder{data: page}} }

// next goes to the next term; false is the end, or damage, which err tells.
func (r *pageReader) next() bool {
	if len(r.d.data) == 0 {
		return false
	}
	shared, more := r.d.number(), r.d.number()
	if uint64(shared) > uint64(len(r.term)) {
		r.d.bad = true
		return false
	}
	r.term = append(r.term[:shared], r.d.bytes(more)...)
	r.entry = entry{df: int(r.d.number())}
	if ref := r.d.number(); ref&1 == 1 {
		r.number = int(ref >> 1)
	} else {
		r.inline = r.d.bytes(ref >> 1)
	}
	return !r.d.bad
}

func (r *pageReader) err() error { return r.d.err() }

// lookup finds a term in its page; df is 0 when it is not there.
func lookup(page []byte, term string) (entry, error) {
	r := readPage(page)
	for r.next() {
		if string(r.term) >= term {
			if string(r.term) == term {
				return r.entry, nil
			}
			break
		}
	}
	return entry{}, r.err()
}
