package inverted

// A cursor walks one term's list in one segment, forwards.
type cursor struct {
	segment *Segment
	scorer  scorer
	blocks  []block
	bounds  []int64 // of the shares in each block
	b       int     // the block it is in; len(blocks) at the end
	loaded  int     // the block that docs and tfs hold; -1 for none
	at      int     // in docs
	docs    [blockSize]uint32
	tfs     [blockSize]uint32
	window  int64 // bound of the shares in the present window
}

// open makes c the cursor of a list. A list of one block gets the exact bound, a longer one the bounds of its head.
func (c *cursor) open(s *Segment, list []byte, df int, score scorer) error {
	c.segment, c.scorer, c.b, c.at, c.loaded = s, score, 0, 0, -1
	c.blocks, c.bounds = nil, nil
	if df > blockSize {
		var err error
		if c.blocks, err = blocks(list, df); err != nil {
			return err
		}
		if int(c.blocks[len(c.blocks)-1].last) >= s.docs {
			return ErrCorrupt
		}
		c.bounds = make([]int64, len(c.blocks))
		for i, b := range c.blocks {
			c.bounds[i] = score.bound(b.highest, b.shortest)
		}
		return nil
	}
	c.blocks = []block{{data: list, n: df}}
	if err := c.decode(); err != nil {
		return err
	}
	c.blocks[0].last = c.docs[df-1]
	if int(c.blocks[0].last) >= s.docs {
		return ErrCorrupt
	}
	best := int64(0)
	for i := range df {
		best = max(best, c.share(i))
	}
	c.bounds = []int64{best}
	return nil
}

// share is what the i-th document of the block gets.
func (c *cursor) share(i int) int64 { return c.scorer.share(c.tfs[i], c.segment.length(c.docs[i])) }

// decode reads the block that c is in, if it is not there yet.
func (c *cursor) decode() error {
	if c.loaded == c.b {
		return nil
	}
	b := &c.blocks[c.b]
	if err := decodeBlock(b.data, b.n, b.first, &c.docs, &c.tfs); err != nil {
		return err
	}
	if len(c.blocks) > 1 && c.docs[b.n-1] != b.last { // of a single one nothing has said yet where it ends
		return ErrCorrupt
	}
	c.loaded, c.at = c.b, 0
	return nil
}

// skip goes to the block that may hold doc or what comes after it; false means that there is none.
func (c *cursor) skip(doc uint32) bool {
	for c.b < len(c.blocks) && c.blocks[c.b].last < doc {
		c.b++
	}
	return c.b < len(c.blocks)
}

// enter computes the bound of the shares of documents from lo up to, not including, hi.
func (c *cursor) enter(lo, hi uint32) {
	c.window = 0
	if !c.skip(lo) {
		return
	}
	for i := c.b; i < len(c.blocks) && c.blocks[i].first < hi; i++ {
		c.window = max(c.window, c.bounds[i])
	}
}

// bound is at least the share of doc. It goes to doc's block.
func (c *cursor) bound(doc uint32) int64 {
	if !c.skip(doc) || c.blocks[c.b].first > doc {
		return 0
	}
	return c.bounds[c.b]
}

// find is the share of doc, 0 when the list does not hold it.
func (c *cursor) find(doc uint32) (int64, error) {
	if !c.skip(doc) || c.blocks[c.b].first > doc {
		return 0, nil
	}
	if err := c.decode(); err != nil {
		return 0, err
	}
	for n := c.blocks[c.b].n; c.at < n && c.docs[c.at] < doc; {
		c.at++
	}
	if c.docs[c.at] == doc { // the last of the block is not before doc
		return c.share(c.at), nil
	}
	return 0, nil
}
