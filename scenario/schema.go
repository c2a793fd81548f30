package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOptions tune [Schema]. The zero value works.
type SchemaOptions struct {
	ID, Title string              // of the schema
	Words     map[string][]string // see [Words]; they become enumerations
	// Describe is the description of a field, or, with an empty field name, of a type; "" for none. [Comments.Describe]
	// takes them from the source.
	Describe func(t reflect.Type, field string) string
}

// Schema is the JSON schema (draft 2020-12) of one document of a subject's scenario files, indented, with a line break at
// its end. Editors complete and check scenario files with it. It is as strict as [Load], but for what a schema cannot say.
func Schema[G, W, O any](o SchemaOptions) ([]byte, error) {
	if o.Describe == nil {
		o.Describe = func(reflect.Type, string) string { return "" }
	}
	m := schemaMaker{o}
	text := func(about string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", MinLength: new(1), Description: about}
	}
	given, when, then := reflect.TypeFor[G](), reflect.TypeFor[W](), reflect.TypeFor[O]()
	turn := object("a turn: what happens, and what must be seen behind it", map[string]*jsonschema.Schema{
		"when": m.input(when, "when"), "then": m.expected(then, "then"),
	})
	turn.Required = []string{"when"}
	root := object("a scenario", map[string]*jsonschema.Schema{
		"scenario": text("the claim, in a sentence"),
		"guards":   text("the defect that the scenario keeps away"),
		"given":    m.input(given, "given"),
		"turns":    {Type: "array", Items: turn, MinItems: new(1)},
	})
	root.Schema, root.ID, root.Title = "https://json-schema.org/draft/2020-12/schema", o.ID, o.Title
	root.Required = []string{"scenario", "guards", "turns"}
	root.Defs = map[string]*jsonschema.Schema{"matchers": matcherSchema()}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return b.Bytes(), nil
}

// schemaMaker turns types into schemas.
type schemaMaker struct{ SchemaOptions }

func object(about string, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: about, Properties: properties, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// matcherSchema is an object of matchers, which may stand for any value of then.
func matcherSchema() *jsonschema.Schema {
	s := object("matchers that stand for any value", map[string]*jsonschema.Schema{
		"contains": {Description: "a piece of the text, or an item of the list; of a list each of them"},
		"excludes": {Description: "what must not be there"},
		"matches":  {Type: "string", Format: "regex", Description: "a regular expression"},
		"at_least": {Type: "number", Description: "the least number"},
		"at_most":  {Type: "number", Description: "the greatest number"},
		"length":   {Type: "integer", Minimum: new(0.0), Description: "of a list, an object, or a text in characters"},
		"includes": {Type: "array", Description: "items in this order, others between them"},
		"absent":   {Type: "boolean", Description: "whether the value is empty"},
	})
	s.MinProperties = new(1)
	return s
}

// input is the schema of something that is given or done, by its yaml tags.
func (m schemaMaker) input(t reflect.Type, path string) *jsonschema.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}
	case t.Kind() == reflect.Struct:
		properties := make(map[string]*jsonschema.Schema)
		for _, f := range reflect.VisibleFields(t) {
			if name := yamlName(f); name != "" {
				properties[name] = described(m.input(f.Type, path+"."+name), m.Describe(t, f.Name))
			}
		}
		return object(m.Describe(t, ""), properties)
	case t.Kind() == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: m.input(t.Elem(), path+"[]")}
	case t.Kind() == reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: m.input(t.Elem(), path+".*")}
	}
	return m.scalar(t, path)
}

// expected is the schema of an expectation of a value, by its JSON names.
func (m schemaMaker) expected(t reflect.Type, path string) *jsonschema.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var value *jsonschema.Schema
	switch {
	case t.Kind() == reflect.Interface:
		return &jsonschema.Schema{}
	case t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]():
		properties := make(map[string]*jsonschema.Schema)
		for _, f := range reflect.VisibleFields(t) {
			if name := jsonName(f); name != "" {
				properties[name] = described(m.expected(f.Type, path+"."+name), m.Describe(t, f.Name))
			}
		}
		value = object(m.Describe(t, ""), properties)
		if path == "then" {
			return value
		}
	case t.Kind() == reflect.Slice:
		value = &jsonschema.Schema{Type: "array", Items: m.expected(t.Elem(), path+"[]")}
	case t.Kind() == reflect.Map:
		value = &jsonschema.Schema{Type: "object", AdditionalProperties: m.expected(t.Elem(), path+".*")}
	default:
		value = m.scalar(t, path)
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{value, {Ref: "#/$defs/matchers"}, {Type: "null"}}}
}

// scalar is the schema of a single value: of one of the words that are known there.
func (m schemaMaker) scalar(t reflect.Type, path string) *jsonschema.Schema {
	if words := m.Words[path]; len(words) > 0 {
		s := &jsonschema.Schema{Enum: []any{""}}
		for _, w := range slices.Sorted(slices.Values(words)) {
			s.Enum = append(s.Enum, w)
		}
		if strings.HasPrefix(path, "when") { // a scenario may do something wrong on purpose; editors complete the words
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "string"}}}
		}
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float32, reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	default:
		return &jsonschema.Schema{}
	}
}

func described(s *jsonschema.Schema, about string) *jsonschema.Schema {
	if about != "" {
		s.Description = about
	}
	return s
}

// yamlName is the key of a field in YAML: that of its tag, or the name in small letters.
func yamlName(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if f.Anonymous || !f.IsExported() || tag == "-" {
		return ""
	}
	if tag == "" {
		return strings.ToLower(f.Name)
	}
	return tag
}
