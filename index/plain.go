package index

// scanPlain makes one section of the paragraphs of a text: runs of lines that are not blank.
func scanPlain(d *outline) {
	var blocks []block
	for i := 0; i < len(d.lines); {
		from := i
		for i < len(d.lines) && !d.blank(i) {
			i++
		}
		if from < i {
			blocks = append(blocks, block{from: from, to: i})
		} else {
			i++
		}
	}
	if len(blocks) > 0 {
		d.sections = []section{{blocks: blocks}}
	}
}
