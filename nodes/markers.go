package nodes

import (
	"strconv"
	"strings"
)

// span is a marker of a text: its byte range and the numbers that it names.
type span struct {
	start, end int
	numbers    []int
}

// findMarkers returns the markers [n] and [n, m] of a text, outside code. What it says about a byte depends on the
// bytes before it only, so that it can run on a text that is still growing.
func findMarkers(text string) []span {
	found, _ := scan(text)
	return found
}

// scan finds the markers, and says whether text ends in code: fence is the length of the run of backticks that opened it,
// 0 outside code.
func scan(text string) (found []span, fence int) {
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
			if m := markers.FindStringIndex(text[i:]); m != nil {
				found = append(found, span{start: i, end: i + m[1], numbers: numbers(text[i : i+m[1]])})
				i += m[1] - 1
			}
		}
	}
	return found, fence
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
