package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// settings are the flags.
type settings struct {
	dir, list string
	only      *regexp.Regexp
	verbose   bool
	runner    runner
}

func flags(args []string, stderr io.Writer) (settings, error) {
	s := settings{}
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.dir, "dir", ".", "root `folder` of the module")
	f.StringVar(&s.list, "list", "internal/mutate/violations.txt", "`file` with the violations, from the root")
	f.BoolVar(&s.verbose, "v", false, "show the whole output of the tests that tell too little")
	f.IntVar(&s.runner.jobs, "jobs", 2, "how many to try at a time, 1 or more")
	f.DurationVar(&s.runner.timeout, "timeout", time.Minute, "of the tests of one violation")
	only := f.String("run", "", "try only the violations whose title matches the `regexp`")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if s.runner.jobs < 1 || s.runner.timeout <= 0 || f.NArg() > 0 {
		return s, errors.New("jobs and timeout must be positive, and there are no arguments besides the flags")
	}
	var err error
	s.only, err = regexp.Compile(*only)
	return s, err
}

// run is main without the process. It returns the exit status.
func run(ctx context.Context, args []string, out, stderr io.Writer) int {
	s, err := flags(args, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "mutate:", err)
		return 2
	}
	list, err := s.violations()
	if err != nil {
		fmt.Fprintf(stderr, "mutate: %s:\n%v\n", s.list, err)
		return 2
	}
	missed, err := s.try(ctx, list, out)
	if err != nil {
		fmt.Fprintln(stderr, "mutate:", err)
		return 2
	}
	fmt.Fprintf(out, "%d of %d caught\n", len(list)-missed, len(list))
	if missed > 0 {
		return 1
	}
	return 0
}

// violations reads the list and leaves what only asks for.
func (s *settings) violations() ([]violation, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(s.list)))
	if err != nil {
		return nil, err
	}
	all, err := parse(string(text))
	if err != nil {
		return nil, err
	}
	var list []violation
	for _, v := range all {
		if s.only.MatchString(v.title) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("none of %d violations matches %q", len(all), s.only)
	}
	return list, nil
}

// try prints a line for each violation and counts those that are not caught.
func (s *settings) try(ctx context.Context, list []violation, out io.Writer) (missed int, err error) {
	r := s.runner
	if r.dir, err = filepath.Abs(s.dir); err != nil {
		return 0, err
	}
	if r.scratch, err = os.MkdirTemp("", "mutate"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.scratch)) }()
	_, err = r.try(ctx, list, func(v violation, f finding) {
		fmt.Fprintf(out, "%-18s %s\n", f.verdict, v.title)
		if f.verdict == caught {
			return
		}
		missed++
		fmt.Fprint(out, indent(f.detail, s.verbose))
	})
	return missed, err
}

// detailLines is how much of a detail is shown without -v.
const detailLines = 8

// indent prepares a detail for printing below its verdict.
func indent(detail string, whole bool) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(detail), "\n") {
		if i == detailLines && !whole {
			b.WriteString("    … (-v shows the rest)\n")
			break
		}
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}
