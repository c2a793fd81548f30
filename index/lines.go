package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const byteOrderMark = "\ufeff"

// A line is the bytes [start, end) of the source, without its line break (\n or \r\n) and without a byte order mark.
type line struct{ start, end int }

func scanLines(src string) []line {
	lines := make([]line, 0, strings.Count(src, "\n")+1)
	start := 0
	if strings.HasPrefix(src, byteOrderMark) {
		start = len(byteOrderMark)
	}
	for start < len(src) {
		end, next := len(src), len(src)
		if i := strings.IndexByte(src[start:], '\n'); i >= 0 {
			end, next = start+i, start+i+1
		}
		if end > start && src[end-1] == '\r' {
			end--
		}
		lines = append(lines, line{start, end})
		start = next
	}
	return lines
}

func (d *outline) text(i int) string { return d.src[d.lines[i].start:d.lines[i].end] }

func (d *outline) blank(i int) bool { return strings.TrimSpace(d.text(i)) == "" }

// sizeUnit is the size of one word. Sizes are counted in thirds of words, so that an ideograph can count two.
const sizeUnit = 3

// sizeOf measures s. Cutting s in two never makes the sum of the sizes smaller.
func sizeOf(s string) int {
	size, letters := 0, 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && r != ' ' && r > '\r':
			if letters%16 == 0 {
				size += sizeUnit
			}
			letters++
		case unicode.IsSpace(r):
			letters = 0
		case isIdeograph(r):
			size += 2
			letters = 0
		default:
			if letters%16 == 0 {
				size += sizeUnit
			}
			letters++
		}
	}
	return size
}

func isIdeograph(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
