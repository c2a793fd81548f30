package rules

import (
	"path"
	"regexp"
	"strings"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// cutStrips cuts an item into strips: what is kept or dropped as one. They follow each other without gaps, so that
// together they are the item's content.
//
// A paragraph is cut at sentence ends; an item of a list with what is indented below it, a table, a block of code are one
// strip each. A numbered list is one, since its steps belong together. A heading, and a sentence that ends with a colon, belong
// to what follows. Blank lines belong to what precedes. A file that is no prose, and a text whose fences do not pair,
// are not cut at all: a cut could lie inside code.
func cutStrips(item state.Evidence) []text.Span {
	content := item.Content
	if content == "" {
		return nil
	}
	if !isProse(item.Path) || !fencesPair(content) {
		return []text.Span{{Start: 0, End: len(content)}}
	}
	var c stripCutter
	for start := 0; start < len(content); {
		end := start + stripLine(content[start:])
		c.line(content[start:end], start)
		start = end
	}
	if len(c.blocks) == 0 { // only blank lines
		return []text.Span{{Start: 0, End: len(content)}}
	}
	var strips []text.Span
	for i, b := range c.blocks {
		end := len(content)
		if i+1 < len(c.blocks) {
			end = c.blocks[i+1].start
		}
		strips = b.cut(strips, content, end)
	}
	return strips
}

// proseExtensions are the files whose text is sentences; a page of the web has any path.
var proseExtensions = map[string]bool{
	"": true, ".md": true, ".markdown": true, ".mdx": true, ".txt": true, ".text": true, ".rst": true, ".adoc": true, ".org": true,
	".html": true, ".htm": true, ".xhtml": true, ".pdf": true, ".docx": true, ".odt": true, ".rtf": true, ".epub": true, ".log": true,
}

func isProse(name string) bool {
	return strings.Contains(name, "://") || proseExtensions[strings.ToLower(path.Ext(name))]
}

// stripLine is the length of the first line of s with its break.
func stripLine(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// fenceLine is the run of ` or ~ with which a line opens or closes a block of code, and what stands behind it.
func fenceLine(line string) (mark, info string) {
	line = strings.TrimLeft(strings.TrimSpace(line), "> ")
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return "", ""
	}
	info = strings.TrimLeft(line, line[:1])
	if line[0] == '`' && strings.Contains(info, "`") {
		return "", "" // code within a line
	}
	return line[:len(line)-len(info)], info
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

// The kinds of blocks.
type blockKind byte

const (
	blockProse blockKind = iota // may be cut at sentence ends
	blockHeading
	blockBullet   // an item of a list
	blockNumbered // a whole numbered list
	blockTable
	blockCode
)

// block is a stretch of lines. Its prose, which may be cut, is [proseStart:proseEnd); what else it holds was joined to it.
type block struct {
	start                int
	kind                 blockKind
	proseStart, proseEnd int
}

// cut appends the strips of a block that ends at end. No cut lies within `code` in a line.
func (b block) cut(strips []text.Span, content string, end int) []text.Span {
	const tick = "`"
	start, prose := b.start, content[b.proseStart:b.proseEnd]
	lastTick, read, ticks := strings.LastIndex(prose, tick), 0, 0
	for i, s := range text.Sentences(prose) {
		ticks += strings.Count(prose[read:s.Start], tick)
		read = s.Start
		inCode := ticks%2 == 1 && lastTick >= s.Start
		if at := b.proseStart + s.Start; i > 0 && !inCode {
			strips = append(strips, text.Span{Start: start, End: at})
			start = at
		}
	}
	return append(strips, text.Span{Start: start, End: end})
}

// stripCutter goes through an item line by line.
type stripCutter struct {
	blocks []block
	fence  string // the mark that opened the code we are in
	blank  bool   // the line before was blank
	joins  bool   // the last line announces what follows: a heading, or a colon at its end
}

var (
	bulletLine   = regexp.MustCompile(`^\s*([-*+•]|[(（]?[a-zA-Z][.)）])\s+\S`)
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

// join adds a line to a block that announces it.
func (c *stripCutter) join(kind blockKind, start, end int) {
	last := c.last()
	switch {
	case kind == blockProse && last.kind == blockProse:
		last.proseEnd = end // the text goes on behind a line that ends with a colon
	case last.kind == blockHeading:
		last.prose(kind, start, end)
	}
	last.kind = kind
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
		return last == kind && (kind == blockCode && c.indented(line) || !c.blank) && !startsFence(line) || inList && indent
	case blockNumbered:
		return last == blockNumbered || inList && indent
	case blockBullet:
		return inList && indent
	default: // a line of text goes on with a paragraph or an item of a list
		return !c.blank && (last == blockProse || inList) || inList && indent
	}
}

func startsFence(line string) bool {
	mark, _ := fenceLine(line)
	return mark != ""
}
