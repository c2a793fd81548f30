package scenario

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/kbagent/kbagent/internal/near"
)

// matchers are the keys of an object that stands for any value, with the check of their own values.
var matchers = []string{"contains", "matches", "at_least", "at_most", "length", "includes", "excludes", "absent"}

// entry is one key of a mapping.
type entry struct {
	key   string
	node  ast.Node // of the key
	value ast.Node
}

// entries are the keys of a mapping in their order; ok is false for another kind of node.
func entries(n ast.Node) (list []entry, ok bool) {
	switch m := unwrap(n).(type) {
	case *ast.MappingNode:
		for _, v := range m.Values {
			list = append(list, entry{keyText(v.Key), v.Key, v.Value})
		}
		return list, true
	case *ast.MappingValueNode:
		return []entry{{keyText(m.Key), m.Key, m.Value}}, true
	default:
		return nil, false
	}
}

func keyText(k ast.MapKeyNode) string { return strings.Trim(k.String(), `"'`) }

// unwrap goes through tags and anchors to the value.
func unwrap(n ast.Node) ast.Node {
	for {
		switch w := n.(type) {
		case *ast.TagNode:
			n = w.Value
		case *ast.AnchorNode:
			n = w.Value
		default:
			return n
		}
	}
}

// isMatcher says whether a mapping is an object of matchers.
func isMatcher(list []entry) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(e entry) bool { return !slices.Contains(matchers, e.key) })
}

// validate checks an expectation against the type of what is observed: unknown fields and values of a wrong kind.
func validate(n ast.Node, t reflect.Type) error {
	n = unwrap(n)
	if n == nil {
		return nil
	}
	if _, null := n.(*ast.NullNode); null {
		return nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if list, ok := entries(n); ok {
		if isMatcher(list) && (t.Kind() != reflect.Struct || !hasFields(t, list)) {
			return validateMatchers(list, t)
		}
		return validateObject(n, list, t)
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Interface {
			return &fault{n, fmt.Sprintf("a list cannot be compared with a %s", kindName(t))}
		}
		for _, item := range list.Values {
			if t.Kind() == reflect.Slice {
				if err := validate(item, t.Elem()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return validateScalar(n, t)
}

func validateObject(n ast.Node, list []entry, t reflect.Type) error {
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.Map:
		for _, e := range list {
			if err := validate(e.value, t.Elem()); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		for _, e := range list {
			field, ok := fieldByJSON(t, e.key)
			if !ok {
				return &fault{e.node, fmt.Sprintf("unknown key %q%s", e.key, nearest(e.key, fieldNames(t)))}
			}
			if err := validate(e.value, field.Type); err != nil {
				return err
			}
		}
		return nil
	default:
		return &fault{n, fmt.Sprintf("an object cannot be compared with a %s", kindName(t))}
	}
}

func validateMatchers(list []entry, t reflect.Type) error {
	for _, e := range list {
		value := plain(e.value)
		switch e.key {
		case "matches":
			text, ok := value.(string)
			if !ok {
				return &fault{e.value, "matches needs a regular expression"}
			}
			if _, err := regexp.Compile(text); err != nil {
				return &fault{e.value, err.Error()}
			}
		case "at_least", "at_most", "length":
			if _, ok := number(value); !ok {
				return &fault{e.value, e.key + " needs a number"}
			}
		case "absent":
			if _, ok := value.(bool); !ok {
				return &fault{e.value, "absent needs true or false"}
			}
		case "includes":
			if _, ok := e.value.(*ast.SequenceNode); !ok {
				return &fault{e.value, "includes needs a list"}
			}
			if err := validate(e.value, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func validateScalar(n ast.Node, t reflect.Type) error {
	value := plain(n)
	_, isNumber := number(value)
	_, isString := value.(string)
	_, isBool := value.(bool)
	fits := true
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		fits = isNumber
	case reflect.String:
		fits = isString
	case reflect.Bool:
		fits = isBool
	case reflect.Slice, reflect.Map, reflect.Struct:
		fits = t == reflect.TypeFor[time.Time]()
	}
	if !fits {
		return &fault{n, fmt.Sprintf("%v cannot be compared with a %s", value, kindName(t))}
	}
	return nil
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true/false"
	case reflect.Slice:
		return "list"
	default:
		return "object"
	}
}

func hasFields(t reflect.Type, list []entry) bool {
	return !slices.ContainsFunc(list, func(e entry) bool { _, ok := fieldByJSON(t, e.key); return !ok })
}

// fieldByJSON is the field of a struct by its JSON name, embedded structs included.
func fieldByJSON(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if jsonName(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func jsonName(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous || !f.IsExported() || tag == "-" {
		return ""
	}
	if tag == "" {
		return f.Name
	}
	return tag
}

func fieldNames(t reflect.Type) []string { return slices.Sorted(slices.Values(fieldOrder(t))) }

// nearest is the hint of an unknown key.
func nearest(key string, names []string) string {
	if best := near.Nearest(key, names, 3); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; the keys are " + strings.Join(names, ", ")
}
