package repl

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// blockWriter writes the blocks of a text.
type blockWriter struct {
	markdown
	source []byte
	out    strings.Builder
}

// blocks writes the children of a node, each line behind an indent, with an empty line between blocks.
func (w *blockWriter) blocks(parent ast.Node, indent string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n != parent.FirstChild() {
			w.line(indent, "")
		}
		w.block(n, indent)
	}
}

func (w *blockWriter) block(n ast.Node, indent string) {
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n, indent)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		w.code(n, indent)
	case *ast.HTMLBlock:
		w.code(n, indent)
	case *ast.List:
		w.list(n, indent)
	case *ast.Blockquote:
		w.blocks(n, indent+w.bar())
	case *ast.ThematicBreak:
		w.line(indent, w.rule())
	case *extast.Table:
		w.table(n, indent)
	case *ast.Paragraph, *ast.TextBlock:
		w.wrapped(w.inline(n, ""), indent, indent)
	default:
		w.blocks(n, indent)
	}
}

// line writes one line.
func (w *blockWriter) line(indent, text string) {
	w.out.WriteString(strings.TrimRight(indent+text, " ") + "\n")
}

// wrapped writes spans in lines that fit the width; first is the indent of the first one.
func (w *blockWriter) wrapped(spans []span, first, rest string) {
	width := w.width
	if width > 0 {
		width = max(width-uniseg.StringWidth(rest), 10)
	}
	for i, line := range wrap(spans, width) {
		indent := rest
		if i == 0 {
			indent = first
		}
		w.line(indent, w.paint(line))
	}
}

func (w *blockWriter) heading(n *ast.Heading, indent string) {
	spans := w.inline(n, bold)
	if !w.color && !w.words {
		spans = append([]span{{strings.Repeat("#", n.Level) + " ", ""}}, spans...)
	}
	w.wrapped(spans, indent, indent)
}

// code writes the lines of a node as they are, below what its fence says they are; a line that is too long is broken by the terminal only.
func (w *blockWriter) code(n ast.Node, indent string) {
	if fence, ok := n.(*ast.FencedCodeBlock); ok && fence.Info != nil {
		what := cleanLine(string(fence.Info.Segment.Value(w.source))) // the language
		w.line(indent, w.paint([]span{{what + ":", dim}}))
	}
	style, inner := cyan, indent+"    "
	if n.Kind() == ast.KindHTMLBlock {
		style, inner = "", indent
	}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		line := strings.TrimRight(string(segment.Value(w.source)), "\r\n")
		w.line(inner, w.paint([]span{{clean(line), style}}))
	}
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		w.line(inner, clean(strings.TrimRight(string(html.ClosureLine.Value(w.source)), "\r\n")))
	}
}

func (w *blockWriter) list(n *ast.List, indent string) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		if !n.IsTight && item != n.FirstChild() {
			w.line(indent, "")
		}
		w.item(item, indent, mark, n.IsTight)
	}
}

// item writes one item behind its mark, and its further blocks below it.
func (w *blockWriter) item(item ast.Node, indent, mark string, tight bool) {
	inner := indent + strings.Repeat(" ", len(mark))
	n := item.FirstChild()
	if n == nil {
		w.line(indent, mark)
		return
	}
	if n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock {
		w.wrapped(w.inline(n, ""), indent+mark, inner)
		n = n.NextSibling()
	} else {
		w.line(indent, mark)
	}
	for ; n != nil; n = n.NextSibling() {
		if !tight {
			w.line(inner, "")
		}
		w.block(n, inner)
	}
}

// bar is in front of what is quoted.
func (w *blockWriter) bar() string {
	if w.color {
		return "│ "
	}
	return "> "
}

// rule is a line across.
func (w *blockWriter) rule() string {
	if w.words {
		return ""
	}
	return strings.Repeat("─", 20)
}
