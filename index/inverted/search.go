package inverted

import (
	"cmp"
	"context"
	"slices"
)

// A Query asks for the K best documents. Score is the sum of the terms' shares.
type Query struct {
	Terms []Term // different ones
	K     int
	// All are terms, given in Terms too, that a document must hold each.
	All []string
	// Takes says of a document, by its key, whether it may be among the best; nil takes all. The statistics are of all.
	Takes func(key int64) bool
}

// A Term counts Weight times its BM25 share, Weight being above 0. Terms of one Class other than 0 are as common as all of them
// together, so that rare forms of a common word count no more than common ones.
type Term struct {
	Text   string
	Weight float64
	Class  int
}

// A Hit is a document with its sum, above 0.
type Hit struct {
	Key   int64
	Score float64
}

// Search returns the K documents with the highest sums, best first, those with equal sums in order of their keys. Documents
// that hold no term are none of them. Sums are exact to about 10⁻¹¹.
// The keys of the parts must not overlap, and stats must be those of all parts.
func Search(ctx context.Context, parts []Part, stats Stats, q Query) ([]Hit, error) {
	if q.K <= 0 || len(q.Terms) == 0 || stats.Docs <= 0 {
		return nil, nil
	}
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Key(0), b.Key(0)) })
	c := candidates{parts: parts}
	for _, t := range q.Terms {
		c.terms = append(c.terms, t.Text)
	}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	s := searcher{top: top{k: q.K}, takes: q.Takes, scorers: scorers(stats, c.df, q.Terms)}
	for i := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.part(ctx, &c, i, q); err != nil {
			return nil, err
		}
	}
	return s.top.sorted(), nil
}

// scorers are those of terms, df being how many documents hold each.
func scorers(stats Stats, df []int, terms []Term) []scorer {
	class := map[int]int{}
	for i, t := range terms {
		class[t.Class] += df[i]
	}
	list := make([]scorer, len(terms))
	for i, t := range terms {
		n := df[i]
		if t.Class != 0 {
			n = min(class[t.Class], stats.Docs)
		}
		list[i] = newScorer(stats, n, t.Weight)
	}
	return list
}

// windowSize is how many documents are looked at together.
const windowSize = 4096

// A searcher goes through the parts of one search.
type searcher struct {
	top     top
	takes   func(key int64) bool // nil for all
	scorers []scorer             // by term
	cursors []*cursor
	below   []int64 // below[i] is the sum of the windows' bounds of cursors up to i
	sums    [windowSize]int64
	touched [windowSize / 64]uint64
}

// part searches one part.
func (s *searcher) part(ctx context.Context, c *candidates, i int, q Query) error {
	if err := c.loadLists(ctx, i); err != nil {
		return err
	}
	p := &c.parts[i]
	s.cursors = s.cursors[:0]
	must := make([]*cursor, 0, len(q.All))
	for t, e := range c.entries[i] {
		if e.df == 0 || c.df[t] == 0 {
			continue
		}
		cur := new(cursor)
		if err := cur.open(p.Segment, c.lists[i][t], e.df, s.scorers[t]); err != nil {
			return err
		}
		s.cursors = append(s.cursors, cur)
		if slices.Contains(q.All, q.Terms[t].Text) {
			must = append(must, cur)
		}
	}
	if len(q.All) > 0 {
		return s.conjunction(p, must, len(q.All))
	}
	for lo := 0; lo < p.docs && len(s.cursors) > 0; lo += windowSize {
		if err := s.window(p, uint32(lo), uint32(min(lo+windowSize, p.docs))); err != nil {
			return err
		}
	}
	return nil
}

// window searches the documents from lo up to, not including, hi.
func (s *searcher) window(p *Part, lo, hi uint32) error {
	for _, c := range s.cursors {
		c.enter(lo, hi)
	}
	slices.SortFunc(s.cursors, func(a, b *cursor) int { return cmp.Compare(a.window, b.window) })
	s.below = s.below[:0]
	sum, minor := int64(0), 0 // the first minor cursors cannot lift a document among the best by themselves
	for i, c := range s.cursors {
		sum += c.window
		s.below = append(s.below, sum)
		if sum <= s.top.least() {
			minor = i + 1
		}
	}
	if minor == len(s.cursors) {
		return nil
	}
	for _, c := range s.cursors[minor:] {
		if err := s.add(c, lo, hi); err != nil {
			return err
		}
	}
	return s.finish(p, lo, minor)
}

// add adds the shares of the documents from lo up to hi to their sums.
func (s *searcher) add(c *cursor, lo, hi uint32) error {
	for ; c.b < len(c.blocks) && c.blocks[c.b].first < hi; c.b++ {
		if err := c.decode(); err != nil {
			return err
		}
		n := c.blocks[c.b].n
		for c.at < n && c.docs[c.at] < lo {
			c.at++
		}
		for ; c.at < n && c.docs[c.at] < hi; c.at++ {
			i := c.docs[c.at] - lo
			s.sums[i] += c.share(c.at)
			s.touched[i>>6] |= 1 << (i & 63)
		}
		if c.at < n {
			return nil
		}
	}
	return nil
}
