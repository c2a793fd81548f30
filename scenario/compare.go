package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Mismatch is one expectation that was not met.
type Mismatch struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"` // of the value, e.g. turns[0].then.path[2]
	Want string `json:"want"`
	Got  string `json:"got"`
}

func (m Mismatch) String() string {
	return fmt.Sprintf("%s:%d: %s\n    want %s\n    got  %s", m.File, m.Line, m.Path, m.Want, m.Got)
}

// tolerance is how far numbers may differ and still be equal.
const tolerance = 1e-9

// compare checks an expectation against what was observed, as decoded JSON.
func compare(file, path string, want ast.Node, got any) []Mismatch {
	want = unwrap(want)
	if list, ok := entries(want); ok {
		object, isObject := got.(map[string]any)
		if isMatcher(list) && (!isObject || !hasKeys(object, list)) {
			return match(file, path, list, got)
		}
		if !isObject {
			return mismatch(file, path, want, "an object", got)
		}
		var all []Mismatch
		for _, e := range list {
			all = append(all, compare(file, path+"."+e.key, e.value, object[e.key])...)
		}
		return all
	}
	if sequence, ok := want.(*ast.SequenceNode); ok {
		return compareList(file, path, sequence, got)
	}
	if value := plain(want); !equal(value, got) {
		return mismatch(file, path, want, show(value), got)
	}
	return nil
}

func compareList(file, path string, want *ast.SequenceNode, got any) []Mismatch {
	list, ok := got.([]any)
	if got != nil && !ok {
		return mismatch(file, path, want, "a list", got)
	}
	if len(list) != len(want.Values) {
		return mismatch(file, path, want, show(plain(want)), got)
	}
	var all []Mismatch
	for i, item := range want.Values {
		all = append(all, compare(file, fmt.Sprintf("%s[%d]", path, i), item, list[i])...)
	}
	return all
}

// match checks an object of matchers.
func match(file, path string, list []entry, got any) []Mismatch {
	var all []Mismatch
	for _, e := range list {
		value := plain(e.value)
		if !matches(e, value, got) {
			all = append(all, mismatch(file, path, e.value, e.key+" "+show(value), got)...)
		}
	}
	return all
}

func matches(e entry, want, got any) bool {
	switch e.key {
	case "contains":
		return contains(got, want)
	case "excludes":
		return !contains(got, want)
	case "matches":
		return regexp.MustCompile(want.(string)).MatchString(text(got))
	case "at_least", "at_most":
		bound, _ := number(want)
		x, ok := number(got)
		return ok && (e.key == "at_least" && x >= bound-tolerance || e.key == "at_most" && x <= bound+tolerance)
	case "length":
		n, _ := number(want)
		return float64(length(got)) == n
	case "absent":
		empty := got == nil || length(got) == 0 || equal(got, "")
		return empty == want.(bool)
	case "includes":
		return includes(e.value.(*ast.SequenceNode).Values, got)
	default:
		return false
	}
}

// includes says whether the wanted items stand in the list in this order, others between them allowed.
func includes(wanted []ast.Node, got any) bool {
	list, _ := got.([]any)
	for _, item := range list {
		if len(wanted) > 0 && len(compare("", "", wanted[0], item)) == 0 {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}

// contains says whether a text holds another text (or each of several), or a list holds an item.
func contains(got, want any) bool {
	if several, ok := want.([]any); ok {
		for _, one := range several {
			if !contains(got, one) {
				return false
			}
		}
		return true
	}
	if list, ok := got.([]any); ok {
		for _, item := range list {
			if equal(want, item) || contains(item, want) {
				return true
			}
		}
		return false
	}
	s, isText := got.(string)
	return isText && strings.Contains(s, text(want))
}

func length(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case string:
		return len([]rune(v))
	default:
		return 0
	}
}

func hasKeys(object map[string]any, list []entry) bool {
	for _, e := range list {
		if _, ok := object[e.key]; !ok {
			return false
		}
	}
	return true
}

// plain is a YAML value as JSON would decode it.
func plain(n ast.Node) any {
	var v any
	if n == nil {
		return nil
	}
	if err := yaml.NodeToValue(n, &v); err != nil {
		return n.String()
	}
	return jsonValue(v)
}

// jsonValue brings a value into the form that encoding/json decodes to.
func jsonValue(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return fmt.Sprint(v)
	}
	return out
}

func equal(want, got any) bool {
	a, aOK := number(want)
	b, bOK := number(got)
	if aOK && bOK {
		return math.Abs(a-b) <= tolerance
	}
	if list, ok := want.([]any); ok && len(list) == 0 && got == nil {
		return true
	}
	return reflect.DeepEqual(want, got)
}

func number(v any) (float64, bool) {
	x, ok := v.(float64)
	return x, ok
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return show(v)
}

func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

func mismatch(file, path string, at ast.Node, want string, got any) []Mismatch {
	return []Mismatch{{File: file, Line: line(at), Path: path, Want: want, Got: show(got)}}
}
