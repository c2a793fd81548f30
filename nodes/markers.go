package nodes

import (
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
)

// span is a marker of a text: its byte range and the numbers that it names.
type span struct {
	start, end int
	numbers    []int
}

// findMarkers returns the markers [n] and [n, m] of a text, outside code. What it says about a byte depends on the
// bytes before it only, so that it can run on a text that is still growing.
func findMarkers(text string) []span {
	var found []span
	fence := 0 // length of the run of backticks that opened the present code, 0 outside code
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '`':
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			if fence == 0 {
				fence = run
			} else if run >= fence {
				fence = 0
			}
			i += run - 1
		case text[i] == '\n' && fence < 3:
			fence = 0
		case text[i] == '[' && fence == 0:
			if m := markers.FindStringIndex(text[i:]); m != nil && m[0] == 0 {
				found = append(found, span{start: i, end: i + m[1], numbers: numbers(text[i : i+m[1]])})
				i += m[1] - 1
			}
		}
	}
	return found
}

// numbers are the numbers in a marker.
func numbers(marker string) []int {
	var list []int
	for _, field := range strings.FieldsFunc(marker, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(field); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// rewrite replaces each marker of text by the numbers that keep returns for it; none removes the marker.
func rewrite(text string, keep func(span) []int) string {
	var out strings.Builder
	last := 0
	for _, m := range findMarkers(text) {
		kept := keep(m)
		head := text[last:m.start]
		if len(kept) == 0 {
			head = strings.TrimRight(head, " ")
		}
		out.WriteString(head)
		for _, n := range kept {
			out.WriteString("[" + strconv.Itoa(n) + "]")
		}
		last = m.end
	}
	out.WriteString(text[last:])
	return out.String()
}

// tokenFilter shows an answer while it grows: without thinking, without markers that cite nothing, without card
// numbers. It holds back what may still become one of these. It is for one goroutine.
type tokenFilter struct {
	items int
	emit  func(string)
	all   strings.Builder
	shown string
	wrote bool
}

func newTokenFilter(items int, emit func(string)) *tokenFilter {
	return &tokenFilter{items: items, emit: emit}
}

// write takes the next piece of the answer.
func (f *tokenFilter) write(piece string) {
	f.all.WriteString(piece)
	text := visible(f.all.String())
	f.show(text[:len(text)-open(text)])
}

// flush shows what was held back; the answer is complete.
func (f *tokenFilter) flush() { f.show(visible(f.all.String())) }

func (f *tokenFilter) show(text string) {
	clean := rewrite(mask.Cards(text), func(m span) []int { return valid(m.numbers, f.items) })
	clean = strings.TrimLeft(clean, " \n")
	if more, ok := strings.CutPrefix(clean, f.shown); ok && more != "" {
		f.shown, f.wrote = clean, true
		f.emit(more)
	}
}

// valid are the numbers from 1 to items.
func valid(numbers []int, items int) []int {
	var kept []int
	for _, n := range numbers {
		if n >= 1 && n <= items {
			kept = append(kept, n)
		}
	}
	return kept
}

// open is the length of the end of text that may still change its meaning: white space, what may become a card number
// or a decimal fraction, an unclosed bracket.
func open(text string) int {
	closed := len(strings.TrimRight(text, " \n0123456789-.,"))
	if i := strings.LastIndexByte(text, '['); i >= 0 && len(text)-i < 32 && !strings.Contains(text[i:], "]") {
		closed = min(closed, len(strings.TrimRight(text[:i], " ")))
	}
	return len(text) - closed
}

// visible is the text behind the thinking that some models start with; nothing while they still think.
func visible(text string) string {
	start := strings.TrimLeft(text, " \n")
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		opening, closing := "<"+tag+">", "</"+tag+">"
		if strings.HasPrefix(start, opening) {
			if i := strings.Index(start, closing); i >= 0 {
				return start[i+len(closing):]
			}
			return ""
		}
		if strings.HasPrefix(opening, start) {
			return ""
		}
	}
	return text
}
