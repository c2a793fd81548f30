package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// A bench is one way to call `go test -bench`.
type bench struct {
	dir      string // where to run; "" = here
	regexp   string
	time     string
	count    int
	packages []string
	progress io.Writer
}

// run returns the output. It is printed to progress meanwhile. A failing benchmark is an error; the output then comes too.
func (b *bench) run(ctx context.Context) ([]byte, error) {
	args := []string{"test", "-run", "^$", "-bench", b.regexp, "-benchmem", "-benchtime", b.time, "-count", strconv.Itoa(b.count), "-timeout", "2h"}
	return output(ctx, b.dir, b.progress, "go", append(args, b.packages...)...)
}

// output runs a command in dir, copies what it prints to progress and returns its standard output.
func output(ctx context.Context, dir string, progress io.Writer, name string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	both := &locked{w: progress}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, both), both
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("%s %v: %w", name, args[:min(2, len(args))], errors.Join(context.Cause(ctx), err))
	}
	return out.Bytes(), nil
}

// locked lets a command's standard output and error share a writer.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
