package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Value is a setting as the program uses it, for doctor and for scenarios. It holds no secret.
type Value struct {
	// Name is the variable.
	Name string `json:"name"`
	// Value is the effective value; **** for a key that is set.
	Value string `json:"value"`
	// Source is where it came from: flag, environment, file:line or default.
	Source string `json:"source"`
	// Default is the value without any source; empty when there is none or when it depends on other variables.
	Default string `json:"default"`
	// Description says on one line what it is for and which values are allowed.
	Description string `json:"description"`
}

// Values are all settings, in the order of [Names]. The list is the caller's.
func (c Config) Values() []Value { return slices.Clone(c.values) }

// values describes checked variables.
func (v variables) values(given settings) []Value {
	list := make([]Value, len(known))
	fields := reflect.ValueOf(v)
	for i, k := range known {
		source := SourceDefault
		if s := given[k.name]; s.value != "" {
			source = s.source
		}
		list[i] = Value{
			Name: k.name, Value: k.shown(plain(fields.Field(i).Interface())), Source: source, Default: k.fallback,
			Description: k.help + " (" + k.allowed() + ")",
		}
	}
	return list
}

// plain writes a value as it is written in the environment.
func plain(value any) string {
	switch v := value.(type) {
	case toggle:
		if v {
			return "on"
		}
		return "off"
	case time.Duration:
		return short(v)
	case slog.Level:
		return strings.ToLower(v.String())
	}
	return fmt.Sprint(value)
}

// short is a duration without its empty end: 2h, not 2h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
