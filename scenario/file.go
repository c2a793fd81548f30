package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Scenario is one document of a scenario file. G and W are the subject's Given and When.
type Scenario[G, W any] struct {
	File   string // path as given, slashes of the system
	Line   int    // of the document's first key
	Name   string // the claim
	Guards string // the defect that it keeps away
	Given  G
	Turns  []Turn[W]

	body ast.Node
	text fileText
	nth  int // of the file, from 0
}

// Turn is one action and what must be seen after it.
type Turn[W any] struct {
	When W
	then ast.Node
}

// ErrNoFiles reports a path that holds no scenario file.
var ErrNoFiles = errors.New("no scenario files (*.yaml, *.yml) found")

// Load reads files, and folders recursively, in order of their names. O is the type of what the subject observes; the
// expectations are checked against it. All faults are returned together, each with its file, line, column and an excerpt.
func Load[G, W, O any](paths ...string) ([]Scenario[G, W], error) {
	var all []Scenario[G, W]
	var faults []error
	files, err := findAll(paths)
	if err != nil {
		faults = append(faults, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		some, err := Parse[G, W, O](file, data)
		if err != nil {
			faults = append(faults, err)
		}
		all = append(all, some...)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return all, nil
}

// fileText is the text of a file. It is shared and never written.
type fileText struct {
	bytes []byte
	lines []byte // with \n for line breaks
}

func lineBreaks(data []byte) fileText {
	data = bytes.Clone(data)
	return fileText{data, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))}
}

// with is the file with other lines and its own line breaks; ok is false when it mixes two kinds of them.
func (t fileText) with(lines []byte) (data []byte, ok bool) {
	windows := bytes.Count(t.bytes, []byte("\r\n"))
	switch windows {
	case 0:
		return lines, true
	case bytes.Count(t.bytes, []byte("\n")):
		return bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n")), true
	default:
		return nil, false
	}
}

// findAll are the files of several paths, each once. The error joins those of the paths that have none.
func findAll(paths []string) (files []string, err error) {
	seen := make(map[string]bool)
	for _, path := range paths {
		some, failure := find(path)
		err = errors.Join(err, failure)
		for _, file := range some {
			if !seen[filepath.Clean(file)] {
				seen[filepath.Clean(file)] = true
				files = append(files, file)
			}
		}
	}
	return files, err
}

func find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("scenario path: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(p)) {
			files = append(files, p)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: %w", path, ErrNoFiles)
	}
	return files, err
}

// document is the form of a scenario in YAML.
type document[G, W any] struct {
	Scenario string     `yaml:"scenario"`
	Guards   string     `yaml:"guards"`
	Given    G          `yaml:"given"`
	Turns    []stage[W] `yaml:"turns"`
}

type stage[W any] struct {
	When W        `yaml:"when"`
	Then ast.Node `yaml:"then"`
}

// Parse reads the scenarios of one file; see Load.
func Parse[G, W, O any](name string, data []byte) ([]Scenario[G, W], error) {
	text := lineBreaks(data)
	file, err := parser.ParseBytes(text.lines, 0)
	if err != nil {
		return nil, located(name, err)
	}
	var all []Scenario[G, W]
	var faults []error
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		var d document[G, W]
		if err := decode(doc.Body, &d); err != nil {
			faults = append(faults, located(name, err))
			continue
		}
		s := Scenario[G, W]{File: name, Line: line(doc.Body), Name: d.Scenario, Guards: d.Guards, Given: d.Given, body: doc.Body, text: text, nth: len(all)}
		faults = append(faults, missing(name, doc.Body, d.Scenario, d.Guards, len(d.Turns))...)
		for _, stage := range d.Turns {
			if err := validate(stage.Then, reflect.TypeFor[O]()); err != nil {
				faults = append(faults, located(name, err))
			}
			s.Turns = append(s.Turns, Turn[W]{When: stage.When, then: stage.Then})
		}
		all = append(all, s)
	}
	return all, errors.Join(faults...)
}

// decode reads a document strictly. The YAML reader panics on some input that is no valid document (an empty value
// behind a tag); that is a fault of the file too.
func decode(body ast.Node, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fault{body, fmt.Sprintf("this document cannot be read (%v)", p)}
		}
	}()
	return yaml.NodeToValue(body, into, yaml.Strict())
}

// missing reports what every scenario must say.
func missing(file string, body ast.Node, name, guards string, turns int) []error {
	var faults []error
	for _, m := range []struct {
		absent bool
		what   string
	}{{name == "", "scenario: the claim, in a sentence"}, {guards == "", "guards: the defect that it keeps away"}, {turns == 0, "turns: at least one"}} {
		if m.absent {
			faults = append(faults, located(file, &fault{node: body, text: "missing key " + m.what}))
		}
	}
	return faults
}

func line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}
