package index

import (
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// scanPlain makes one section of the paragraphs of a text.
func scanPlain(d *outline) {
	if blocks := d.paragraphs(nil, 0, len(d.lines)); len(blocks) > 0 {
		d.sections = []section{{blocks: blocks}}
	}
}

// paragraphs adds the runs of lines in [from, to) that are not blank. One that belongs with
// the block before is glued to it.
func (d *outline) paragraphs(blocks []block, from, to int) []block {
	for i := from; i < to; {
		start := i
		for i < to && !d.blank(i) {
			i++
		}
		if start < i {
			blocks = append(blocks, block{from: start, to: i, glued: d.announced(blocks) || len(blocks) > 0 && text.GoesOn(d.text(start))})
		} else {
			i++
		}
	}
	return blocks
}

// announced reports whether the last of blocks ends in a colon, so that what follows belongs with it.
func (d *outline) announced(blocks []block) bool {
	if len(blocks) == 0 {
		return false
	}
	end := strings.TrimSpace(d.text(blocks[len(blocks)-1].to - 1))
	return strings.HasSuffix(end, ":") || strings.HasSuffix(end, "：")
}
