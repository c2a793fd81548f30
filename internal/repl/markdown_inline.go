package repl

import (
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Styles of text, as parameters of SGR, beside those of the screen.
const (
	italic = "3"
	struck = "9"
)

// span is text in one style; "\n" alone ends a line.
type span struct{ text, style string }

// lineEnd is a span that ends its line.
var lineEnd = span{text: "\n"}

// inline is the content of a block as spans.
func (w *blockWriter) inline(parent ast.Node, style string) []span {
	var spans []span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		spans = append(spans, w.inlineNode(n, style)...)
	}
	return spans
}

func (w *blockWriter) inlineNode(n ast.Node, style string) []span {
	switch n := n.(type) {
	case *ast.Text:
		return w.text(n, style)
	case *ast.String:
		return []span{{clean(string(n.Value)), style}}
	case *ast.CodeSpan:
		return []span{{w.codeMark() + strings.ReplaceAll(w.raw(n), "\n", " ") + w.codeMark(), both(style, cyan)}}
	case *ast.Emphasis:
		return w.inline(n, both(style, map[bool]string{true: bold, false: italic}[n.Level > 1]))
	case *extast.Strikethrough:
		return w.struck(n, style)
	case *ast.Link:
		return w.link(w.inline(n, style), string(n.Destination), style)
	case *ast.Image:
		return w.link(w.inline(n, style), string(n.Destination), style)
	case *ast.AutoLink:
		return []span{{clean(string(n.Label(w.source))), style}}
	case *ast.RawHTML:
		var html strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			html.Write(segment.Value(w.source))
		}
		return []span{{strings.ReplaceAll(clean(html.String()), "\n", " "), style}}
	default:
		return w.inline(n, style)
	}
}

// text is a piece of text.
func (w *blockWriter) text(n *ast.Text, style string) []span {
	raw := n.Segment.Value(w.source)
	if !n.IsRaw() {
		raw = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(raw)))
	}
	spans := []span{{strings.ReplaceAll(clean(string(raw)), "\n", " "), style}} // an entity can be a line feed, or worse
	switch {
	case n.HardLineBreak():
		spans = append(spans, lineEnd)
	case n.SoftLineBreak():
		spans = append(spans, span{" ", style})
	}
	return spans
}

// raw is the source of the text below a node.
func (w *blockWriter) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.source))
		}
	}
	return clean(b.String())
}

func (w *blockWriter) codeMark() string {
	if w.color || w.words {
		return ""
	}
	return "`"
}

// struck keeps the marks where no style shows what they say.
func (w *blockWriter) struck(n ast.Node, style string) []span {
	spans := w.inline(n, both(style, struck))
	if w.color {
		return spans
	}
	return append(append([]span{{"~~", style}}, spans...), span{"~~", style})
}

// link is a text and where it leads to: a place that the text hides is not to be trusted.
func (w *blockWriter) link(spans []span, to, style string) []span {
	var label strings.Builder
	for _, s := range spans {
		label.WriteString(s.text)
	}
	if to = cleanLine(to); to == "" || to == label.String() {
		return spans
	}
	return append(spans, span{" (" + to + ")", style})
}

// both is two styles at once.
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ";" + b
}

// citationMark is what answers cite with.
var citationMark = regexp.MustCompile(`\[\d+\]`)

// paint is the spans of one line, the marks of citations in their colour.
func (m markdown) paint(line []span) string {
	var b strings.Builder
	for _, s := range line {
		if !m.color {
			b.WriteString(s.text)
			continue
		}
		at := 0
		for _, mark := range citationMark.FindAllStringIndex(s.text, -1) {
			b.WriteString(styled(s.text[at:mark[0]], s.style) + styled(s.text[mark[0]:mark[1]], both(s.style, cyan)))
			at = mark[1]
		}
		b.WriteString(styled(s.text[at:], s.style))
	}
	return b.String()
}

// styled is a text in a style, as SGR; spaces need none.
func styled(text, style string) string {
	if style == "" || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// columnsOf is how wide spans are.
func columnsOf(spans []span) int {
	n := 0
	for _, s := range spans {
		n += uniseg.StringWidth(s.text)
	}
	return n
}
