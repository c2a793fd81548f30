package inverted

import "encoding/binary"

// blockSize is how many documents a block of a list holds; the last block holds the rest.
const blockSize = 128

// A posting says that a document, by its ordinal, holds a term tf times, tf being 1 or more.
type posting struct{ doc, tf uint32 }

// encodeList appends a list in ascending order of doc. A list of one block is the block alone. A longer one begins with, for
// each block, by how much its last document is beyond the last of the block before, its bytes, its highest tf and the length
// of its shortest document.
func encodeList(out []byte, list []posting, length func(doc uint32) uint32) []byte {
	if len(list) <= blockSize {
		return encodeBlock(out, list, 0)
	}
	var head, body []byte
	next := uint32(0) // the first ordinal that the block may hold
	for start := 0; start < len(list); start += blockSize {
		block := list[start:min(start+blockSize, len(list))]
		before, last := len(body), block[len(block)-1].doc
		body = encodeBlock(body, block, next)
		highest, shortest := bounds(block, length)
		for _, v := range [...]uint32{last - next, uint32(len(body) - before), highest, shortest} {
			head = binary.AppendUvarint(head, uint64(v))
		}
		next = last + 1
	}
	return append(append(out, head...), body...)
}

func bounds(block []posting, length func(doc uint32) uint32) (highest, shortest uint32) {
	shortest = 1<<32 - 1
	for _, p := range block {
		highest, shortest = max(highest, p.tf), min(shortest, length(p.doc))
	}
	return highest, shortest
}

// encodeBlock writes for each document its distance from the one before, doubled, plus 1 when tf is 1; otherwise tf follows.
func encodeBlock(out []byte, block []posting, next uint32) []byte {
	for _, p := range block {
		gap := uint64(p.doc-next) << 1
		if next = p.doc + 1; p.tf == 1 {
			out = binary.AppendUvarint(out, gap|1)
		} else {
			out = binary.AppendUvarint(binary.AppendUvarint(out, gap), uint64(p.tf))
		}
	}
	return out
}

// decodeBlock reads n documents into docs and tfs.
func decodeBlock(data []byte, n int, next uint32, docs, tfs *[blockSize]uint32) error {
	d := decoder{data: data}
	for i := range n {
		var gap uint64
		if len(d.data) > 0 && d.data[0] < 0x80 { // most of them
			gap, d.data = uint64(d.data[0]), d.data[1:]
		} else {
			gap = d.long()
		}
		doc := uint64(next) + gap>>1
		if doc >= gone {
			return ErrCorrupt
		}
		docs[i] = uint32(doc)
		next = docs[i] + 1
		if gap&1 == 1 {
			tfs[i] = 1
		} else {
			tfs[i] = d.number()
		}
	}
	return d.err()
}

// A block is what the head of a list says of one.
type block struct {
	first, last       uint32 // no document of it is before first, and its last one is last
	data              []byte
	n                 int
	highest, shortest uint32 // tf and length
}

// blocks reads the head of a list of more than one block.
func blocks(data []byte, df int) ([]block, error) {
	if (df+blockSize-1)/blockSize > len(data)/4 { // the head has four numbers for each
		return nil, ErrCorrupt
	}
	list := make([]block, (df+blockSize-1)/blockSize)
	sizes := make([]uint32, len(list))
	d := decoder{data: data}
	next := uint32(0)
	for i := range list {
		last := next + d.number()
		if last < next || last >= gone {
			return nil, ErrCorrupt
		}
		sizes[i] = d.number()
		list[i] = block{first: next, last: last, n: min(blockSize, df-i*blockSize), highest: d.number(), shortest: d.number()}
		next = last + 1
	}
	for i, size := range sizes {
		list[i].data = d.bytes(size)
	}
	return list, d.err()
}

// decodeList appends a whole list.
func decodeList(out []posting, data []byte, df int) ([]posting, error) {
	list := []block{{data: data, n: df}}
	if df > blockSize {
		var err error
		if list, err = blocks(data, df); err != nil {
			return out, err
		}
	}
	var docs, tfs [blockSize]uint32
	for _, b := range list {
		if err := decodeBlock(b.data, b.n, b.first, &docs, &tfs); err != nil {
			return out, err
		}
		for i := range b.n {
			out = append(out, posting{docs[i], tfs[i]})
		}
	}
	return out, nil
}
