package repl

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/kbagent/kbagent/internal/mask"
)

// clean is a text that cannot steer the terminal.
func clean(s string) string { return mask.Terminal(s) }

// cleanLine is clean in one line.
func cleanLine(s string) string { return mask.TerminalLine(s) }

// print shows a text of documents, models or the program around.
func (s *session) print(text string) { s.screen.println(clean(mask.Cards(text))) }

// cut is the start of a line that fits into width columns, with an ellipsis where something is missing.
func cut(line string, width int) string {
	if uniseg.StringWidth(line) <= width {
		return line
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(line); g.Next(); {
		used += g.Width()
		if used > width-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// rows is how many rows of a terminal a text takes that starts in its first column, when lines wrap at width.
func rows(text string, width int) int {
	n, column := 1, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if g.Str() == "\n" {
			n, column = n+1, 0
			continue
		}
		if column+g.Width() > width {
			n, column = n+1, 0
		}
		column += g.Width()
	}
	return n
}
