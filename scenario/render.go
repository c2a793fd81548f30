package scenario

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// render writes what was seen on one line, as far as the expectation named it: only the keys of its objects, and its
// matchers where they hold. A nil expectation names everything.
func render(want ast.Node, got any) (string, error) {
	want = unwrap(want)
	list, isMapping := entries(want)
	switch v := got.(type) {
	case map[string]any:
		if isMapping && (!isMatcher(list) || hasKeys(v, list)) {
			return renderNamed(list, v)
		}
		return renderObject(v)
	case []any:
		if isMapping && isMatcher(list) && holds(list, got) {
			return flow(plain(want)), nil
		}
		return renderList(want, v)
	default:
		if isMapping && isMatcher(list) && holds(list, got) {
			return flow(plain(want)), nil
		}
		if s, ok := got.(string); ok && len(s) > maxText {
			return "", errLong
		}
		return flow(got), nil
	}
}

func holds(list []entry, got any) bool {
	return !slices.ContainsFunc(list, func(e entry) bool { return !matches(e, plain(e.value), got) })
}

func renderNamed(list []entry, got map[string]any) (string, error) {
	var parts []string
	for _, e := range list {
		value, err := render(e.value, got[e.key])
		if err != nil {
			return "", err
		}
		parts = append(parts, flow(e.key)+": "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

func renderObject(got map[string]any) (string, error) {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(got)) {
		value, err := render(nil, got[key])
		if err != nil {
			return "", err
		}
		parts = append(parts, flow(key)+": "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

func renderList(want ast.Node, got []any) (string, error) {
	sequence, _ := want.(*ast.SequenceNode)
	var parts []string
	for i, item := range got {
		var wanted ast.Node
		if sequence != nil && i < len(sequence.Values) {
			wanted = sequence.Values[i]
		} else if sequence != nil {
			wanted = like(sequence, item)
		}
		text, err := render(wanted, item)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// like is the last item of an expected list that is of the kind of a value: a new item is written in its form.
func like(want *ast.SequenceNode, got any) ast.Node {
	_, isObject := got.(map[string]any)
	for _, item := range slices.Backward(want.Values) {
		if list, ok := entries(item); ok && isObject && !isMatcher(list) {
			return item
		}
	}
	return nil
}

// flow is a value as YAML on one line.
func flow(v any) string {
	switch v := v.(type) {
	case string:
		if bare(v) {
			return v
		}
		return quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = flow(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, flow(key)+": "+flow(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return show(v)
	}
}

// plainText is text that means the same without quotes wherever it stands.
var plainText = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./ +-]*(:[A-Za-z0-9_./+-]+)*$`)

// bare says whether a text needs no quotes.
func bare(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off":
		return false
	}
	return plainText.MatchString(s) && !strings.HasSuffix(s, " ")
}
