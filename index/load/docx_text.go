package load

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// maxDOCXSpan is the most columns that a cell of a table may take.
const maxDOCXSpan = 32

// docxWriter makes Markdown of the paragraphs and tables of a part.
type docxWriter struct {
	styles map[string]int
	limit  int
	out    strings.Builder

	para    strings.Builder // the open paragraph
	level   int             // of its heading, 0 for none
	item    int             // 1 + its indentation as an item of a list, 0 for none
	wasItem bool
	inText  bool // inside of w:t
	skipped int  // how many elements that are left out are open
	tables  []*docxTable
}

// A docxTable is an open table.
type docxTable struct {
	rows int
	cell []string // the paragraphs of the open cell
	row  []string
	span int
	size int // columns of the first row
}

// leftOut are the elements whose text does not count: deletions, field codes, the second form of what has two.
var leftOut = map[string]bool{"del": true, "moveFrom": true, "instrText": true, "delText": true, "Fallback": true, "rPrChange": true, "pPrChange": true}

func (w *docxWriter) start(e xml.StartElement) error {
	name := e.Name.Local
	if w.skipped > 0 || leftOut[name] {
		w.skipped++
		return nil
	}
	switch name {
	case "p":
		w.startParagraph()
	case "pStyle":
		w.level = w.styles[attr(e, "val")]
	case "outlineLvl":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 && w.level == 0 {
			w.level = min(n+1, 6)
		}
	case "numPr":
		w.item = max(w.item, 1)
	case "ilvl":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 {
			w.item = n + 1
		}
	case "t":
		w.inText = true
	case "tab":
		w.para.WriteByte(' ')
	case "br", "cr":
		w.para.WriteByte('\n')
	case "noBreakHyphen":
		w.para.WriteByte('-')
	case "tbl":
		w.startTable()
	case "gridSpan":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n > 1 && n <= maxDOCXSpan && len(w.tables) > 0 {
			w.tables[len(w.tables)-1].span = n
		}
	}
	if w.out.Len()+w.para.Len() > w.limit {
		return fmt.Errorf("%w: its text is larger than the limit of %d bytes", ErrTooLarge, w.limit)
	}
	return nil
}

func (w *docxWriter) text(s string) {
	if w.inText && w.skipped == 0 {
		w.para.WriteString(s)
	}
}

func (w *docxWriter) end(name string) {
	if w.skipped > 0 {
		w.skipped--
		return
	}
	switch name {
	case "t":
		w.inText = false
	case "p":
		w.endParagraph()
	case "tc":
		w.endCell()
	case "tr":
		w.endRow()
	case "tbl":
		w.endTable()
	}
}

// startParagraph ends a paragraph around it: the text of a box stands inside of one.
func (w *docxWriter) startParagraph() {
	w.endParagraph()
	w.level, w.item = 0, 0
}

func (w *docxWriter) endParagraph() {
	text := strings.TrimSpace(strings.ReplaceAll(w.para.String(), "\u00ad", ""))
	w.para.Reset()
	level, item := w.level, w.item
	w.level, w.item = 0, 0
	switch {
	case text == "":
	case len(w.tables) > 0:
		t := w.tables[len(w.tables)-1]
		t.cell = append(t.cell, oneLine(text))
	case level > 0:
		w.write("\n"+strings.Repeat("#", level)+" "+oneLine(text)+"\n", false)
	case item > 0:
		line := strings.Repeat("  ", item-1) + "- " + oneLine(text) + "\n"
		if !w.wasItem {
			line = "\n" + line
		}
		w.write(line, true)
	default:
		w.write("\n"+text+"\n", false)
	}
}

func (w *docxWriter) write(s string, item bool) {
	if w.out.Len() == 0 {
		s = strings.TrimPrefix(s, "\n")
	}
	w.out.WriteString(s)
	w.wasItem = item
}

func (w *docxWriter) startTable() {
	w.endParagraph()
	w.tables = append(w.tables, &docxTable{})
}

func (w *docxWriter) endCell() {
	if len(w.tables) == 0 {
		return
	}
	t := w.tables[len(w.tables)-1]
	t.row = append(t.row, strings.ReplaceAll(strings.Join(t.cell, " "), "|", `\|`))
	for ; t.span > 1; t.span-- {
		t.row = append(t.row, "")
	}
	t.cell, t.span = nil, 0
}

// endRow writes a row; the row of a table inside of a cell becomes a part of that cell's text.
func (w *docxWriter) endRow() {
	n := len(w.tables)
	if n == 0 {
		return
	}
	t := w.tables[n-1]
	row := t.row
	t.row = nil
	if n > 1 {
		outer := w.tables[n-2]
		outer.cell = append(outer.cell, strings.TrimSpace(strings.Join(row, " ")))
		return
	}
	if len(row) == 0 {
		return
	}
	if t.rows == 0 {
		t.size = len(row)
		w.write("\n", false)
	}
	for len(row) < t.size {
		row = append(row, "")
	}
	w.write("| "+strings.Join(row, " | ")+" |\n", false)
	if t.rows == 0 {
		w.write("|"+strings.Repeat(" --- |", len(row))+"\n", false)
	}
	t.rows++
}

func (w *docxWriter) endTable() {
	if len(w.tables) > 0 {
		w.tables = w.tables[:len(w.tables)-1]
	}
}
