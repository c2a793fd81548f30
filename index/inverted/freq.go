package inverted

import "context"

// DocFreq returns for each term how many documents that are not deleted hold it.
func DocFreq(ctx context.Context, parts []Part, terms []string) ([]int, error) {
	c := candidates{parts: parts, terms: terms}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	return c.df, nil
}

// candidates are the lists of some terms in all parts.
type candidates struct {
	parts   []Part
	terms   []string
	entries [][]entry  // by part and term
	lists   [][][]byte // the same; nil for a part of which they were not needed yet
	df      []int      // by term, without deleted documents
}

// load looks the terms up and counts. It loads the lists of parts with deleted documents only.
func (c *candidates) load(ctx context.Context) error {
	c.entries, c.lists, c.df = make([][]entry, len(c.parts)), make([][][]byte, len(c.parts)), make([]int, len(c.terms))
	for i := range c.parts {
		p := &c.parts[i]
		var err error
		if c.entries[i], err = p.entries(ctx, c.terms); err != nil {
			return err
		}
		if p.Dead != nil {
			if err := c.loadLists(ctx, i); err != nil {
				return err
			}
		}
		for t, e := range c.entries[i] {
			n := e.df
			if p.Dead != nil {
				if n, err = p.living(c.lists[i][t], e.df); err != nil {
					return err
				}
			}
			c.df[t] += n
		}
	}
	return nil
}

func (c *candidates) loadLists(ctx context.Context, part int) (err error) {
	if c.lists[part] == nil {
		c.lists[part], err = c.parts[part].lists(ctx, c.entries[part])
	}
	return err
}
