package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/state"
)

// parseUpdate reads FIELD=JSON pairs into an update, nil without any.
func parseUpdate(pairs []string) (*state.Update, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	var u state.Update
	fields := updateFields()
	var seen []string
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		index := slices.IndexFunc(fields, func(f updateField) bool { return f.name == name })
		switch {
		case !ok:
			return nil, fmt.Errorf("--set is FIELD=JSON, not %q", pair)
		case index < 0:
			return nil, unknownField(name, fields)
		case slices.Contains(seen, name):
			return nil, fmt.Errorf("--set %s is given twice", name)
		}
		seen = append(seen, name)
		if err := setField(reflect.ValueOf(&u).Elem().Field(fields[index].index), value); err != nil {
			return nil, fmt.Errorf("--set %s takes %s: %w", name, fields[index].kind, err)
		}
	}
	return &u, nil
}

// setField decodes a value, and nothing else, into a field.
func setField(field reflect.Value, value string) error {
	if !json.Valid([]byte(value)) {
		return fmt.Errorf("%s is not JSON; a text needs quotation marks, as in FIELD='\"text\"'", value)
	}
	dec := json.NewDecoder(strings.NewReader(value))
	dec.DisallowUnknownFields()
	err := dec.Decode(field.Addr().Interface())
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("it is a %s", wrong.Value)
	}
	return err
}

// updateField is a field that --set can set.
type updateField struct {
	name  string // in JSON
	kind  string // of its value, in words
	index int
}

// updateFields lists the fields of an update. Those that only the run itself may say are left out.
func updateFields() []updateField {
	var list []updateField
	t := reflect.TypeFor[state.Update]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "begin" || name == "node" {
			continue
		}
		list = append(list, updateField{name, kindOf(t.Field(i).Type), i})
	}
	return list
}

// kindOf is what JSON value a field takes.
func kindOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a number"
	}
}

func unknownField(name string, fields []updateField) error {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	hint := ""
	if n := near.Nearest(name, names, 2); n != "" {
		hint = fmt.Sprintf("; did you mean %s?", n)
	}
	return fmt.Errorf("--set: there is no field %q%s (fields: %s)", name, hint, strings.Join(names, ", "))
}
