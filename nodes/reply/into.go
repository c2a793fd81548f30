package reply

import (
	"encoding/json"
	"errors"
	"reflect"
)

// Into reads the object that [Object] would find and decodes it into target, a pointer to a struct, as encoding/json
// does. What the field's type makes unambiguous is put right first: "0.8" or "80%" for a number, "yes" for a bool, 1.0
// for an integer, 7 for a string, a single value where a list is due. Null for one of the keys counts as missing.
//
// A reply without the object, or with a value of another type, gives a [*ParseError] and leaves target unchanged. A
// target that is no pointer gives a [*json.InvalidUnmarshalError].
func Into(raw string, target any, keys ...string) error {
	into := reflect.ValueOf(target)
	if into.Kind() != reflect.Pointer || into.IsNil() {
		return &json.InvalidUnmarshalError{Type: reflect.TypeOf(target)}
	}
	v, err := object(raw, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if f, _ := v.last(key); f.kind == kindNull {
			return parseError(faultf("%s is null", key), raw)
		}
	}
	fresh := reflect.New(into.Type().Elem())
	fresh.Elem().Set(into.Elem())
	if err := decode(shaped(v, fresh.Type()), fresh.Interface()); err != nil {
		return parseError(err, raw)
	}
	into.Elem().Set(fresh.Elem())
	return nil
}

// decode goes through encoding/json, and words its errors for the model.
func decode(v value, target any) error {
	tree, err := v.any()
	if err != nil {
		return err
	}
	text, err := encode(tree)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, target)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return faultf("%s is a JSON %s, and has to be %s", wrong.Field, wrong.Value, due(wrong.Type))
	}
	return err
}

// due names what a field of the type takes.
func due(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}
