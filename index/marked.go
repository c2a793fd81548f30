package index

import (
	"path"
	"slices"
	"strings"
)

// maxNames is how many blocks a passage's section names.
const maxNames = 4

// splitLoaded is Split for a text of which its loader told the structure. The options are complete.
func splitLoaded(name string, l Loaded, opts SplitOptions) (title string, passages []Passage) {
	doc := outline{title: path.Base(name), src: l.Text, lines: scanLines(l.Text)}
	if l.Markdown {
		scanMarkdown(&doc)
	} else {
		scanMarked(&doc, l.Marks)
	}
	if l.Title != "" {
		doc.title = l.Title
	}
	for _, s := range doc.sections {
		for _, p := range pack(doc.pieces(s.blocks, opts), opts) {
			heading := joinHeading(s.heading, p.columns)
			if !l.Markdown {
				heading = joinHeading(heading, blockNames(l.Marks, p.firstLine+1, p.lastLine+1))
			}
			passages = append(passages, doc.passage(name, heading, p))
		}
	}
	return doc.title, passages
}

// scanMarked makes sections of the headings among marks, and blocks of the others and of paragraphs.
func scanMarked(d *outline, marks []Mark) {
	var headings []string
	open, next := section{}, 0
	flush := func(to int) {
		open.blocks = d.paragraphs(open.blocks, next, to)
		next = max(next, to)
	}
	for i, m := range marks {
		at := min(max(m.Line-1, next), len(d.lines))
		flush(at)
		if m.Level > 0 {
			if len(open.blocks) > 0 {
				d.sections = append(d.sections, open)
			}
			headings = under(headings, m.Level, m.Title)
			open = section{heading: joinHeading(headings...)}
			continue
		}
		to := len(d.lines)
		if i+1 < len(marks) {
			to = min(max(marks[i+1].Line-1, at), to)
		}
		open.blocks = d.wholeBlock(open.blocks, at, to)
		next = to
	}
	flush(len(d.lines))
	if len(open.blocks) > 0 {
		d.sections = append(d.sections, open)
	}
}

// under is the path of headings at a heading of this level.
func under(headings []string, level int, title string) []string {
	level = min(level, 64)
	for len(headings) < level {
		headings = append(headings, "")
	}
	return append(slices.Clone(headings[:level-1]), title)
}

func joinHeading(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " > ")
}

// wholeBlock adds the lines [from, to) as one block, which may rather be cut after blank lines.
func (d *outline) wholeBlock(blocks []block, from, to int) []block {
	for from < to && d.blank(from) {
		from++
	}
	for from < to && d.blank(to-1) {
		to--
	}
	if from == to {
		return blocks
	}
	b := block{from: from, to: to}
	for i := from + 1; i < to; i++ {
		if d.blank(i-1) && !d.blank(i) {
			b.cuts = append(b.cuts, i)
		}
	}
	return append(blocks, b)
}

// blockNames are the names of the blocks that the lines from first to last, inclusive, hold a part of.
func blockNames(marks []Mark, first, last int) string {
	i, _ := slices.BinarySearchFunc(marks, first, func(m Mark, line int) int { return m.Line - line })
	if i > 0 && marks[i-1].Level == 0 && (i == len(marks) || marks[i].Line > first) {
		i-- // the passage begins inside of this one
	}
	var names []string
	for ; i < len(marks) && marks[i].Line <= last && len(names) < maxNames; i++ {
		if m := marks[i]; m.Level == 0 && m.Title != "" && !slices.Contains(names, m.Title) {
			names = append(names, m.Title)
		}
	}
	return strings.Join(names, ", ")
}
