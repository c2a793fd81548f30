package rules

import (
	"regexp"
	"strings"
)

// stripLine is the length of the first line of s with its break.
func stripLine(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// fenceLine is the run of ` or ~ with which a line opens or closes a block of code, and what stands behind it.
func fenceLine(line string) (mark, info string) {
	if !fenceLike(line) {
		return "", ""
	}
	line = strings.TrimLeft(strings.TrimSpace(line), fenceLead)
	info = strings.TrimLeft(line, line[:1])
	if line[0] == '`' && strings.Contains(info, "`") {
		return "", "" // code within a line
	}
	return line[:len(line)-len(info)], info
}

// fenceLead is what may stand before a fence: white space, and the marks of a quote.
const fenceLead = "> \t"

// fenceLike reports three ticks or tildes at the start of a line.
func fenceLike(line string) bool {
	line = strings.TrimLeft(line, fenceLead)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// closesStripFence reports whether a line with this mark and info ends the block that open began.
func closesStripFence(open, mark, info string) bool {
	return mark != "" && mark[0] == open[0] && len(mark) >= len(open) && strings.TrimSpace(info) == ""
}

// fencesPair says whether every block of code that content opens is closed in it.
func fencesPair(content string) bool {
	open := ""
	for line := range strings.Lines(content) {
		mark, info := fenceLine(line)
		switch {
		case open == "":
			open = mark
		case closesStripFence(open, mark, info):
			open = ""
		}
	}
	return open == ""
}

// stripCutter goes through an item line by line.
type stripCutter struct {
	blocks []block
	fence  string // the mark that opened the code we are in
	blank  bool   // the line before was blank
	joins  bool   // the last line announces what follows: a heading, or a colon at its end
}

var (
	bulletLine   = regexp.MustCompile(`^\s*([-*+•]|[(（]?[a-zA-Z][)）])\s+\S`)
	numberedLine = regexp.MustCompile(`^\s*[(（]?(\d{1,9}|[一二三四五六七八九十]{1,3})([.)）]\s|、)`)
)

func (c *stripCutter) line(line string, start int) {
	trimmed := strings.TrimSpace(line)
	mark, info := fenceLine(line)
	switch {
	case c.fence != "":
		if closesStripFence(c.fence, mark, info) {
			c.fence = ""
		}
	case trimmed == "":
		c.blank = true
		return
	case mark != "":
		c.fence = mark
		c.add(blockCode, start, line)
	default:
		c.add(c.kindOf(line, trimmed), start, line)
	}
	c.blank = false
}

// kindOf is the kind of a line outside of fences.
func (c *stripCutter) kindOf(line, trimmed string) blockKind {
	switch {
	case trimmed[0] == '#' && strings.TrimLeft(trimmed, "#") != "" && strings.ContainsAny(strings.TrimLeft(trimmed, "#")[:1], " \t"):
		return blockHeading
	case trimmed[0] == '|':
		return blockTable
	case c.indented(line):
		return blockCode
	case numberedLine.MatchString(line):
		return blockNumbered
	case bulletLine.MatchString(line):
		return blockBullet
	default:
		return blockProse
	}
}

// indented says whether a line is code by its indent: four spaces or a tab, behind a blank line or such code.
func (c *stripCutter) indented(line string) bool {
	return (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) &&
		(c.blank || len(c.blocks) == 0 || c.last().kind == blockCode)
}

func (c *stripCutter) last() *block { return &c.blocks[len(c.blocks)-1] }

// add puts a line into the last block or opens a new one with it.
func (c *stripCutter) add(kind blockKind, start int, line string) {
	end := start + len(line)
	switch {
	case len(c.blocks) == 0:
		c.open(kind, start, end, 0)
	case c.joins:
		c.join(kind, start, end)
	case c.continues(kind, line):
		if last := c.last(); last.kind == blockProse {
			last.proseEnd = end
		}
	default:
		c.open(kind, start, end, start)
	}
	trimmed := strings.TrimRight(line, " \t\r\n*_")
	c.joins = kind == blockHeading || kind == blockProse && (strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "："))
}

// open begins a block at from with a line of this kind at start.
func (c *stripCutter) open(kind blockKind, start, end, from int) {
	b := block{start: from, kind: kind}
	b.prose(kind, start, end)
	c.blocks = append(c.blocks, b)
}

// join adds a line to a block that announces it. The block is then of the line's kind, except that text does not make a list
// or code prose, which could be cut.
func (c *stripCutter) join(kind blockKind, start, end int) {
	last := c.last()
	switch {
	case last.kind == blockHeading:
		last.prose(kind, start, end)
		last.kind = kind
	case kind != blockProse:
		last.kind = kind
	case last.kind == blockProse:
		last.proseEnd = end // the text goes on behind a line that ends with a colon
	}
}

// prose notes where the prose of a block stands, if the line at start is prose.
func (b *block) prose(kind blockKind, start, end int) {
	if kind == blockProse {
		b.proseStart, b.proseEnd = start, end
	}
}

// continues says whether a line of this kind belongs to the last block.
func (c *stripCutter) continues(kind blockKind, line string) bool {
	last := c.last().kind
	inList := last == blockBullet || last == blockNumbered
	indent := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
	switch kind {
	case blockHeading:
		return false
	case blockTable, blockCode:
		return last == kind && (kind == blockCode && c.indented(line) || !c.blank) && !fenceLike(line) || inList && indent
	case blockNumbered:
		return last == blockNumbered || inList && indent
	case blockBullet:
		return inList && indent
	default: // a line of text goes on with a paragraph or an item of a list
		return !c.blank && (last == blockProse || inList) || inList && indent
	}
}
