package reply

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

type kind uint8

const (
	kindNull   kind = iota
	kindBool        // text is "true" or "false"
	kindNumber      // text is a JSON number
	kindString      // text is what the quotes held
	kindBare        // text is a word without quotes that is none of the above
	kindList
	kindObject
)

// value is a piece of JSON as the model meant it, before anybody asks what type it should have.
type value struct {
	kind   kind
	text   string
	list   []value
	fields []field
}

// field is a member of an object, in the order of the reply; a key may come twice.
type field struct {
	key string
	val value
}

func (v value) composite() bool { return v.kind == kindList || v.kind == kindObject }

// last is the value of a key; the last one counts, as in encoding/json.
func (v value) last(key string) (value, bool) {
	for i := len(v.fields) - 1; i >= 0; i-- {
		if v.fields[i].key == key {
			return v.fields[i].val, true
		}
	}
	return value{}, false
}

// jsonNumber takes a number as people and programs write it, also with a plus in front, without a digit before or behind
// the point, or with leading zeros, and spells it as JSON does.
func jsonNumber(s string) (string, bool) {
	sign, rest := "", s
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	whole, rest := digits(rest)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction, rest = digits(rest[1:])
	}
	if whole+fraction == "" || !isExponent(rest) {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + rest, true
}

// digits cuts a text behind the digits at its start.
func digits(s string) (head, tail string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// isExponent reports whether a text may stand behind the digits of a number.
func isExponent(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	head, tail := digits(s)
	return head != "" && tail == ""
}

// word makes a value of a word without quotes.
func word(s string) value {
	if n, ok := jsonNumber(s); ok {
		return value{kind: kindNumber, text: n}
	}
	switch s {
	case "true", "True", "TRUE":
		return value{kind: kindBool, text: "true"}
	case "false", "False", "FALSE":
		return value{kind: kindBool, text: "false"}
	case "null", "Null", "NULL", "None", "nil", "undefined":
		return value{kind: kindNull}
	}
	return value{kind: kindBare, text: s}
}

// name is a word that may stand for a string although its quotes are missing.
var name = regexp.MustCompile(`^[\pL_][\pL\pN_.-]*$`)

// any turns a value into what encoding/json decodes to, with json.Number for numbers.
func (v value) any() (any, error) {
	switch v.kind {
	case kindNull:
		return nil, nil
	case kindBool:
		return v.text == "true", nil
	case kindNumber:
		return json.Number(v.text), nil
	case kindString:
		return v.text, nil
	case kindBare:
		if notANumber(v.text) || !name.MatchString(v.text) {
			return nil, faultf("%s is no JSON value", brief(v.text))
		}
		return v.text, nil
	case kindList:
		return v.anyList()
	}
	return v.anyObject()
}

func (v value) anyList() (any, error) {
	out := make([]any, len(v.list))
	for i, e := range v.list {
		var err error
		if out[i], err = e.any(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v value) anyObject() (any, error) {
	out := make(map[string]any, len(v.fields))
	for _, f := range v.fields {
		var err error
		if out[f.key], err = f.val.any(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// encode writes JSON without escaping <, > and &, which appear in questions.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// floats replaces every json.Number by its float64.
func floats(v any) (any, error) {
	var err error
	switch t := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(t.String(), 64)
		if err != nil {
			return nil, faultf("the number %s is too large", brief(t.String()))
		}
		return f, nil
	case []any:
		for i := range t {
			if t[i], err = floats(t[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range t {
			if t[k], err = floats(t[k]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
