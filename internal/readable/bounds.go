package readable

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxIndent is how deep quotations and lists may lie in one another; what lies deeper is a plain block. The converter writes
// every line anew for each level: 80 KB of HTML with 240 levels took it a minute.
const maxIndent = 12

// boundIndent makes plain blocks of what is nested too deeply. depth counts the quotations and lists around n.
func boundIndent(n *html.Node, depth int) {
	switch n.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Dir:
		depth++
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		boundIndent(child, depth)
	}
	switch n.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Dir, atom.Li, atom.Dt, atom.Dd:
		if depth > maxIndent {
			plain(n)
		}
	}
}

// Limits of a table. The converter fills every table up to a rectangle of cells: of sixty bytes of HTML that claim a
// million columns and rows it would make more cells than there is memory.
const (
	maxSpan  = 32
	maxCells = 20_000
)

// boundTables removes spans above maxSpan, and makes plain blocks of tables above maxCells.
func boundTables(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		boundTables(child)
	}
	if n.DataAtom == atom.Table && cells(n) > maxCells {
		flatten(n)
	}
}

// cells bounds from above how many cells the rectangle around a table has; it removes the spans that are too large.
// A cell that spans rows moves the cells below it to the right, by its own width.
func cells(t *html.Node) int {
	rows, columns, moved, deepest := 0, 0, 0, 1
	for tr := range t.Descendants() {
		if tr.DataAtom != atom.Tr {
			continue
		}
		width := 0
		for cell := range tr.ChildNodes() {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			across, down := span(cell, "colspan"), span(cell, "rowspan")
			width += across
			if down > 1 {
				moved = max(moved, across)
				deepest = max(deepest, down)
			}
		}
		rows++
		columns = max(columns, width)
	}
	return (rows + deepest) * (columns + moved*deepest)
}

// span reads a span of a cell, 1 when it has none; one out of range is removed.
func span(cell *html.Node, name string) int {
	for i, a := range cell.Attr {
		if a.Key != name {
			continue
		}
		n, err := strconv.Atoi(a.Val)
		if err == nil && n >= 1 && n <= maxSpan {
			return n
		}
		cell.Attr = append(cell.Attr[:i:i], cell.Attr[i+1:]...)
		return 1
	}
	return 1
}

// flatten makes blocks of a table and of all that structures it.
func flatten(t *html.Node) {
	plain(t)
	for d := range t.Descendants() {
		switch d.DataAtom {
		case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Colgroup, atom.Col:
			plain(d)
		}
	}
}

func plain(n *html.Node) { n.DataAtom, n.Data, n.Attr = atom.Div, "div", nil }
