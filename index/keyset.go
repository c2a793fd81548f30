package index

import (
	"iter"
	"math/bits"
)

// A KeySet is a set of the keys of passages. A nil KeySet holds all keys, the zero KeySet none. It is safe for concurrent
// use once nothing is added any more.
type KeySet struct {
	words []uint64
}

// Add adds a key, which is not negative. The set takes a bit for each key up to the highest one.
func (s *KeySet) Add(key int64) {
	for int(key>>6) >= len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[key>>6] |= 1 << (key & 63)
}

// Has reports whether the set holds key.
func (s *KeySet) Has(key int64) bool {
	if s == nil {
		return true
	}
	word := key >> 6
	return word >= 0 && word < int64(len(s.words)) && s.words[word]&(1<<(key&63)) != 0
}

// Len is how many keys a set that is not nil holds.
func (s *KeySet) Len() (n int) {
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the keys of a set that is not nil, in order. It can be ranged again.
func (s *KeySet) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i, w := range s.words {
			for ; w != 0; w &= w - 1 {
				if !yield(int64(i)<<6 + int64(bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
