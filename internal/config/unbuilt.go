package config

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// unbuilt is a variable of a stage that is planned and not built. It is refused when it asks for something: a person who
// sets it must not believe that it works.
type unbuilt struct {
	name     string   // what it would configure
	fine     []string // values that ask for nothing: off, or the documented default
	isSecret bool
}

// later are the variables of the stages to come, without the prefix.
var later = map[string]unbuilt{
	"DATABASE_URL": {name: "a database server", isSecret: true},
}

func unbuiltFeature(name string) (unbuilt, bool) {
	name = strings.TrimPrefix(name, prefix)
	u, ok := later[name]
	return u, ok
}

// harmless reports whether a value asks for nothing.
func (u unbuilt) harmless(value string) bool {
	return value == "" || slices.ContainsFunc(u.fine, func(fine string) bool { return same(fine, value) })
}

// same compares values as words, numbers or durations.
func same(a, b string) bool {
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		y, err := strconv.ParseFloat(b, 64)
		return err == nil && x == y
	}
	if x, err := time.ParseDuration(a); err == nil {
		y, err := time.ParseDuration(b)
		return err == nil && x == y
	}
	return strings.EqualFold(a, b)
}

// shown is a value as people may see it.
func (u unbuilt) shown(value string) string {
	if u.isSecret && value != "" {
		return hidden
	}
	return display(value)
}
