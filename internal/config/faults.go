package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Fault is one thing that is wrong with the settings.
type Fault struct {
	// Name is the variable.
	Name string
	// Value is what was given, without what must stay secret; empty when nothing was, or when it cannot be shown.
	Value string
	// Source is where it was given: flag, environment, file:line or default.
	Source string
	// Reason says what is wrong and which values are right.
	Reason string
}

// String is the fault on one line.
func (f Fault) String() string {
	name := f.Name
	if f.Value != "" {
		name += "=" + f.Value
	}
	return fmt.Sprintf("%s: %s (%s)", name, f.Reason, f.Source)
}

// FaultsError reports all faults of the settings. Its message has a line for each.
type FaultsError struct {
	// Faults is never empty. Variables that do not exist come first, then the others in the order of [Names].
	Faults []Fault
}

// Error lists the faults.
func (e *FaultsError) Error() string {
	lines := make([]string, 0, len(e.Faults)+1)
	lines = append(lines, "the settings cannot be used:")
	for _, f := range e.Faults {
		lines = append(lines, "  "+f.String())
	}
	return strings.Join(lines, "\n")
}

// hidden stands for a secret.
const hidden = "****"

// userInfo is the user and password of an address.
var userInfo = regexp.MustCompile(`(//)[^/?#]*@`)

// shown is a value as people may see it: on one line, not too long, without secrets.
func (v variable) shown(value string) string {
	if v.secret() && value != "" {
		return hidden
	}
	return display(value)
}

// maxShown is how many runes of a value are shown.
const maxShown = 120

func display(value string) string {
	value = userInfo.ReplaceAllString(value, "${1}"+hidden+"@")
	value = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7F {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(value, "\uFFFD"))
	if runes := []rune(value); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return value
}
