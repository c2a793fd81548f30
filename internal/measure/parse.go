package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is cut off the package paths.
const module = "github.com/kbagent/kbagent"

// A result is what all runs of one benchmark have measured.
type result struct {
	pkg    string // from the root of the module
	name   string // without "Benchmark" and without the number of processors
	values map[string][]float64
}

// results is the output of `go test -bench`.
type results struct {
	machine []string // goos, goarch and cpu
	list    []*result
	failed  []string // lines that tell of a failure
}

// procs is the number of processors that `go test` adds to a name unless it is 1.
var procs = regexp.MustCompile(`-\d+$`)

var number = regexp.MustCompile(`^\d+$`)

// parse reads the output of `go test -bench`, of any number of packages and runs. Other lines are skipped.
func parse(r io.Reader) (*results, error) {
	res, pkg := &results{}, ""
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		line := scan.Text()
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "Benchmark"):
			if err := res.add(pkg, strings.Fields(line)); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		case key == "pkg":
			pkg = strings.TrimPrefix(strings.TrimPrefix(value, module), "/")
		case key == "goos" || key == "goarch" || key == "cpu":
			if !slices.Contains(res.machine, value) {
				res.machine = append(res.machine, value)
			}
		case strings.HasPrefix(strings.TrimSpace(line), "--- FAIL") || strings.HasPrefix(line, "FAIL"):
			res.failed = append(res.failed, strings.TrimSpace(line))
		}
	}
	res.cutProcs()
	return res, scan.Err()
}

// add takes the fields of one line: the name, how often it ran, and pairs of value and unit. A line without figures is
// that of a benchmark that has printed something or failed.
func (r *results) add(pkg string, fields []string) error {
	if len(fields) < 2 || !number.MatchString(fields[1]) {
		return nil
	}
	if len(fields) < 4 || len(fields)%2 != 0 {
		return fmt.Errorf("cut short: %q", strings.Join(fields, " "))
	}
	at := r.find(pkg, strings.TrimPrefix(fields[0], "Benchmark"))
	for i := 2; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return err
		}
		at.values[fields[i+1]] = append(at.values[fields[i+1]], v)
	}
	return nil
}

func (r *results) find(pkg, name string) *result {
	for _, b := range r.list {
		if b.pkg == pkg && b.name == name {
			return b
		}
	}
	b := &result{pkg, name, map[string][]float64{}}
	r.list = append(r.list, b)
	return b
}

// cutProcs cuts the number of processors off the names. It is one when all names of the package end in the same.
func (r *results) cutProcs() {
	suffixes := map[string]string{} // by package
	for _, b := range r.list {
		s := procs.FindString(b.name)
		if before, ok := suffixes[b.pkg]; ok && s != before {
			s = ""
		}
		suffixes[b.pkg] = s
	}
	for _, b := range r.list {
		b.name = strings.TrimSuffix(b.name, suffixes[b.pkg])
	}
}

// err is what is wrong with a run as a whole.
func (r *results) err() error {
	switch {
	case len(r.failed) > 0:
		return errors.New("benchmarks failed:\n" + strings.Join(r.failed, "\n"))
	case len(r.list) == 0:
		return errors.New("no benchmark has run")
	}
	return nil
}

// median is the middle of the values of a unit, 0 without any.
func (b *result) median(unit string) float64 {
	v := slices.Sorted(slices.Values(b.values[unit]))
	if len(v) == 0 {
		return 0
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// spread is half the distance between the least and the greatest value, as a share of the median.
func (b *result) spread(unit string) float64 {
	v, m := b.values[unit], b.median(unit)
	if m == 0 {
		return 0
	}
	return (slices.Max(v) - slices.Min(v)) / 2 / m
}

// group and sub cut a name in two at its last slash: workload and who does it.
func (b *result) group() string { return b.name[:max(0, strings.LastIndexByte(b.name, '/'))] }
func (b *result) sub() string   { return b.name[strings.LastIndexByte(b.name, '/')+1:] }
