package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// A Finding is what [Lint] has to say about a place of a file.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // from 1
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // see the constants
	Text     string   `json:"text"`
	Excerpt  string   `json:"excerpt,omitzero"` // the lines around the place, with a caret
}

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Err  Severity = "error"   // the scenario does not test what it says
	Warn Severity = "warning" // it may be meant
)

// The rules of [Lint]; they are stable names.
const (
	RuleRead        = "read"       // the file cannot be read: a mistake of YAML, an unknown key, a value of a wrong type
	RuleDuplicate   = "duplicate"  // two scenarios have one claim
	RuleNothing     = "nothing"    // nothing is expected, so nothing can fail
	RuleAlways      = "always"     // an expectation that cannot fail
	RuleNever       = "never"      // an expectation that cannot be met
	RuleWord        = "word"       // a name that the subject does not know
	RuleUnused      = "unused"     // something is given that nobody asks for
	RuleIdle        = "idle"       // a turn finds nothing to do: the run had ended before
	RuleNotPlayable = "unplayable" // the scenario cannot be run to its end
)

// Words is what a [Subject] may implement so that Lint and the schema know the words that may stand at a place. The keys
// are paths from the scenario's keys, with [] for the items of a list and without the numbers of turns: "given.model[].role",
// "when.mode", "then.path[]". Empty texts are always allowed.
type Words interface {
	Words() map[string][]string
}

// An UnusedError is what [Session.Close] may return for a script that was not used up: Lint shows the places.
type UnusedError struct {
	Paths []string // of what is left, like "given.model[2]"
	Text  string   // for people
}

// Error is the text.
func (e *UnusedError) Error() string { return e.Text }

// Lint reads files and folders and looks for mistakes that [Run] does not see. It runs each scenario to learn what of its
// script is used; whether the expectations are met does not matter. Findings are in the order of the files and their lines.
// The error is that of a path that cannot be read, or of ctx.
func Lint[G, W, O any](ctx context.Context, subject Subject[G, W, O], opts Options, paths ...string) ([]Finding, error) {
	l := linter[G, W, O]{subject: subject, seen: map[string]string{}}
	if w, ok := subject.(Words); ok {
		l.words = w.Words()
	}
	var all []Scenario[G, W]
	files, err := findAll(paths)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list, err := Parse[G, W, O](file, data)
		l.unreadable(Faults(err))
		all = append(all, list...)
	}
	for _, s := range all {
		l.static(s)
	}
	report := Run(ctx, subject, all, opts)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, s := range all {
		l.dynamic(s, report.Results[i])
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return l.findings, nil
}

// linter collects findings.
type linter[G, W, O any] struct {
	subject  Subject[G, W, O]
	words    map[string][]string
	seen     map[string]string // where a claim stands
	findings []Finding
}

func (l *linter[G, W, O]) unreadable(faults []*Fault) {
	for _, f := range faults {
		l.findings = append(l.findings, Finding{
			File: f.File, Line: f.Line, Column: f.Column, Severity: Err, Rule: RuleRead, Text: f.Text, Excerpt: f.Excerpt,
		})
	}
}

func (l *linter[G, W, O]) add(file string, at ast.Node, severity Severity, rule, format string, args ...any) {
	f := faultAt(file, fmt.Sprintf(format, args...), at.GetToken())
	l.findings = append(l.findings, Finding{
		File: file, Line: f.Line, Column: f.Column, Severity: severity, Rule: rule, Text: f.Text, Excerpt: f.Excerpt,
	})
}

// static looks at a scenario as it is written.
func (l *linter[G, W, O]) static(s Scenario[G, W]) {
	at := place(s.body, "scenario")
	if before, twice := l.seen[s.Name]; twice {
		l.add(s.File, at, Err, RuleDuplicate, "another scenario has this claim: %s", before)
	} else {
		l.seen[s.Name] = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	nothing := true
	for i, turn := range s.Turns {
		if turn.then == nil {
			continue
		}
		if list, ok := entries(turn.then); !ok || len(list) > 0 {
			nothing = false
		}
		l.expectation(s.File, turn.then, reflect.TypeFor[O]())
		l.known(s.File, turn.then, "then")
		if when := place(s.body, fmt.Sprintf("turns[%d].when", i)); when != nil {
			l.known(s.File, when, "when")
		}
	}
	if nothing {
		l.add(s.File, at, Err, RuleNothing, "no turn expects anything: this scenario cannot fail")
	}
	if given := place(s.body, "given"); given != s.body {
		l.known(s.File, given, "given")
	}
}

// dynamic looks at what a run of the scenario did.
func (l *linter[G, W, O]) dynamic(s Scenario[G, W], r Result) {
	var unused *UnusedError
	switch {
	case errors.As(r.err, &unused):
		for _, path := range unused.Paths {
			l.add(s.File, place(s.body, path), Err, RuleUnused, "nobody asks for this")
		}
	case r.err != nil:
		l.add(s.File, place(s.body, "scenario"), Err, RuleNotPlayable, "it cannot be run to its end: %s", firstLine(r.Error))
	}
	for i, seen := range r.seen {
		if seen.idle {
			l.add(s.File, place(s.body, fmt.Sprintf("turns[%d].when", i)), Err, RuleIdle, "this turn finds nothing to do: the run has ended before")
		}
	}
}
