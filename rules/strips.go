package rules

import (
	"path"
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

// cut appends the strips of a block that ends at end. No cut lies within `code` in a line, nor in or before what would
// look like a fence on its own.
func (b block) cut(strips []text.Span, content string, end int) []text.Span {
	const tick = "`"
	start, prose := b.start, content[b.proseStart:b.proseEnd]
	lastTick := strings.LastIndex(prose, tick)
	read, line, ticks := 0, 0, 0 // up to the sentence: what was read, where its line starts, how many ticks there were
	for i, s := range text.Sentences(prose) {
		before := prose[read:s.Start]
		ticks += strings.Count(before, tick)
		if n := strings.LastIndexByte(before, '\n'); n >= 0 {
			line = read + n + 1
		}
		read = s.Start
		inCode := ticks%2 == 1 && lastTick >= s.Start
		if i > 0 && !inCode && !fenceLike(prose[line:]) && !fenceLike(prose[s.Start:]) {
			strips = append(strips, text.Span{Start: start, End: b.proseStart + s.Start})
			start = b.proseStart + s.Start
		}
	}
	return append(strips, text.Span{Start: start, End: end})
}
