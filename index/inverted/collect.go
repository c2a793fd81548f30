package inverted

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"
)

// finish adds the shares of the minor cursors to the sums that can still be among the best, and offers these.
func (s *searcher) finish(p *Part, lo uint32, minor int) error {
	for word, set := range s.touched {
		if set == 0 {
			continue
		}
		s.touched[word] = 0
		for ; set != 0; set &= set - 1 {
			i := word<<6 + bits.TrailingZeros64(set)
			sum := s.sums[i]
			s.sums[i] = 0
			doc := lo + uint32(i)
			if p.dead(doc) {
				continue
			}
			sum, err := s.minor(doc, sum, minor)
			if err != nil {
				return err
			}
			s.offer(p, doc, sum)
		}
	}
	return nil
}

// offer keeps a document when it is among the best of those that are taken. Few are: the key is looked up for these only.
func (s *searcher) offer(p *Part, doc uint32, sum int64) {
	if sum <= s.top.least() {
		return
	}
	if key := p.Key(int(doc)); s.takes == nil || s.takes(key) {
		s.top.offer(sum, key)
	}
}

// minor adds the shares of the first n cursors to the sum of doc, from the greatest bound down, and stops when it cannot get
// among the best any more.
func (s *searcher) minor(doc uint32, sum int64, n int) (int64, error) {
	for j := n - 1; j >= 0; j-- {
		rest := int64(0)
		if j > 0 {
			rest = s.below[j-1]
		}
		if sum+s.below[j] <= s.top.least() || sum+rest+s.cursors[j].bound(doc) <= s.top.least() {
			return 0, nil
		}
		share, err := s.cursors[j].find(doc)
		if err != nil {
			return 0, err
		}
		sum += share
	}
	return sum, nil
}

// conjunction offers the documents that all of must hold, of which there have to be n.
func (s *searcher) conjunction(p *Part, must []*cursor, n int) error {
	if len(must) < n {
		return nil
	}
	slices.SortFunc(must, func(a, b *cursor) int { return a.documents() - b.documents() })
	docs, err := must[0].all()
	if err != nil {
		return err
	}
next:
	for _, doc := range docs {
		if p.dead(doc) {
			continue
		}
		for _, c := range must[1:] {
			share, err := c.find(doc)
			if err != nil {
				return err
			}
			if share == 0 {
				continue next
			}
		}
		sum := int64(0)
		for _, c := range s.cursors {
			share, err := c.find(doc)
			if err != nil {
				return err
			}
			sum += share
		}
		s.offer(p, doc, sum)
	}
	return nil
}

// documents is how many documents the list holds.
func (c *cursor) documents() (n int) {
	for _, b := range c.blocks {
		n += b.n
	}
	return n
}

// all are the documents of the list. The cursor stays where it is.
func (c *cursor) all() ([]uint32, error) {
	var list []uint32
	var docs, tfs [blockSize]uint32
	for _, b := range c.blocks {
		if err := decodeBlock(b.data, b.n, b.first, &docs, &tfs); err != nil {
			return nil, err
		}
		list = append(list, docs[:b.n]...)
	}
	return list, nil
}

// top keeps the k best of what it is offered, in ascending order of the keys.
type top struct {
	k    int
	hits found
}

type scored struct {
	sum int64
	key int64
}

// least is the sum that an offer has to exceed. Of equal sums the first offered, with the lower key, stays.
func (t *top) least() int64 {
	if len(t.hits) < t.k {
		return 0
	}
	return t.hits[0].sum
}

func (t *top) offer(sum, key int64) {
	if len(t.hits) == t.k {
		t.hits[0] = scored{sum, key}
		heap.Fix(&t.hits, 0)
		return
	}
	heap.Push(&t.hits, scored{sum, key})
}

func (t *top) sorted() []Hit {
	slices.SortFunc(t.hits, func(a, b scored) int {
		if a.sum != b.sum {
			return cmp.Compare(b.sum, a.sum)
		}
		return cmp.Compare(a.key, b.key)
	})
	hits := make([]Hit, len(t.hits))
	for i, h := range t.hits {
		hits[i] = Hit{Key: h.key, Score: float64(h.sum) / unit}
	}
	return hits
}

// found is a heap with the worst on top.
type found []scored

func (f found) Len() int      { return len(f) }
func (f found) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f found) Less(i, j int) bool {
	if f[i].sum != f[j].sum {
		return f[i].sum < f[j].sum
	}
	return f[i].key > f[j].key
}
func (f *found) Push(x any) { *f = append(*f, x.(scored)) }
func (f *found) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
