package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// edit replaces a piece of a file.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap.
func apply(text []byte, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		if e.start < last {
			return nil, errPlace
		}
		out.Write(text[last:e.start])
		out.WriteString(e.text)
		last = e.end
	}
	out.Write(text[last:])
	return out.Bytes(), nil
}

// edits turn an expectation into one that what was seen meets, and change nothing that is met already.
func (s *source) edits(want ast.Node, got any) ([]edit, error) {
	want = unwrap(want)
	if list, ok := entries(want); ok {
		object, isObject := got.(map[string]any)
		switch {
		case isMatcher(list) && (!isObject || !hasKeys(object, list)):
			return s.matcherEdits(want, list, got)
		case !isObject:
			return s.replace(want, got)
		}
		return s.objectEdits(list, object)
	}
	if sequence, ok := want.(*ast.SequenceNode); ok {
		return s.listEdits(sequence, got)
	}
	if equal(plain(want), got) {
		return nil, nil
	}
	return s.replace(want, got)
}

func (s *source) objectEdits(list []entry, got map[string]any) ([]edit, error) {
	var all []edit
	for _, e := range list {
		some, err := s.edits(e.value, got[e.key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.key, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// replace writes what was seen in place of a node.
func (s *source) replace(want ast.Node, got any) ([]edit, error) {
	text, err := render(want, got)
	if err != nil {
		return nil, err
	}
	start, end, err := s.span(want)
	if err != nil {
		return nil, err
	}
	return []edit{{start, end, text}}, nil
}

// matcherEdits move bounds to where they hold, and replace other matchers by the value.
func (s *source) matcherEdits(want ast.Node, list []entry, got any) ([]edit, error) {
	var all []edit
	for _, e := range list {
		if matches(e, plain(e.value), got) {
			continue
		}
		bound, ok := moved(e.key, got)
		if !ok {
			return s.replace(want, got)
		}
		some, err := s.replace(e.value, bound)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// moved is the value with which a matcher holds; ok is false for one that has none.
func moved(matcher string, got any) (value any, ok bool) {
	switch matcher {
	case "at_least", "at_most":
		_, ok = number(got)
		return got, ok
	case "length":
		return float64(length(got)), true
	case "absent":
		return got == nil || length(got) == 0, true
	default:
		return nil, false
	}
}

func (s *source) listEdits(want *ast.SequenceNode, got any) ([]edit, error) {
	list, ok := got.([]any)
	if got != nil && !ok || want.IsFlowStyle && len(list) != len(want.Values) {
		if !want.IsFlowStyle {
			return nil, errPlace
		}
		return s.replace(want, got)
	}
	var all []edit
	for i := range min(len(list), len(want.Values)) {
		some, err := s.edits(want.Values[i], list[i])
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		all = append(all, some...)
	}
	if want.IsFlowStyle || len(list) == len(want.Values) {
		return all, nil
	}
	resize := s.shorten
	if len(list) > len(want.Values) {
		resize = s.lengthen
	}
	more, err := resize(want, list)
	return append(all, more...), err
}

// shorten takes the last items off a block.
func (s *source) shorten(want *ast.SequenceNode, got []any) ([]edit, error) {
	var all []edit
	for i := len(got); i < len(want.Values); i++ {
		dash, end, err := s.item(want.Values[i])
		if err != nil {
			return nil, err
		}
		if i == 0 { // a list without items has to be written down
			all = append(all, edit{dash, end, "[]"})
			continue
		}
		all = append(all, edit{s.lineStart(dash), min(s.lineEnd(end)+1, len(s.text)), ""})
	}
	return all, nil
}

// lengthen adds items to a block, written like those that are there.
func (s *source) lengthen(want *ast.SequenceNode, got []any) ([]edit, error) {
	if len(want.Values) == 0 {
		return nil, errPlace
	}
	dash, end, err := s.item(want.Values[len(want.Values)-1])
	if err != nil {
		return nil, err
	}
	indent := strings.Repeat(" ", dash-s.lineStart(dash))
	var text strings.Builder
	for _, item := range got[len(want.Values):] {
		rendered, err := render(like(want, item), item)
		if err != nil {
			return nil, err
		}
		text.WriteString("\n" + indent + "- " + rendered)
	}
	at := s.lineEnd(end)
	return []edit{{at, at, text.String()}}, nil
}

// item is where an item of a block stands, from its dash on. Nothing else may stand before the dash.
func (s *source) item(n ast.Node) (dash, end int, err error) {
	start, end, err := s.span(n)
	if err != nil {
		return 0, 0, err
	}
	line := s.lineStart(start)
	dash = line + strings.IndexByte(string(s.text[line:start]), '-')
	if dash < line || strings.TrimSpace(string(s.text[line:start])) != "-" {
		return 0, 0, errPlace
	}
	return dash, end, nil
}

// errLong reports a text that nobody wants in a file of expectations.
var errLong = errors.New("what was seen is too long to be written down: change the expectation by hand")

// maxText is how long a text may be that takes the place of a matcher, in bytes.
const maxText = 2000
