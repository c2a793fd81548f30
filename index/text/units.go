package text

import "strings"

// A unit is a stretch of text that no sentence crosses.
type unit struct {
	Span
	whole bool // not to be cut: a heading, table row, line of code
}

// units cuts Markdown or plain text into its units, in order.
func units(s string) []unit {
	var c unitCutter
	for start := 0; start < len(s); {
		end := start + lineLength(s[start:])
		c.line(s, start, end)
		start = end
	}
	c.flush()
	return c.units
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

type unitCutter struct {
	units []unit
	prose Span   // the open paragraph or item; empty when none
	fence string // the marks that opened the code block we are in
}

func (c *unitCutter) flush() {
	if c.prose.Start < c.prose.End {
		c.units = append(c.units, unit{Span: c.prose})
	}
	c.prose = Span{}
}

func (c *unitCutter) line(s string, start, end int) {
	line := s[start:end]
	text := strings.TrimSpace(line)
	mark := fenceMark(text)
	switch {
	case c.fence != "":
		if closes(mark, c.fence, text) {
			c.fence = ""
		} else {
			c.whole(start, end)
		}
	case mark != "":
		c.flush()
		c.fence = mark
	case text == "" || isRule(text):
		c.flush()
	case text[0] == '|':
		c.whole(start, end)
	case headingMarks(text) > 0:
		c.whole(start+strings.Index(line, "#")+headingMarks(text), end)
	default:
		c.proseLine(line, text, start, end)
	}
}

// closes reports whether a line with this fence mark ends the block that open began.
func closes(mark, open, text string) bool {
	return mark != "" && mark[0] == open[0] && len(mark) >= len(open) && len(text) == len(mark)
}

func (c *unitCutter) whole(start, end int) {
	c.flush()
	c.units = append(c.units, unit{Span: Span{start, end}, whole: true})
}

func (c *unitCutter) proseLine(line, text string, start, end int) {
	indent := strings.Index(line, text)
	if skip := itemMarks(text); skip > 0 {
		c.flush()
		start += indent + skip
	}
	if c.prose.Start == c.prose.End {
		for start < end && (line[len(line)-(end-start)] == '>' || line[len(line)-(end-start)] == ' ') {
			start++
		}
		c.prose.Start = start
	}
	c.prose.End = end
}

// fenceMark is the run of ` or ~ that opens or closes a code block, "" for another line.
func fenceMark(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 || text[0] == '`' && strings.Contains(text[n:], "`") {
		return ""
	}
	return text[:n]
}

// headingMarks is the number of # that open a heading, 0 for another line.
func headingMarks(text string) int {
	n := len(text) - len(strings.TrimLeft(text, "#"))
	if n > 6 || n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// isRule reports a line of only -, =, *, _, or +: a thematic break, a heading's underline, a table's border.
func isRule(text string) bool {
	return len(text) >= 2 && strings.Trim(text, "-=*_+: ") == "" && !strings.HasPrefix(text, "* ") && !strings.HasPrefix(text, "+ ")
}

// itemMarks is the length of a list item's mark with the white space behind it, 0 for another line.
func itemMarks(text string) int {
	n := 0
	switch {
	case text[0] == '-' || text[0] == '*' || text[0] == '+':
		n = 1
	case strings.HasPrefix(text, "•"):
		n = len("•")
	default:
		for n < len(text) && n < 9 && isDigit(rune(text[n])) {
			n++
		}
		if n == 0 || n == len(text) || text[n] != '.' && text[n] != ')' {
			return 0
		}
		n++
	}
	spaces := len(text[n:]) - len(strings.TrimLeft(text[n:], " \t"))
	if spaces == 0 {
		return 0
	}
	return n + spaces
}
