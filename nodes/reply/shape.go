package reply

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

var (
	jsonReader = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// shaped is the value as a field of type t takes it, where the type leaves no doubt about what was meant. What does not
// fit stays as it is, and decoding reports it.
func shaped(v value, t reflect.Type) value {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pt := reflect.PointerTo(t); v.kind == kindNull || pt.Implements(jsonReader) || pt.Implements(textReader) {
		return v
	}
	switch t.Kind() {
	case reflect.Struct:
		return shapedFields(v, t)
	case reflect.Map:
		fields := make([]field, len(v.fields))
		for i, f := range v.fields {
			fields[i] = field{f.key, shaped(f.val, t.Elem())}
		}
		v.fields = fields
		return v
	case reflect.Slice, reflect.Array:
		return shapedList(v, t.Elem())
	case reflect.Bool:
		return shapedBool(v)
	case reflect.String:
		if v.kind == kindNumber || v.kind == kindBare {
			v.kind = kindString
		}
		return v
	case reflect.Float32, reflect.Float64:
		return shapedFloat(v)
	case reflect.Interface:
		return v
	}
	return shapedInt(v)
}

func shapedFields(v value, t reflect.Type) value {
	fields := make([]field, len(v.fields))
	copy(fields, v.fields)
	for _, sf := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if key == "" {
			key = sf.Name
		}
		if !sf.IsExported() || key == "-" || sf.Anonymous {
			continue
		}
		for i, f := range fields {
			if strings.EqualFold(f.key, key) {
				fields[i].val = shaped(v.fields[i].val, sf.Type)
			}
		}
	}
	v.fields = fields
	return v
}

func shapedList(v value, elem reflect.Type) value {
	list := v.list
	if v.kind != kindList {
		if elem.Kind() == reflect.Uint8 || v.kind == kindString && v.text == "" {
			return v
		}
		list = []value{v}
	}
	out := value{kind: kindList, list: make([]value, len(list))}
	for i, e := range list {
		out.list[i] = shaped(e, elem)
	}
	return out
}

func shapedBool(v value) value {
	if v.kind != kindString && v.kind != kindBare {
		return v
	}
	switch strings.ToLower(trim(v.text)) {
	case "true", "yes":
		return value{kind: kindBool, text: "true"}
	case "false", "no":
		return value{kind: kindBool, text: "false"}
	}
	return v
}

// shapedFloat reads a number in quotes, also one in percent.
func shapedFloat(v value) value {
	if v.kind != kindString && v.kind != kindBare {
		return v
	}
	s := foldString(trim(v.text))
	if n, ok := jsonNumber(s); ok {
		return value{kind: kindNumber, text: n}
	}
	if m := percentage.FindStringSubmatch(s); m != nil {
		if f, _, err := percent(s, m[1]); err == nil {
			return value{kind: kindNumber, text: strconv.FormatFloat(f, 'g', -1, 64)}
		}
	}
	return v
}

// shapedInt reads a whole number that is in quotes or written as a float.
func shapedInt(v value) value {
	n, ok := v.text, v.kind == kindNumber
	if v.kind == kindString || v.kind == kindBare {
		n, ok = jsonNumber(foldString(trim(v.text)))
	}
	if !ok {
		return v
	}
	if f, err := strconv.ParseFloat(n, 64); strings.ContainsAny(n, ".eE") && err == nil && f == float64(int64(f)) {
		n = strconv.FormatInt(int64(f), 10)
	}
	return value{kind: kindNumber, text: n}
}
