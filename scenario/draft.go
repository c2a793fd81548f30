package scenario

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// A Draft is a scenario that is to be written down. G and W are the subject's Given and When; their fields need yaml tags.
type Draft[G, W any] struct {
	Name, Guards string
	Comment      string // lines above the scenario, without #; may be empty
	Given        G
	Turns        []DraftTurn[W]
}

// DraftTurn is a turn of a [Draft].
type DraftTurn[W any] struct {
	When W
	Then []Expectation // in this order; none leaves then out
}

// An Expectation is a key of then with its value, in a form that encoding/json takes.
type Expectation struct {
	Key   string
	Value any
}

// YAML is the draft as a document of a scenario file. Empty values of Given and When are left out.
func (d Draft[G, W]) YAML() ([]byte, error) {
	var b strings.Builder
	for line := range strings.Lines(d.Comment) {
		b.WriteString(strings.TrimRight("# "+strings.TrimSpace(line), " ") + "\n")
	}
	fmt.Fprintf(&b, "scenario: %s\nguards: %s\n", flow(d.Name), flow(d.Guards))
	if !reflect.ValueOf(&d.Given).Elem().IsZero() {
		text, err := block(struct {
			Given G `yaml:"given"`
		}{d.Given})
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	b.WriteString("turns:\n")
	for _, t := range d.Turns {
		when, err := block(struct {
			When W `yaml:"when"`
		}{t.When})
		if err != nil {
			return nil, err
		}
		if reflect.ValueOf(&t.When).Elem().IsZero() {
			when = "when: {}\n"
		}
		b.WriteString("  - " + strings.ReplaceAll(strings.TrimSuffix(when, "\n"), "\n", "\n    ") + "\n")
		if len(t.Then) > 0 {
			b.WriteString("    then:\n")
		}
		for _, e := range t.Then {
			b.WriteString(expectationText(e))
		}
	}
	return []byte(b.String()), nil
}

// maxLine is how long a line of an expectation may be, in bytes, before its list goes over several lines.
const maxLine = 120

// expectationText is a key of then: on one line, or, for a long list, an item a line.
func expectationText(e Expectation) string {
	value := jsonValue(e.Value)
	line := fmt.Sprintf("      %s: %s\n", e.Key, flow(value))
	list, ok := value.([]any)
	if !ok || len(line) <= maxLine {
		return line
	}
	var b strings.Builder
	fmt.Fprintf(&b, "      %s:\n", e.Key)
	for _, item := range list {
		fmt.Fprintf(&b, "        - %s\n", flow(item))
	}
	return b.String()
}

// block is a value as YAML over several lines, without what is empty.
func block(v any) (string, error) {
	node, err := yaml.ValueToNode(v, blockStyle...)
	if err != nil {
		return "", fmt.Errorf("write the scenario: %w", err)
	}
	ast.Walk(quoter{}, node)
	return node.String() + "\n", nil
}

var blockStyle = []yaml.EncodeOption{yaml.OmitEmpty(), yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true)}

// Propose plays a draft and returns it with what was seen as its expectations: of each turn the fields of O in their order,
// without those that are empty, as keep returns them (ok false leaves one out; nil keeps all). Values are as encoding/json
// decodes them. What the draft expected before is dropped. A draft that cannot be played to its end is an error.
func Propose[G, W, O any](ctx context.Context, subject Subject[G, W, O], d Draft[G, W], keep func(key string, value any) (kept any, ok bool)) (Draft[G, W], error) {
	s := Scenario[G, W]{Name: d.Name, Guards: d.Guards, Given: d.Given}
	for _, t := range d.Turns {
		s.Turns = append(s.Turns, Turn[W]{When: t.When})
	}
	sights, _, err := play(ctx, subject, s)
	if err != nil {
		return d, err
	}
	d.Turns = slices.Clone(d.Turns)
	for i, seen := range sights {
		d.Turns[i].Then = expectations(reflect.TypeFor[O](), seen.got, keep)
	}
	return d, nil
}

// expectations are the fields of what was seen, in the order of its type.
func expectations(t reflect.Type, got any, keep func(string, any) (any, bool)) []Expectation {
	object, _ := got.(map[string]any)
	var all []Expectation
	for _, name := range fieldOrder(t) {
		value := object[name]
		if empty(value) {
			continue
		}
		if keep != nil {
			var ok bool
			if value, ok = keep(name, value); !ok {
				continue
			}
		}
		all = append(all, Expectation{name, value})
	}
	return all
}

// fieldOrder are the JSON names of a struct's fields in the order of the source.
func fieldOrder(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// empty says whether a decoded value says nothing.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case float64:
		return v == 0
	default:
		return length(v) == 0
	}
}
