package inverted

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt reports blobs that are not what this package wrote.
var ErrCorrupt = errors.New("inverted list is corrupt")

// A decoder reads numbers and strings from the front of data. After the first that is not there, all are zero and bad is set.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) number() uint32 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > 1<<32-1 {
		d.data, d.bad = nil, true
		return 0
	}
	d.data = d.data[n:]
	return uint32(v)
}

func (d *decoder) long() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.data, d.bad = nil, true
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(d.data)) {
		d.data, d.bad = nil, true
		return nil
	}
	out := d.data[:n:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) err() error {
	if d.bad {
		return ErrCorrupt
	}
	return nil
}
