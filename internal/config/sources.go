package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Where a value can come from. A file is named with its line, like ".env:3".
const (
	SourceFlag        = "flag"
	SourceEnvironment = "environment"
	SourceDefault     = "default"
)

// setting is a value and where it came from.
type setting struct {
	value  string
	source string
}

// settings are values by the names of their variables.
type settings map[string]setting

// endToEnd is in front of the variables that tell the project's own end-to-end tests which servers to use.
const endToEnd = prefix + "E2E_"

// gather merges the sources and reports variables that nobody reads. Its error is that of a file.
func gather(opts Options) (settings, []Fault, error) {
	file, faults, err := readFile(opts.EnvFile)
	if err != nil {
		return nil, nil, err
	}
	given := settings{}
	maps.Copy(given, file)
	for _, pair := range opts.Environ {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, prefix) {
			given[name] = setting{strings.TrimSpace(value), SourceEnvironment}
		}
	}
	for name, value := range opts.Flags {
		given[name] = setting{strings.TrimSpace(value), SourceFlag}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		_, ours := lookup(name)
		if ours || strings.HasPrefix(name, endToEnd) {
			continue
		}
		faults = append(faults, foreign(name, given[name]))
	}
	return given, faults, nil
}

// foreign judges a variable that does not exist: a typing error.
func foreign(name string, s setting) Fault {
	reason := "there is no such setting"
	if near := nearest(name); near != "" {
		reason += "; did you mean " + near + "?"
	}
	return Fault{Name: name, Source: s.source, Reason: reason} // the value may be a misplaced key
}

// defaultFile is read when no file is named.
const defaultFile = ".env"

// readFile reads the variables of a file that are ours. No name means the default file, which need not exist.
func readFile(path string) (settings, []Fault, error) {
	named := path != ""
	if !named {
		path = defaultFile
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("the settings file cannot be read: %w", err)
	}
	return parseFile(path, text)
}
