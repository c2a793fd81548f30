package inverted

import "encoding/binary"

// A Put keeps a blob of a segment under its number. It must not keep data itself.
type Put func(number int, data []byte) error

// A writer makes the blobs of a segment; after the first error it does nothing more.
type writer struct {
	put           Put
	length        func(doc uint32) uint32
	next          int // number of the next blob
	page, scratch []byte
	first, before string // the first term of the page, and the last
	pages, names  []byte
	count         int
	err           error
}

func newWriter(put Put, length func(doc uint32) uint32) *writer {
	return &writer{put: put, length: length, next: firstBlob}
}

// blob keeps data under the next number.
func (w *writer) blob(data []byte) (number int) {
	number = w.next
	w.next++
	if w.err == nil {
		w.err = w.put(number, data)
	}
	return number
}

// term adds a term, in ascending order, with its list.
func (w *writer) term(term string, list []posting) {
	if len(w.page) >= pageBytes {
		w.flush()
	}
	if len(w.page) == 0 {
		w.first, w.before = term, ""
	}
	w.scratch = encodeList(w.scratch[:0], list, w.length)
	e := entry{df: len(list), inline: w.scratch}
	if len(w.scratch) > inlineBytes {
		e = entry{df: len(list), number: w.blob(w.scratch)}
	}
	w.page = appendEntry(w.page, w.before, term, e)
	w.before = term
}

func (w *writer) flush() {
	if len(w.page) == 0 {
		return
	}
	number := w.blob(w.page)
	w.names = append(w.names, w.first...)
	w.pages = binary.LittleEndian.AppendUint32(w.pages, uint32(len(w.names)))
	w.pages = binary.LittleEndian.AppendUint32(w.pages, uint32(number))
	w.count++
	w.page = w.page[:0]
}

// finish writes the rest.
func (w *writer) finish(keys []int64, lengths []uint32) (Meta, error) {
	w.flush()
	meta := Meta{First: keys[0], Last: keys[len(keys)-1], Docs: len(keys)}
	for _, n := range lengths {
		meta.Tokens += int64(n)
	}
	directory := binary.AppendUvarint(nil, uint64(w.count))
	directory = append(append(directory, w.pages...), w.names...)
	if w.err == nil {
		w.err = w.put(HeadBlob, appendHead(keys, lengths))
	}
	if w.err == nil {
		w.err = w.put(DirectoryBlob, directory)
	}
	return meta, w.err
}
