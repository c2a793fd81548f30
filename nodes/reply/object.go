package reply

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Object reads the one JSON object of a reply that has all the keys. Numbers are float64, as in encoding/json. The
// object may stand in prose, in a fence, in a JSON string, in a list of one, or as the arguments of a tool call; a key
// may be spelled with other case and punctuation than asked for, and is given back as asked for. Members that were not
// asked for are kept. Of two members with one key the last counts.
//
// A reply without such an object, with several that differ, with placeholders instead of values, or whose end is missing
// gives a [*ParseError].
func Object(raw string, keys ...string) (map[string]any, error) {
	v, err := object(raw, keys)
	if err != nil {
		return nil, err
	}
	m, err := v.any()
	if err == nil {
		m, err = floats(m)
	}
	if err != nil {
		return nil, parseError(err, raw)
	}
	return m.(map[string]any), nil
}

// object finds the object. Every error is a *ParseError.
func object(raw string, keys []string) (value, error) {
	body, err := content(raw)
	if err != nil {
		return value{}, parseError(err, raw)
	}
	v, err := objectIn(body, keys)
	for range maxEncodings {
		inner, ok := decoded(body)
		if err == nil || !ok {
			break
		}
		body = inner
		if again, inside := objectIn(body, keys); inside == nil {
			v, err = again, nil
		}
	}
	if err != nil {
		return value{}, parseError(err, raw)
	}
	return v, nil
}

// objectIn finds the object in a text without thinking.
func objectIn(s string, keys []string) (value, error) {
	groups, err := scan(s)
	if err != nil {
		return value{}, err
	}
	var fits []found[value]
	refused := error(fault("the reply holds no JSON object"))
	for i, g := range groups {
		if g.key != "" && !wrapperKeys[plain(g.key)] {
			continue
		}
		inside, err := withKeys(g.val, keys, 0)
		if err != nil {
			refused = err
		}
		for _, v := range inside {
			fits = append(fits, locate(s, groups, i, v, canonical(v)))
		}
	}
	if len(fits) == 0 {
		return value{}, refused
	}
	return choose(fits)
}

// withKeys are the objects with all the keys: v itself, or what its wrappers hold. The error is the reason why v has none.
func withKeys(v value, keys []string, wrappers int) ([]value, error) {
	none := fault("the reply holds no JSON object")
	switch {
	case wrappers > maxWrappers:
		return nil, none
	case v.kind == kindString:
		if inner, ok := whole(v.text); ok {
			return withKeys(inner, keys, wrappers+1)
		}
		return nil, none
	case v.kind == kindList:
		var out []value
		refused := error(none)
		for _, e := range v.list {
			inside, err := withKeys(e, keys, wrappers+1)
			if err != nil {
				refused = err
			}
			out = append(out, inside...)
		}
		return out, ifNone(out, refused)
	case v.kind != kindObject:
		return nil, none
	}
	named, missing := rename(v, keys)
	if len(missing) == 0 {
		if err := checkFilled(named, keys); err != nil {
			return nil, err
		}
		return []value{named}, nil
	}
	var out []value
	for _, f := range v.fields {
		if wrapperKeys[plain(f.key)] {
			inside, _ := withKeys(f.val, keys, wrappers+1) // that v has not all keys says more than what its members lack
			out = append(out, inside...)
		}
	}
	return out, ifNone(out, faultf("the JSON object has no %s", strings.Join(missing, ", ")))
}

func ifNone(found []value, err error) error {
	if len(found) > 0 {
		return nil
	}
	return err
}

// rename gives the members the names that were asked for, and returns the keys that are missing.
func rename(v value, keys []string) (named value, missing []string) {
	named = value{kind: kindObject, fields: slices.Clone(v.fields)}
	for _, key := range keys {
		if _, ok := v.last(key); ok {
			continue
		}
		var like []int
		for i, f := range v.fields {
			if plain(f.key) == plain(key) && !slices.Contains(keys, f.key) {
				like = append(like, i)
			}
		}
		if len(like) != 1 {
			missing = append(missing, key)
			continue
		}
		named.fields[like[0]].key = key
	}
	return named, missing
}

var (
	placeholder = regexp.MustCompile(`^(?:<[^<>]*>|\.\.\.|…|\[[^\[\]]*\.\.\.\])$`)
	typeName    = set("string", "str", "text", "number", "float", "integer", "int", "boolean", "bool", "array", "object", "list")
)

// checkFilled refuses an object that repeats the form instead of filling it in.
func checkFilled(v value, keys []string) error {
	types := 0
	for _, key := range keys {
		f, _ := v.last(key)
		switch {
		case (f.kind == kindString || f.kind == kindBare) && placeholder.MatchString(trim(f.text)):
			return faultf("%s holds the placeholder %s instead of a value", key, brief(f.text))
		case f.kind == kindString && typeName[strings.ToLower(f.text)]:
			types++
		case f.kind == kindObject:
			if t, ok := f.last("type"); ok && t.kind == kindString && typeName[t.text] {
				types++
			}
		}
	}
	if types > 0 && types == len(keys) {
		return fault("the reply repeats the schema instead of filling it in")
	}
	return nil
}

// canonical tells objects apart: 0.50 and 0.5 are one number.
func canonical(v value) string {
	tree, err := v.any()
	if err == nil {
		tree, err = floats(tree)
	}
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return fmt.Sprintf("%#v", tree)
}
