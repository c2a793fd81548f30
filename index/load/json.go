package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index"
)

// Fields by their usual names: what a record is called, and what its long text is.
var (
	titleFields = []string{"title", "name", "heading", "question", "subject", "id"}
	textFields  = []string{"text", "content", "body", "contents", "markdown"}
)

// maxTitle is how many letters of a record's title its heading holds.
const maxTitle = 100

// json is the records of a JSON or JSON Lines file, each a section "record 3: its title" ("line 3" in JSON Lines) of lines
// "field: value". A JSON file that is no list of objects and holds none is one line for each value with its path.
func (f *Files) json(ctx context.Context, k kind, source string) (index.Loaded, error) {
	source = strings.TrimPrefix(source, "\ufeff")
	w := recordText{opts: f.opts}
	if k == kindJSONL {
		if err := w.lines(ctx, source); err != nil {
			return index.Loaded{}, err
		}
		return w.loaded(), nil
	}
	dec := json.NewDecoder(strings.NewReader(source))
	dec.UseNumber()
	root, err := readNode(dec, 0)
	if errors.Is(err, errEnd) {
		return index.Loaded{}, nil
	}
	if err != nil {
		return index.Loaded{}, err
	}
	if _, err := dec.Token(); err == nil {
		return index.Loaded{}, fmt.Errorf("%w: there is more after the first value; JSON Lines are read from .jsonl", ErrMalformed)
	}
	if err := w.value(ctx, root); err != nil {
		return index.Loaded{}, err
	}
	return w.loaded(), nil
}

// recordText writes records.
type recordText struct {
	opts    Options
	b       strings.Builder
	line    int // of b, 0-based
	marks   []index.Mark
	records int
	dropped int
}

func (w *recordText) loaded() index.Loaded {
	if w.dropped > 0 {
		w.mark(1, "")
		w.put(fmt.Sprintf("The first %d of %d records are here.", w.records, w.records+w.dropped))
	}
	return index.Loaded{Text: w.b.String(), Marks: w.marks}
}

func (w *recordText) lines(ctx context.Context, source string) error {
	for i, line := range splitLines(source) {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		n, err := readNode(dec, 0)
		if errors.Is(err, errEnd) {
			continue // a blank line
		}
		if err == nil {
			if _, more := dec.Token(); more == nil {
				err = fmt.Errorf("%w: there is more than one value", ErrMalformed)
			}
		}
		if err == nil {
			err = w.record(fmt.Sprintf("line %d", i+1), n)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// value writes the records of root, and its other fields before them.
func (w *recordText) value(ctx context.Context, root *node) error {
	path, list := root.records()
	for i, v := range root.values {
		if v == list || list == root || w.opts.TextField != "" && list != nil {
			continue
		}
		name := ""
		if root.kind == '{' {
			name = root.keys[i]
		}
		w.mark(0, name)
		if err := w.fields(name, v); err != nil {
			return err
		}
	}
	if root.kind == 0 && root.scalar != "" {
		w.put(root.scalar)
	}
	if list == nil {
		return nil
	}
	for i, v := range list.values {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.record(strings.TrimSpace(fmt.Sprintf("%s record %d", path, i+1)), v); err != nil {
			return err
		}
	}
	return nil
}

// record writes one record under a heading.
func (w *recordText) record(name string, n *node) error {
	var body *node
	if w.opts.TextField != "" {
		if body = n.find(w.opts.TextField); body == nil || body.kind == 0 && strings.TrimSpace(body.scalar) == "" {
			return nil
		}
	}
	if w.records == w.opts.MaxRows {
		w.dropped++
		return nil
	}
	w.records++
	if title := titleField(n); title != "" {
		name += ": " + title
	}
	w.mark(1, name)
	if body == nil {
		return w.fields("", longLast(n))
	}
	if title := titleField(n); title != "" {
		w.put(title + "\n")
	}
	return w.fields("", body)
}

func titleField(n *node) string {
	for _, key := range titleFields {
		if v := n.field(key); v != nil && v.kind == 0 {
			if title := oneLine(v.scalar); title != "" {
				if utf8.RuneCountInString(title) > maxTitle {
					title = string([]rune(title)[:maxTitle])
				}
				return title
			}
		}
	}
	return ""
}

// longLast is n with its long texts behind the other fields.
func longLast(n *node) *node {
	if n.kind != '{' {
		return n
	}
	ordered := &node{kind: '{'}
	for _, long := range []bool{false, true} {
		for i, k := range n.keys {
			if slices.Contains(textFields, strings.ToLower(k)) == long {
				ordered.keys = append(ordered.keys, k)
				ordered.values = append(ordered.values, n.values[i])
			}
		}
	}
	return ordered
}

// fields writes a line "path: value" for each value in n. Text of several lines stands below its path.
func (w *recordText) fields(path string, n *node) error {
	if w.b.Len() > w.opts.MaxTextBytes {
		return fmt.Errorf("%w: the fields become more text than the limit of %d bytes", ErrTooLarge, w.opts.MaxTextBytes)
	}
	for i, v := range n.values {
		name := path
		if n.kind == '{' {
			name = strings.Trim(path+"."+oneLine(n.keys[i]), ".")
		}
		if err := w.fields(name, v); err != nil {
			return err
		}
	}
	value := strings.TrimSpace(n.scalar)
	switch {
	case n.kind != 0 || value == "":
	case path == "":
		w.put(value)
	case strings.Contains(value, "\n"):
		w.put(path + ":\n\n" + value + "\n")
	default:
		w.put(path + ": " + value)
	}
	return nil
}

// mark begins a section or block; a blank line ends the one before.
func (w *recordText) mark(level int, title string) {
	if w.line > 0 {
		w.put("")
	}
	w.marks = append(w.marks, index.Mark{Line: w.line + 1, Level: level, Title: title})
}

func (w *recordText) put(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\x00", "")
	w.b.WriteString(s + "\n")
	w.line += strings.Count(s, "\n") + 1
}
