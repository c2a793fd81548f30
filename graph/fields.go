package graph

import (
	"reflect"
	"slices"
)

// A plainField is a field of an update that replaces a value: a [Set] or a pointer. Two tasks of one step may not both set it.
type plainField struct {
	name  string
	index []int
	set   bool // a Set, whose first field says whether it is set; otherwise a pointer
}

// plainFields finds them in U and in the structs that U contains by value. It runs once, at Compile.
func plainFields(t reflect.Type) []plainField {
	var found []plainField
	if t.Kind() == reflect.Struct && !isSet(t) {
		collectFields(t, "", nil, &found)
	}
	return found
}

func collectFields(t reflect.Type, path string, index []int, found *[]plainField) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := slices.Concat(index, []int{i})
		switch {
		case !f.IsExported() && !f.Anonymous:
		case isSet(f.Type):
			*found = append(*found, plainField{path + f.Name, at, true})
		case f.Type.Kind() == reflect.Pointer:
			*found = append(*found, plainField{path + f.Name, at, false})
		case f.Type.Kind() == reflect.Struct:
			collectFields(f.Type, path+f.Name+".", at, found)
		}
	}
}

func isSet(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	_, ok := reflect.Zero(t).Interface().(interface{ isSet() })
	return ok
}

func (Set[T]) isSet() {}

// in says whether the update v sets the field.
func (f *plainField) in(v reflect.Value) bool {
	field := v.FieldByIndex(f.index)
	if f.set {
		return field.Field(0).Bool()
	}
	return !field.IsNil()
}

// conflict finds the first two tasks, in task order, that set the same value.
func (a *App[S, U]) conflict(tasks []Task, results []result[U], step int) *ConcurrentUpdateError {
	if a.replaces {
		return a.conflictOf("", tasks, results, step, func(*result[U]) bool { return true })
	}
	for i := range a.fields {
		f := &a.fields[i]
		c := a.conflictOf(f.name, tasks, results, step, func(r *result[U]) bool {
			return f.in(reflect.ValueOf(&r.update).Elem()) || slices.ContainsFunc(r.more, func(u U) bool {
				return f.in(reflect.ValueOf(&u).Elem())
			})
		})
		if c != nil {
			return c
		}
	}
	return nil
}

func (a *App[S, U]) conflictOf(field string, tasks []Task, results []result[U], step int, sets func(*result[U]) bool) *ConcurrentUpdateError {
	first := -1
	for i := range results {
		if !results[i].done || results[i].failed || !sets(&results[i]) {
			continue
		}
		if first >= 0 {
			return &ConcurrentUpdateError{Field: field, First: tasks[first].ID(), Second: tasks[i].ID(), Step: step}
		}
		first = i
	}
	return nil
}
