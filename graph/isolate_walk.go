package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// room is how many elements fit behind each slice of an isolated state: more than most updates append.
const room = 16

// makeRoom replaces every slice that p can reach through exported fields by a copy with room behind it. The room holds
// values that nobody would write by chance, so that appending a zero is seen, too.
func makeRoom(p any) { roomIn(reflect.ValueOf(p).Elem()) }

func roomIn(v reflect.Value) {
	switch {
	case opaque(v.Type()):
	case v.Kind() == reflect.Pointer && !v.IsNil():
		roomIn(v.Elem())
	case v.Kind() == reflect.Interface && !v.IsNil():
		v.Set(roomFor(v.Elem()))
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, roomFor(v.MapIndex(key)))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() || v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct {
				roomIn(f)
			}
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			roomIn(v.Index(i))
		}
	case v.Kind() == reflect.Slice && !v.IsNil():
		grown := reflect.MakeSlice(v.Type(), v.Len()+room, v.Len()+room)
		reflect.Copy(grown, v)
		for i := range grown.Len() {
			if i < v.Len() {
				roomIn(grown.Index(i))
			} else {
				mark(grown.Index(i))
			}
		}
		v.Set(grown.Slice(0, v.Len()))
	}
}

// roomFor is a copy of a value that cannot be changed in its place.
func roomFor(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	roomIn(c)
	return c
}

// mark gives v an unlikely value.
func mark(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(math.MinInt8 + 3)
	case v.CanUint():
		v.SetUint(math.MaxInt8 - 3)
	case v.CanFloat():
		v.SetFloat(-1.5e-30)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.String:
		v.SetString("\x00room")
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case v.Type() == emptyInterface:
		v.Set(reflect.ValueOf("\x00room"))
	case v.Kind() == reflect.Array && v.Len() > 0:
		mark(v.Index(0))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				mark(f)
			}
		}
	}
}

// differs is the path to the first difference between two states, room included; "" when there is none.
func differs[S any](a, b *S) string {
	return difference("", reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func difference(path string, a, b reflect.Value) string {
	here := path
	if here == "" {
		here = "the state"
	}
	switch {
	case opaque(a.Type()):
		if !sameJSON(a, b) {
			return here
		}
	case a.CanFloat():
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) {
			return here
		}
	case a.Kind() == reflect.Pointer, a.Kind() == reflect.Interface:
		if a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type() {
			if a.IsNil() != b.IsNil() || !a.IsNil() {
				return here
			}
			return ""
		}
		return difference(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Map:
		return mapDifference(path, here, a, b)
	case a.Kind() == reflect.Struct:
		return fieldDifference(path, a, b)
	case a.Kind() == reflect.Slice, a.Kind() == reflect.Array:
		return elementDifference(path, here, a, b)
	case a.Kind() == reflect.Func: // JSON leaves it out
	case !a.Equal(b):
		return here
	}
	return ""
}

func mapDifference(path, here string, a, b reflect.Value) string {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return here
	}
	for _, key := range a.MapKeys() {
		other := b.MapIndex(key)
		if !other.IsValid() {
			return here
		}
		if d := difference(fmt.Sprintf("%s[%v]", path, key), a.MapIndex(key), other); d != "" {
			return d
		}
	}
	return ""
}

func fieldDifference(path string, a, b reflect.Value) string {
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if !f.IsExported() && !f.Anonymous {
			continue
		}
		name := f.Name
		if path != "" {
			name = path + "." + name
		}
		if d := difference(name, a.Field(i), b.Field(i)); d != "" {
			return d
		}
	}
	return ""
}

// elementDifference compares slices up to what both have room for.
func elementDifference(path, here string, a, b reflect.Value) string {
	n := a.Len()
	if a.Kind() == reflect.Slice {
		if a.IsNil() != b.IsNil() || n != b.Len() {
			return here
		}
		room := min(a.Cap(), b.Cap())
		a, b = a.Slice(0, room), b.Slice(0, room)
	}
	for i := range a.Len() {
		if d := difference(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
			if i >= n {
				return here + " behind its last element, as a plain append does"
			}
			return d
		}
	}
	return ""
}

// opaque says whether a value of type t is looked at through its own encoding.
func opaque(t reflect.Type) bool {
	_, simple := reflect.Zero(t).Interface().(interface{ replacesWhole() })
	return t.Kind() != reflect.Slice && encodesItself(t) && !simple
}

func sameJSON(a, b reflect.Value) bool {
	first, err := json.Marshal(a.Interface())
	second, err2 := json.Marshal(b.Interface())
	return bytes.Equal(first, second) && (err == nil) == (err2 == nil)
}
