package repl

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// table writes a table in columns, or row by row where it is wider than the screen or somebody listens.
func (w *blockWriter) table(n *extast.Table, indent string) {
	var rows [][][]span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := ""
		if row.Kind() == extast.KindTableHeader {
			style = bold
		}
		rows = append(rows, w.cells(row, style))
	}
	widths := make([]int, len(rows[0]))
	total := len(indent) + 2*(len(widths)-1)
	for _, row := range rows {
		for i := range min(len(row), len(widths)) {
			widths[i] = max(widths[i], columnsOf(row[i]))
		}
	}
	for _, n := range widths {
		total += n
	}
	if w.words || w.width > 0 && total > w.width {
		w.records(rows, indent)
		return
	}
	for i, row := range rows {
		w.tableRow(row, widths, indent)
		if i == 0 {
			w.tableRule(widths, indent)
		}
	}
}

func (w *blockWriter) cells(row ast.Node, style string) [][]span {
	var cells [][]span
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		cells = append(cells, w.inline(cell, style))
	}
	return cells
}

func (w *blockWriter) tableRow(row [][]span, widths []int, indent string) {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(w.paint(cell))
		if i < len(widths)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-columnsOf(cell)+2))
		}
	}
	w.line(indent, b.String())
}

// tableRule is the line below the heads.
func (w *blockWriter) tableRule(widths []int, indent string) {
	parts := make([]string, len(widths))
	for i, n := range widths {
		parts[i] = strings.Repeat("─", n)
	}
	w.line(indent, strings.Join(parts, "  "))
}

// records writes each row as lines of a head and a cell.
func (w *blockWriter) records(rows [][][]span, indent string) {
	heads := rows[0]
	if len(rows) == 1 {
		rows = append(rows, make([][]span, len(heads)))
	}
	for i, row := range rows[1:] {
		if i > 0 {
			w.line(indent, "")
		}
		for j, cell := range row {
			spans := cell
			if j < len(heads) {
				spans = append(append(append([]span{}, heads[j]...), span{text: ": "}), cell...)
			}
			w.wrapped(spans, indent, indent+"  ")
		}
	}
}
