package repl

import (
	"strings"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders the Markdown of answers for a terminal: headings, lists, code, tables, quotations, emphasis. Nothing of
// the text is lost; what it does not know stays as it was written. The zero value renders without styles.
type markdown struct {
	width int  // columns; lines are broken at spaces; 0 = they are not
	color bool // styles are shown; without them code keeps its marks
	words bool // somebody listens: no lines are drawn
}

// markdownParser knows CommonMark, tables and strikethrough, but no link references: "[1]: text" is text of an answer, and
// [1] is a citation.
var markdownParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

// render returns the text as it is shown, without an empty line at either end.
func (m markdown) render(source string) string {
	raw := []byte(source)
	w := blockWriter{markdown: m, source: raw}
	w.blocks(markdownParser.Parse(text.NewReader(raw)), "")
	return strings.Trim(w.out.String(), "\n")
}

// finishedBlock cuts a text that still grows behind its first block, when that is complete: followed by an empty line and by
// a line that does not belong to it. The rest may still become anything. Where it cuts does not depend on how much of the
// text is there.
func finishedBlock(growing string) (done, rest string) {
	fence, empty := "", false
	for at := 0; at < len(growing); {
		line, _, whole := strings.Cut(growing[at:], "\n")
		switch {
		case fence != "":
			if strings.HasPrefix(strings.TrimSpace(line), fence) && whole {
				fence = ""
			}
		case strings.TrimSpace(line) == "":
			empty = whole
		default:
			if empty && at > 0 && !strings.HasPrefix(line, " ") && strings.TrimSpace(growing[:at]) != "" {
				return growing[:at], growing[at:]
			}
			empty = false
			fence = fenceOf(line)
		}
		at += len(line) + 1
	}
	return "", growing
}

// fenceOf is the mark that a line opens a block of code with, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) && !strings.Contains(strings.TrimLeft(line, mark[:1]), mark) {
			return mark
		}
	}
	return ""
}
