package inverted

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// The blobs that every segment has.
const (
	HeadBlob      = 0 // keys and lengths
	DirectoryBlob = 1 // pages
	firstBlob     = 2 // the first of the others
)

// Meta says what a segment holds.
type Meta struct {
	First, Last int64 // keys
	Docs        int
	Tokens      int64 // terms of all documents, repeated ones too
}

// A run is a range of keys that follow each other.
type run struct {
	first int64
	start uint32 // the ordinal of first
	n     uint32
}

// A Segment is the head and the directory of a segment in memory: two or four bytes a document and about one for each ten
// terms. It never changes and is safe for concurrent use.
type Segment struct {
	docs    int
	runs    []run
	width   int    // bytes of a length
	lengths []byte // of the documents, little-endian
	pages   []byte // of each page the end of its first term in names, and its blob, 4 bytes each, little-endian
	names   []byte
}

// Open reads the two blobs HeadBlob and DirectoryBlob. It keeps them.
func Open(head, directory []byte) (*Segment, error) {
	s := &Segment{}
	d := decoder{data: head}
	s.docs = int(d.number())
	runs := d.number()
	key, start := int64(0), uint32(0)
	for range runs {
		r := run{first: key + int64(d.long()), start: start, n: d.number()}
		if d.bad {
			break
		}
		s.runs = append(s.runs, r)
		key, start = r.first+int64(r.n), start+r.n
	}
	s.width, s.lengths = int(d.number()), d.data
	dir := decoder{data: directory}
	pages := dir.number()
	s.pages, s.names = dir.bytes(8*pages), dir.data
	if d.bad || dir.bad || s.width != 2 && s.width != 4 || len(s.lengths) != s.width*s.docs || int(start) != s.docs || s.docs == 0 {
		return nil, fmt.Errorf("%w: the head of a segment of %d documents", ErrCorrupt, s.docs)
	}
	for i := range s.pageCount() {
		if from, to, _ := s.page(i); from > to || to > len(s.names) {
			return nil, fmt.Errorf("%w: the directory of a segment of %d documents", ErrCorrupt, s.docs)
		}
	}
	return s, nil
}

// Size is about how many bytes s takes.
func (s *Segment) Size() int { return len(s.lengths) + len(s.pages) + len(s.names) + 16*len(s.runs) }

// Docs is how many documents s holds, deleted ones included.
func (s *Segment) Docs() int { return s.docs }

// Length is how many terms the document has.
func (s *Segment) Length(ordinal int) int { return int(s.length(uint32(ordinal))) }

func (s *Segment) length(doc uint32) uint32 {
	if s.width == 2 {
		return uint32(binary.LittleEndian.Uint16(s.lengths[2*doc:]))
	}
	return binary.LittleEndian.Uint32(s.lengths[4*doc:])
}

// Key is the key of a document.
func (s *Segment) Key(ordinal int) int64 {
	i := sort.Search(len(s.runs), func(i int) bool { return int(s.runs[i].start) > ordinal }) - 1
	return s.runs[i].first + int64(ordinal) - int64(s.runs[i].start)
}

// Ordinal is the document with a key; found is false for a key that s does not hold.
func (s *Segment) Ordinal(key int64) (ordinal int, found bool) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].first > key }) - 1
	if i < 0 || key-s.runs[i].first >= int64(s.runs[i].n) {
		return 0, false
	}
	return int(s.runs[i].start) + int(key-s.runs[i].first), true
}

func (s *Segment) pageCount() int { return len(s.pages) / 8 }

// page returns where the first term of the page stands in names, and its blob.
func (s *Segment) page(i int) (from, to, blob int) {
	if i > 0 {
		from = int(binary.LittleEndian.Uint32(s.pages[8*i-8:]))
	}
	return from, int(binary.LittleEndian.Uint32(s.pages[8*i:])), int(binary.LittleEndian.Uint32(s.pages[8*i+4:]))
}

// pageOf is the page that holds term, if any does; -1 when term is before all.
func (s *Segment) pageOf(term string) int {
	return sort.Search(s.pageCount(), func(i int) bool {
		from, to, _ := s.page(i)
		return string(s.names[from:to]) > term
	}) - 1
}

// appendHead encodes keys, which ascend, and lengths.
func appendHead(keys []int64, lengths []uint32) []byte {
	var runs []run
	for i, key := range keys {
		if n := len(runs); n > 0 && runs[n-1].first+int64(runs[n-1].n) == key {
			runs[n-1].n++
		} else {
			runs = append(runs, run{first: key, start: uint32(i), n: 1})
		}
	}
	head := binary.AppendUvarint(nil, uint64(len(keys)))
	head = binary.AppendUvarint(head, uint64(len(runs)))
	next := int64(0)
	for _, r := range runs {
		head = binary.AppendUvarint(head, uint64(r.first-next))
		head = binary.AppendUvarint(head, uint64(r.n))
		next = r.first + int64(r.n)
	}
	if slices.Max(lengths) < 1<<16 {
		head = binary.AppendUvarint(head, 2)
		for _, n := range lengths {
			head = binary.LittleEndian.AppendUint16(head, uint16(n))
		}
		return head
	}
	head = binary.AppendUvarint(head, 4)
	for _, n := range lengths {
		head = binary.LittleEndian.AppendUint32(head, n)
	}
	return head
}
