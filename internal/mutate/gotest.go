package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// A goTest is one call of `go test` on one package.
type goTest struct {
	dir     string // root of the module
	pkg     string
	names   []string
	overlay string // file for -overlay; "" = none
	race    bool
	timeout time.Duration
}

// An outcome is what `go test` has said.
type outcome struct {
	built  bool
	hung   bool              // ran into the timeout
	ends   map[string]string // by test: "pass", "fail", "skip"; "died" when the process ended in it
	output string
}

// event is a line of `go test -json`.
type event struct {
	Action, Test, Output string
}

// run calls `go test` and waits for it. It fails only when that says nothing that can be read.
func (g *goTest) run(ctx context.Context) (outcome, error) {
	cmd := exec.CommandContext(ctx, "go", g.args()...)
	cmd.Dir = g.dir
	if g.race {
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return outcome{}, context.Cause(ctx)
	case err != nil && !errors.As(err, &exit):
		return outcome{}, err
	}
	o, readErr := readEvents(out.Bytes())
	if readErr != nil || len(o.ends) == 0 && o.built {
		return o, fmt.Errorf("go %s: no test has run: %w\n%s%s", strings.Join(g.args(), " "), errors.Join(err, readErr), o.output, stderr.String())
	}
	return o, nil
}

func (g *goTest) args() []string {
	args := []string{"test", "-json", "-count=1", "-vet=off", "-gcflags=-N -l", "-timeout", g.timeout.String(), "-run", pattern(g.names)}
	if g.overlay != "" {
		args = append(args, "-overlay", g.overlay)
	}
	if g.race {
		args = append(args, "-race")
	}
	return append(args, "./"+g.pkg)
}

// pattern is the -run expression for the top-level tests of names, with all their subtests.
func pattern(names []string) string {
	var top []string
	for _, name := range names {
		first, _, _ := strings.Cut(name, "/")
		top = append(top, regexp.QuoteMeta(first))
	}
	return "^(" + strings.Join(top, "|") + ")$"
}

// readEvents sums up the output of `go test -json`.
func readEvents(data []byte) (outcome, error) {
	o := outcome{built: true, ends: map[string]string{}}
	var text strings.Builder
	failed := false
	for line := range bytes.Lines(data) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return o, fmt.Errorf("read %q: %w", line, err)
		}
		text.WriteString(e.Output)
		switch {
		case e.Action == "build-fail":
			o.built = false
		case e.Action == "fail" && e.Test == "":
			failed = true
		case e.Test != "" && (e.Action == "run" || e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			o.ends[e.Test] = e.Action
		}
		o.hung = o.hung || strings.HasPrefix(e.Output, "panic: test timed out after ")
	}
	for name, end := range o.ends {
		if end == "run" && failed {
			o.ends[name] = "died"
		}
	}
	o.output = text.String()
	return o, nil
}
