package index

import "strings"

// scanMarkdown finds the sections and blocks of Markdown, line by line.
func scanMarkdown(d *outline) {
	s := markdownScanner{outline: d}
	s.next = s.frontMatter()
	for s.next < len(d.lines) {
		if d.blank(s.next) {
			s.next++
			continue
		}
		s.block()
	}
	s.closeSection()
}

type markdownScanner struct {
	*outline
	next     int      // the line to read
	headings []string // the open headings by level; "" for levels left out
	open     section
	bodied   bool // the open section has more than headings
	hasTitle bool
}

// block reads the block that starts at the line next, which is not blank.
func (s *markdownScanner) block() {
	from := s.next
	trimmed := strings.TrimSpace(s.text(from))
	if level, title := atxHeading(s.text(from)); level > 0 {
		s.next++
		s.heading(block{from: from, to: s.next}, level, title)
		return
	}
	b := block{from: from}
	switch {
	case fenceOf(trimmed) != "":
		b.cuts = s.fenced()
	case s.tableAt(from):
		b.cuts, b.columns = s.table(), tableColumns(s.text(from))
	case itemIndent(s.text(from)) >= 0:
		b.cuts = s.list()
	default:
		if level := s.paragraph(); level > 0 {
			s.heading(block{from: from, to: s.next}, level, s.text(from))
			return
		}
	}
	b.to = s.lastFilled(from, s.next)
	b.glued = len(s.open.blocks) > 0 && !s.bodied || s.announced(s.open.blocks)
	s.open.blocks = append(s.open.blocks, b)
	s.bodied = true
}

// lastFilled is the end of the lines [from, to) without blank ones at its end.
func (s *markdownScanner) lastFilled(from, to int) int {
	for to > from+1 && s.blank(to-1) {
		to--
	}
	return to
}

func (s *markdownScanner) heading(b block, level int, title string) {
	if s.bodied {
		s.closeSection()
	}
	title = plainHeading(title)
	for len(s.headings) < level {
		s.headings = append(s.headings, "")
	}
	s.headings = append(s.headings[:level-1], title)
	if level == 1 && !s.hasTitle && title != "" {
		s.title, s.hasTitle = title, true
	}
	var path []string
	for _, h := range s.headings {
		if h != "" {
			path = append(path, h)
		}
	}
	b.glued = len(s.open.blocks) > 0
	s.open.heading = strings.Join(path, " > ")
	s.open.blocks = append(s.open.blocks, b)
}

func (s *markdownScanner) closeSection() {
	if len(s.open.blocks) > 0 {
		s.sections = append(s.sections, s.open)
	}
	s.open, s.bodied = section{heading: s.open.heading}, false
}

// fenced reads a code block up to its closing fence, or to the end. It may be cut at blank lines.
func (s *markdownScanner) fenced() (cuts []int) {
	fence := fenceOf(strings.TrimSpace(s.text(s.next)))
	for s.next++; s.next < len(s.lines); s.next++ {
		trimmed := strings.TrimSpace(s.text(s.next))
		if closesFence(trimmed, fence) {
			s.next++
			return cuts
		}
		if trimmed != "" && s.blank(s.next-1) {
			cuts = append(cuts, s.next)
		}
	}
	return cuts
}

// tableAt reports whether the line i is the head of a table: its next line is a row of dashes.
func (s *markdownScanner) tableAt(i int) bool {
	if i+1 >= len(s.lines) || !strings.Contains(s.text(i), "|") {
		return false
	}
	border := strings.TrimSpace(s.text(i + 1))
	return strings.Contains(border, "|") && strings.Contains(border, "-") && strings.Trim(border, "|-: \t") == ""
}

// table reads rows up to a line without a bar. It may be cut between rows; its first row stays with the head.
func (s *markdownScanner) table() (cuts []int) {
	from := s.next
	for s.next += 2; s.next < len(s.lines) && strings.Contains(s.text(s.next), "|"); s.next++ {
		if s.next > from+2 {
			cuts = append(cuts, s.next)
		}
	}
	return cuts
}

// maxColumns is how many columns of a table are named.
const maxColumns = 12

// tableColumns are the names in the head of a table, for the section of its later parts.
func tableColumns(head string) string {
	var names []string
	for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(head), "|"), "|") {
		if name := plainHeading(cell); name != "" && len(names) < maxColumns {
			names = append(names, name)
		}
	}
	return strings.Join(names, " | ")
}

// list reads items with what is indented under them, until a line that is neither follows a blank one.
// It may be cut before the items of the outermost level.
func (s *markdownScanner) list() (cuts []int) {
	outer := itemIndent(s.text(s.next))
	for s.next++; s.next < len(s.lines); s.next++ {
		line := s.text(s.next)
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		indent := itemIndent(line)
		inner := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case indent >= 0 && indent <= outer+1:
			cuts = append(cuts, s.next)
		case indent < 0 && !inner && (s.blank(s.next-1) || startsBlock(line)):
			return cuts
		case fenceOf(trimmed) != "":
			s.fenced()
			s.next--
		}
	}
	return cuts
}

// paragraph reads up to a blank line or a line that starts another block. It returns the level
// when the paragraph turns out to be a heading by its underline.
func (s *markdownScanner) paragraph() (level int) {
	from := s.next
	for s.next++; s.next < len(s.lines) && !s.blank(s.next); s.next++ {
		line := s.text(s.next)
		if level := underline(line); level > 0 && s.next == from+1 && underline(s.text(from)) == 0 {
			s.next++
			return level
		}
		if startsBlock(line) || itemIndent(line) >= 0 || s.tableAt(s.next) {
			return 0
		}
	}
	return 0
}
