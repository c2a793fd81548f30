package nodes

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/nodes/reply"
)

// While a template is filled in, the text of documents stands between two runes that no text may hold: noncharacters,
// which Unicode keeps for the inside of programs. So the finished text shows where it ended up, and what ended up outside
// the fence is found, whatever the template did. Templates under test carry the number of the line before each action.
const (
	documentStart = '\uFDD0'
	documentEnd   = '\uFDD1'
	lineStart     = '\uFDD2'
	lineEnd       = '\uFDD3'
)

// unmarkable are the runes that data may not hold.
var unmarkable = strings.NewReplacer(string(documentStart), "", string(documentEnd), "", string(lineStart), "", string(lineEnd), "")

// safe is text that cannot close the fence: without its delimiter, however it is nested in itself, and without marks.
func safe(text, delimiter string) string {
	text = unmarkable.Replace(text)
	for delimiter != "" && strings.Contains(text, delimiter) {
		text = strings.ReplaceAll(text, delimiter, "")
	}
	return text
}

// fenceOf is the delimiter that data carries, "" for data that holds no documents.
func fenceOf(data any) string {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Struct || !v.FieldByName("Fence").IsValid() {
		return ""
	}
	return v.FieldByName("Fence").String()
}

// marked is a copy of a prompt's data in which no text holds the delimiter and each text of a document is marked.
func marked(data any) (any, error) {
	if data == nil {
		return nil, nil // the part version has no data
	}
	copied := reflect.New(reflect.TypeOf(data)).Elem()
	copied.Set(reflect.ValueOf(data))
	err := markFields(copied, fenceOf(data))
	return copied.Interface(), err
}

func markFields(v reflect.Value, delimiter string) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Type == reflect.TypeFor[fencing]() {
			continue
		}
		if err := mark(v.Field(i), delimiter, field.Tag.Get("fence") == "true"); err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return nil
}

func mark(v reflect.Value, delimiter string, document bool) error {
	switch v.Kind() {
	case reflect.Int, reflect.Bool:
		return nil
	case reflect.String:
		text := safe(v.String(), delimiter)
		if document && text != "" {
			text = string(documentStart) + reply.Defuse(text) + string(documentEnd)
		}
		v.SetString(text)
		return nil
	case reflect.Struct:
		return markFields(v, delimiter)
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range list.Len() {
			if err := mark(list.Index(i), delimiter, document); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("a prompt cannot show a %s", v.Type()) // so that no text of a document passes unmarked
}

// quoted is text that may quote documents, in the fence: an earlier answer, or a reply that could not be used.
func quoted(text, delimiter string) string {
	return delimiter + "\n" + reply.Defuse(safe(text, delimiter)) + "\n" + delimiter
}

// leak is a place where the text of documents does not stand in its fence.
type leak struct {
	line   int // of the template, 0 when it is not known
	reason string
}

// The reasons of leaks.
const (
	leakOutside = "text of documents stands outside the fence: put it between two lines that start with {{.Fence}}"
	leakOnLine  = "text of documents stands on the line of the fence: put it on the line below"
	leakCut     = "text of documents was cut: write such a field whole"
	leakOpen    = "the fence is opened and not closed: end it with a line that starts with {{.Fence}}"
)

// fenceReader follows a finished text line by line.
type fenceReader struct {
	delimiter string
	line      int  // of the template
	open      bool // inside the fence
	opened    int  // the line of the template that opened it
	document  bool // inside the text of a document
	leaks     []leak
}

// unmarked is a finished text without marks, and where documents leak.
func unmarked(text, delimiter string) (string, []leak) {
	r := fenceReader{delimiter: delimiter}
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(r.read(line))
	}
	if r.open {
		r.leaks = append(r.leaks, leak{line: r.opened, reason: leakOpen})
	}
	if r.document {
		r.leak(leakCut)
	}
	return out.String(), r.leaks
}

// read takes one line and returns it without marks.
func (r *fenceReader) read(line string) string {
	clean := withoutMarks(line)
	isFence := r.delimiter != "" && strings.HasPrefix(clean, r.delimiter)
	if r.document {
		r.found(isFence)
	}
	for i, c := range line {
		switch c {
		case lineStart:
			r.line = templateLine(line[i:])
		case documentStart:
			if r.document {
				r.leak(leakCut)
			}
			r.document = true
			r.found(isFence)
		case documentEnd:
			if !r.document {
				r.leak(leakCut)
			}
			r.document = false
		}
	}
	if isFence {
		r.open, r.opened = !r.open, r.line
	}
	return clean
}

// found says that text of a document stands on this line.
func (r *fenceReader) found(isFence bool) {
	switch {
	case isFence:
		r.leak(leakOnLine)
	case !r.open:
		r.leak(leakOutside)
	}
}

func (r *fenceReader) leak(reason string) {
	r.leaks = append(r.leaks, leak{line: r.line, reason: reason})
}

// withoutMarks is a line without marks and numbers of lines.
func withoutMarks(line string) string {
	if !strings.ContainsAny(line, string([]rune{documentStart, documentEnd, lineStart})) {
		return line
	}
	var out strings.Builder
	skipping := false
	for _, c := range line {
		switch {
		case c == lineStart:
			skipping = true
		case c == lineEnd:
			skipping = false
		case !skipping && c != documentStart && c != documentEnd:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// templateLine reads the number behind a lineStart.
func templateLine(s string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(s, string(lineStart)), string(lineEnd))
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0 // the number was written by numberActions; a template cannot hold the rune
	}
	return n
}
