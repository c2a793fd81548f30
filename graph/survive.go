package graph

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// checkTypes refuses states, updates and arguments that JSON would not bring back.
func (g *Graph[S, U]) checkTypes() []error {
	w := typeWalk{seen: map[reflect.Type]bool{}}
	w.walk("state "+reflect.TypeFor[S]().String(), reflect.TypeFor[S]())
	w.walk("update "+reflect.TypeFor[U]().String(), reflect.TypeFor[U]())
	for i := range g.nodes {
		if arg := g.nodes[i].arg; arg != nil {
			w.walk("argument of "+g.nodes[i].ref.name, arg)
		}
	}
	return w.mistakes
}

// MarshalJSON writes the value alone.
func (s Simple[T]) MarshalJSON() ([]byte, error) { return json.Marshal(s.Value) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Simple[T]) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &s.Value) }

func (Simple[T]) setElem() reflect.Type { return reflect.TypeFor[T]() }

// elementer is a type of this package that encodes what it holds.
type elementer interface{ setElem() reflect.Type }

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	emptyInterface  = reflect.TypeFor[any]()
)

type typeWalk struct {
	seen     map[reflect.Type]bool // being walked, or without mistakes
	mistakes []error
}

func (w *typeWalk) refuse(path, why string) {
	w.mistakes = append(w.mistakes, fmt.Errorf("%w: %s: %s", ErrCodec, path, why))
}

func (w *typeWalk) walk(path string, t reflect.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	before := len(w.mistakes)
	defer func() {
		if len(w.mistakes) > before {
			delete(w.seen, t) // report it again where it is met again
		}
	}()
	if e, ok := reflect.Zero(t).Interface().(elementer); ok && t.Kind() == reflect.Struct {
		w.walk(path, e.setElem())
		return
	}
	if encodesItself(t) {
		return
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128, reflect.Uintptr:
		w.refuse(path, "a "+t.Kind().String()+" cannot be encoded")
	case reflect.Interface:
		if t != emptyInterface {
			w.refuse(path, "the interface "+t.String()+" cannot be decoded")
		}
	case reflect.Map:
		w.key(path, t.Key())
		w.walk(path+"[]", t.Elem())
	case reflect.Slice, reflect.Array:
		w.walk(path+"[]", t.Elem())
	case reflect.Pointer:
		w.walk(path, t.Elem())
	case reflect.Struct:
		w.fields(path, t)
	default: // booleans, numbers, strings
	}
}

func (w *typeWalk) key(path string, t reflect.Type) {
	switch {
	case pair(t, textMarshaler, textUnmarshaler), t.Kind() == reflect.String, t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
	default:
		w.refuse(path, "map key "+t.String()+" is neither a string, an integer nor a text")
	}
}

func (w *typeWalk) fields(path string, t reflect.Type) {
	names := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		embedded := f.Anonymous && name == "" && isStruct(f.Type)
		switch {
		case f.Tag.Get("json") == "-":
			continue // left out on purpose
		case !f.IsExported() && !embedded:
			w.refuse(path+"."+f.Name, `the field is not exported and would be lost (tag it json:"-" if that is meant)`)
			continue
		}
		if !embedded {
			if name == "" {
				name = f.Name
			}
			if other, taken := names[name]; taken {
				w.refuse(path+"."+f.Name, "it has the JSON name of "+other+", and one of them would be lost")
			}
			names[name] = f.Name
		}
		w.walk(path+"."+f.Name, f.Type)
	}
}

func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// encodesItself says whether a type brings both directions of an encoding.
func encodesItself(t reflect.Type) bool {
	return pair(t, jsonMarshaler, jsonUnmarshaler) || pair(t, textMarshaler, textUnmarshaler)
}

func pair(t, marshal, unmarshal reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshal) && p.Implements(unmarshal)
}
