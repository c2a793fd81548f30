package repl

import (
	"strings"

	"github.com/rivo/uniseg"
)

// wrap breaks spans into lines of at most width columns, at spaces, and within a word only where it is wider than a line.
// Width 0 breaks at line ends only.
func wrap(spans []span, width int) [][]span {
	f := filler{width: width}
	for _, s := range spans {
		if s == lineEnd {
			f.endWord()
			f.endLine()
			continue
		}
		f.add(s)
	}
	f.endWord()
	if len(f.line) > 0 || len(f.lines) == 0 {
		f.endLine()
	}
	return f.lines
}

// filler fills lines.
type filler struct {
	width   int
	lines   [][]span
	line    []span // that is being filled
	used    int    // its columns
	word    []span // without its end yet
	columns int    // of the word
	space   string // style of the space before the word; only with spaced
	spaced  bool
}

// add takes a span apart at its spaces.
func (f *filler) add(s span) {
	for i, part := range strings.Split(s.text, " ") {
		if i > 0 {
			f.endWord()
			f.spaced, f.space = true, s.style
		}
		if part != "" {
			f.word = append(f.word, span{part, s.style})
			f.columns += uniseg.StringWidth(part)
		}
	}
}

// endWord puts the word behind what is on the line, or on the next one.
func (f *filler) endWord() {
	if len(f.word) == 0 {
		return
	}
	if f.spaced && f.used > 0 {
		if f.width > 0 && f.used+1+f.columns > f.width {
			f.endLine()
		} else {
			f.put(span{" ", f.space})
		}
	}
	word := f.word
	f.word, f.columns, f.spaced = nil, 0, false
	for _, s := range word {
		f.fill(s)
	}
}

// fill puts a part of a word on the line, and what is wider than that on further ones.
func (f *filler) fill(s span) {
	if f.width == 0 || f.used+uniseg.StringWidth(s.text) <= f.width {
		f.put(s)
		return
	}
	for g := uniseg.NewGraphemes(s.text); g.Next(); {
		if f.used+g.Width() > f.width && f.used > 0 {
			f.endLine()
		}
		f.put(span{g.Str(), s.style})
	}
}

// put appends to the line, in one span where the style is the same.
func (f *filler) put(s span) {
	f.used += uniseg.StringWidth(s.text)
	if n := len(f.line); n > 0 && f.line[n-1].style == s.style {
		f.line[n-1].text += s.text
		return
	}
	f.line = append(f.line, s)
}

func (f *filler) endLine() {
	f.lines = append(f.lines, f.line)
	f.line, f.used, f.spaced = nil, 0, false
}
