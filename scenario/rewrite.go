package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
)

// A Rewrite is a file whose expectations are to become what was seen. Comments, the order of keys, what is expected
// already, and everything that is given or done stay as they are.
type Rewrite struct {
	File          string
	Before, After []byte
	Scenarios     []string // whose expectations change
}

// A Refusal is a failing scenario that cannot be rewritten.
type Refusal struct {
	File     string
	Line     int
	Scenario string
	Reason   error
}

// ErrChanged reports a file that was changed after it had been read.
var ErrChanged = errors.New("the file has changed since it was read")

// Rewrites are the changes that make the failing scenarios of a report pass; the scenarios and the report are those of
// one [Run]. Each changed scenario is run again, and is refused when it does not pass then: what it sees differs from run
// to run, or its form of YAML is not covered. So is one that could not be run to its end. Nothing is written; see
// [Rewrite.Write].
func Rewrites[G, W, O any](ctx context.Context, subject Subject[G, W, O], scenarios []Scenario[G, W], report Report, opts Options) ([]Rewrite, []Refusal, error) {
	if len(scenarios) != len(report.Results) {
		return nil, nil, errors.New("scenario: the report is one of other scenarios")
	}
	var rewrites []Rewrite
	var refusals []Refusal
	for first := 0; first < len(scenarios); {
		last := first
		for last < len(scenarios) && scenarios[last].File == scenarios[first].File {
			last++
		}
		r := rewriter[G, W, O]{scenarios: scenarios[first:last], results: report.Results[first:last], refused: map[int]error{}}
		after, err := r.settle(ctx, subject, opts)
		if err != nil {
			return nil, nil, err
		}
		if len(after.Scenarios) > 0 {
			rewrites = append(rewrites, after)
		}
		refusals = append(refusals, r.refusals()...)
		first = last
	}
	return rewrites, refusals, nil
}

// rewriter rewrites one file.
type rewriter[G, W, O any] struct {
	scenarios []Scenario[G, W]
	results   []Result
	refused   map[int]error
}

// settle leaves out what does not pass after the change, until the rest does.
func (r *rewriter[G, W, O]) settle(ctx context.Context, subject Subject[G, W, O], opts Options) (Rewrite, error) {
	for {
		after, changed, err := r.change()
		if err != nil || len(changed) == 0 {
			return after, err
		}
		failed, err := r.check(ctx, subject, opts, after, changed)
		if err != nil {
			return after, err
		}
		if !failed {
			return after, nil
		}
	}
}

// change makes the edits of all scenarios that are not refused.
func (r *rewriter[G, W, O]) change() (Rewrite, []int, error) {
	text := r.scenarios[0].text
	out := Rewrite{File: r.scenarios[0].File, Before: text.bytes, After: text.bytes}
	src := newSource(text.lines)
	var all []edit
	var changed []int
	for i, result := range r.results {
		if result.Passed || r.refused[i] != nil {
			continue
		}
		edits, err := r.edits(src, i)
		if err != nil {
			r.refused[i] = err
			continue
		}
		all, changed = append(all, edits...), append(changed, i)
		out.Scenarios = append(out.Scenarios, result.Scenario)
	}
	lines, err := apply(text.lines, all)
	if err != nil {
		return out, nil, err
	}
	var ok bool
	if out.After, ok = text.with(lines); !ok {
		err = fmt.Errorf("%s mixes the line breaks of two systems", out.File)
	}
	return out, changed, err
}

func (r *rewriter[G, W, O]) edits(src *source, i int) ([]edit, error) {
	if r.results[i].Error != "" {
		return nil, errors.New("it could not be run to its end: " + firstLine(r.results[i].Error))
	}
	var all []edit
	for t, turn := range r.scenarios[i].Turns {
		if turn.then == nil {
			continue
		}
		some, err := src.edits(turn.then, r.results[i].seen[t].got)
		if err != nil {
			return nil, fmt.Errorf("turns[%d].then: %w", t, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// check reads and runs what was changed; it refuses what does not pass.
func (r *rewriter[G, W, O]) check(ctx context.Context, subject Subject[G, W, O], opts Options, after Rewrite, changed []int) (failed bool, err error) {
	before, err := Parse[G, W, O](after.File, after.Before)
	if err != nil {
		return false, err
	}
	list, err := Parse[G, W, O](after.File, after.After)
	if err != nil || !slices.EqualFunc(before, list, alike) {
		for _, i := range changed {
			r.refused[i] = errPlace
		}
		return true, nil
	}
	var again []Scenario[G, W]
	for _, i := range changed {
		again = append(again, list[r.scenarios[i].nth])
	}
	report := Run(ctx, subject, again, opts)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	for k, i := range changed {
		if !report.Results[k].Passed {
			r.refused[i] = errors.New("what it sees differs from run to run")
			failed = true
		}
	}
	return failed, nil
}

// alike says whether two scenarios differ in nothing but what they expect.
func alike[G, W any](a, b Scenario[G, W]) bool {
	return a.Name == b.Name && a.Guards == b.Guards && reflect.DeepEqual(a.Given, b.Given) &&
		slices.EqualFunc(a.Turns, b.Turns, func(x, y Turn[W]) bool { return reflect.DeepEqual(x.When, y.When) })
}

func (r *rewriter[G, W, O]) refusals() []Refusal {
	var list []Refusal
	for i, s := range r.scenarios {
		if err := r.refused[i]; err != nil {
			list = append(list, Refusal{File: s.File, Line: s.Line, Scenario: s.Name, Reason: err})
		}
	}
	return list
}

// Diff shows the change as a unified diff.
func (r Rewrite) Diff() []byte { return diff.Diff(r.File, r.Before, r.File+" (as seen)", r.After) }

// Write writes the file. It returns [ErrChanged] when the file does not hold what was read.
func (r Rewrite) Write() error {
	now, err := os.ReadFile(r.File)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, r.Before) {
		return fmt.Errorf("%s: %w", r.File, ErrChanged)
	}
	path, err := filepath.EvalSymlinks(r.File)
	if err != nil {
		return err
	}
	return replaceFile(path, r.After)
}

// replaceFile changes a file in one go: whoever reads it sees the old text or the new one.
func replaceFile(path string, text []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".scenario-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Chmod(f.Name(), info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
