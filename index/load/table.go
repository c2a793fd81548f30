package load

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index"
)

// maxColumnName is how many letters of a column's name stand before each of its values.
const maxColumnName = 60

// table is a CSV or TSV file with every row as a line that repeats the names of its columns, so that each row can be read
// alone: "name: Bolt; price: 3." A row stands on the line on which it begins in the file, so that citations count the
// lines of the file. The first line tells the columns and the number of rows.
func (f *Files) table(ctx context.Context, k kind, source string) (index.Loaded, error) {
	source = strings.TrimPrefix(source, "\ufeff")
	t := tableText{opts: f.opts, reader: csv.NewReader(strings.NewReader(source))}
	t.reader.FieldsPerRecord = -1
	t.reader.LazyQuotes = true
	t.reader.ReuseRecord = true
	t.reader.Comma = '\t'
	if k == kindCSV {
		t.reader.Comma = separator(source)
	}
	if err := t.read(ctx); err != nil {
		return index.Loaded{}, err
	}
	if t.rows == 0 && len(t.columns) == 0 {
		return index.Loaded{}, nil
	}
	return index.Loaded{Text: t.text()}, nil
}

// separator is the sign that cuts the first line into most fields.
func separator(source string) rune {
	first, _, _ := strings.Cut(strings.TrimLeft(source, "\r\n"), "\n")
	best, most := ',', 0
	for _, sep := range ",;\t|" {
		if n := strings.Count(first, string(sep)); n > most {
			best, most = sep, n
		}
	}
	return best
}

type tableText struct {
	opts    Options
	reader  *csv.Reader
	columns []string // nil while the first row is not read
	b       strings.Builder
	line    int // lines written to b; the first line is written last
	rows    int
	dropped int
}

func (t *tableText) read(ctx context.Context) error {
	t.line = 1
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, err := t.reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		at, _ := t.reader.FieldPos(0)
		if err := t.record(record, at); err != nil {
			return err
		}
	}
}

// record adds a row that begins at this line of the file.
func (t *tableText) record(record []string, at int) error {
	if t.columns == nil {
		if t.columns = header(record); t.columns != nil {
			return nil
		}
		t.columns = make([]string, len(record))
	}
	if t.rows == t.opts.MaxRows {
		t.dropped++
		return nil
	}
	t.rows++
	at = max(at, t.line+1) // a row on line 1 comes below the columns
	for ; t.line < at; t.line++ {
		t.b.WriteByte('\n')
	}
	empty := true
	for i, value := range record {
		if value = oneLine(value); value == "" {
			continue
		}
		if !empty {
			t.b.WriteString("; ")
		}
		empty = false
		t.b.WriteString(t.column(i) + ": " + value)
	}
	if !empty {
		t.b.WriteByte('.') // each row is a sentence: an answer quotes one row
	}
	if t.b.Len() > t.opts.MaxTextBytes {
		return fmt.Errorf("%w: %d rows become more text than the limit of %d bytes", ErrTooLarge, t.rows, t.opts.MaxTextBytes)
	}
	return nil
}

func (t *tableText) column(i int) string {
	if i < len(t.columns) && t.columns[i] != "" {
		return t.columns[i]
	}
	return "column " + strconv.Itoa(i+1)
}

// header is the names in a first row, nil when it looks like data: a name is no number, and no two are the same.
func header(record []string) []string {
	names := make([]string, len(record))
	seen := map[string]bool{}
	for i, value := range record {
		value = oneLine(value)
		if _, err := strconv.ParseFloat(value, 64); err == nil || value != "" && seen[value] {
			return nil
		}
		seen[value] = true
		if utf8.RuneCountInString(value) > maxColumnName {
			value = string([]rune(value)[:maxColumnName])
		}
		names[i] = value
	}
	if len(seen) == 1 && seen[""] {
		return nil
	}
	return names
}

// text is the first line with the rows.
func (t *tableText) text() string {
	names := make([]string, len(t.columns))
	for i := range names {
		names[i] = t.column(i)
	}
	noun := "rows"
	if t.rows+t.dropped == 1 {
		noun = "row"
	}
	first := fmt.Sprintf("Columns: %s (%d %s", strings.Join(names, ", "), t.rows+t.dropped, noun)
	if t.dropped > 0 {
		first += fmt.Sprintf(", the first %d are here", t.rows)
	}
	return first + ")." + t.b.String() + "\n"
}
