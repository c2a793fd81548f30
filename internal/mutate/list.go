package main

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// A violation is one planted mistake.
type violation struct {
	line  int // of its title in the list
	title string
	tests []test
	edits []edit
	hangs bool // a test that runs into the timeout counts as failed
	race  bool
}

// A test that has to fail.
type test struct {
	pkg  string // folder, from the root of the module
	name string // with its subtests behind slashes
}

func (t test) String() string { return t.pkg + " " + t.name }

// parse reads a list. It reports all mistakes at once.
func parse(text string) ([]violation, error) {
	p := parser{}
	for i, line := range strings.Split(text, "\n") {
		p.line(i+1, strings.TrimSuffix(line, "\r"))
	}
	p.end()
	return p.done, errors.Join(p.mistakes...)
}

// A parser reads a list line by line.
type parser struct {
	done     []violation
	open     *violation
	edit     *edit // of the open violation
	blank    int   // empty lines that may belong to the edit
	mistakes []error
}

func (p *parser) mistake(n int, format string, args ...any) {
	p.mistakes = append(p.mistakes, fmt.Errorf("line %d: "+format, append([]any{n}, args...)...))
}

func (p *parser) line(n int, line string) {
	title, isTitle := strings.CutPrefix(line, "## ")
	switch {
	case isTitle:
		p.end()
		p.open = &violation{line: n, title: strings.TrimSpace(title)}
	case line == "":
		p.blank++
	case p.edit != nil && strings.ContainsRune("-+ ", rune(line[0])):
		for ; p.blank > 0 && len(p.edit.lines) > 0; p.blank-- {
			p.edit.add(' ', "")
		}
		p.edit.add(line[0], line[1:])
	case strings.HasPrefix(line, "#"):
	case p.open == nil:
		p.mistake(n, "%q before the first title", line)
	default:
		p.field(n, line)
	}
	if line != "" {
		p.blank = 0
	}
}

// field reads a "key: value" line of the open violation.
func (p *parser) field(n int, line string) {
	key, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case ok && key == "test":
		pkg, name, ok := strings.Cut(value, " ")
		if !ok || !inside(pkg) {
			p.mistake(n, "want \"test: folder TestName\", got %q", line)
			return
		}
		p.open.tests = append(p.open.tests, test{path.Clean(pkg), strings.ReplaceAll(strings.TrimSpace(name), " ", "_")})
	case ok && key == "file" && inside(value):
		p.open.edits = append(p.open.edits, edit{line: n, file: path.Clean(value)})
		p.edit = &p.open.edits[len(p.open.edits)-1]
	case ok && key == "hang" && value == "caught":
		p.open.hangs = true
	case ok && key == "race" && value == "on":
		p.open.race = true
	default:
		p.mistake(n, "cannot read %q", line)
	}
}

// inside reports whether a slash-separated path stays in the module.
func inside(name string) bool {
	clean := path.Clean(name)
	return name != "" && !path.IsAbs(name) && clean != ".." && !strings.HasPrefix(clean, "../") && !strings.Contains(name, `\`)
}

// end closes the open violation.
func (p *parser) end() {
	v := p.open
	p.open, p.edit, p.blank = nil, nil, 0
	if v == nil {
		return
	}
	if v.title == "" || len(v.tests) == 0 || len(v.edits) == 0 {
		p.mistake(v.line, "%q needs a title, a test and a file", v.title)
	}
	for i := range v.edits {
		if err := v.edits[i].check(); err != nil {
			p.mistake(v.edits[i].line, "%w", err)
		}
	}
	for _, other := range p.done {
		if other.title == v.title {
			p.mistake(v.line, "%q has this title already, in line %d", v.title, other.line)
		}
	}
	p.done = append(p.done, *v)
}
