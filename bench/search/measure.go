package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kbagent/kbagent/internal/eval"
)

// A row is what was measured of one engine. Bytes are in MB of 10⁶, times in milliseconds where nothing else is said.
type row struct {
	Engine          string
	Text            float64 // of all passages
	Rate            float64 // MB of text indexed a second
	CPU             float64 // seconds of all processors while indexing
	Disk            float64
	First, P50, P99 float64
	Search          float64 // processor time of a search, on average
	Memory          float64 // the most that the process held while indexing or searching the large corpus, beyond what it held before
	NDCG            map[string]float64
}

// An engine indexes passages into a folder and searches them. It is used by one goroutine.
type engine interface {
	// prepare does what is not timed, such as writing the files that index reads.
	prepare(dir string, passages []eval.Passage) error
	index(ctx context.Context, dir string, passages []eval.Passage) error
	// open makes what was indexed searchable, as a new process would.
	open(ctx context.Context, dir string) error
	// search returns the ids of the ten best passages, best first, having read their texts.
	search(ctx context.Context, query string) ([]string, error)
	close() error
}

func newEngine(name string) (engine, error) {
	switch name {
	case "kbagent":
		return &kbagent{}, nil
	case "fts5":
		return &fts5{}, nil
	case "bleve":
		return &bleveIndex{}, nil
	}
	return nil, fmt.Errorf("no engine %q: kbagent, fts5 or bleve", name)
}

func measure(ctx context.Context, o options) (row, error) {
	r := row{Engine: o.one, NDCG: map[string]float64{}}
	err := with(o, func(dir string, e engine) error { return r.speed(ctx, o, dir, e) })
	for _, set := range []string{"go_docs", "scifact"} {
		if err == nil {
			err = with(o, func(dir string, e engine) error { return r.quality(ctx, o, set, dir, e) })
		}
	}
	return r, err
}

// some are n of list, spread over it; all for 0.
func some(list []string, n int) []string {
	if n <= 0 || n >= len(list) {
		return list
	}
	out := make([]string, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// with calls f with an engine and a folder for it, which it removes.
func with(o options, f func(dir string, e engine) error) error {
	e, err := newEngine(o.one)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.dir, "kbagent-bench-")
	if err != nil {
		return err
	}
	return errors.Join(f(dir, e), os.RemoveAll(dir))
}

// speed measures indexing the large corpus, and searching it.
func (r *row) speed(ctx context.Context, o options, dir string, e engine) error {
	sequence, err := eval.Enlarge(o.data, o.passages)
	if err != nil {
		return err
	}
	passages := slices.Collect(sequence)
	for _, p := range passages {
		r.Text += float64(len(p.Title)+len(p.Heading)+len(p.Text)) / 1e6
	}
	if err := e.prepare(dir, passages); err != nil {
		return err
	}
	before, err := forgetPeak()
	if err != nil {
		return err
	}
	start, cpu := time.Now(), cpuTime()
	if err := e.index(ctx, dir, passages); err != nil {
		return err
	}
	r.Rate, r.CPU = r.Text/time.Since(start).Seconds(), (cpuTime() - cpu).Seconds()
	if r.Disk, err = size(dir); err != nil {
		return err
	}
	if err := r.searches(ctx, o, dir, e); err != nil {
		return err
	}
	most, err := memory("VmHWM:")
	r.Memory = most - before
	return err
}

// searches asks the questions of all sets.
func (r *row) searches(ctx context.Context, o options, dir string, e engine) (err error) {
	questions, err := eval.LargeQuestions(o.data, o.part)
	if err != nil {
		return err
	}
	questions = some(questions, o.questions)
	if err := e.open(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	took := make([]float64, len(questions))
	cpu := cpuTime()
	for i, q := range questions {
		start := time.Now()
		if _, err := e.search(ctx, q); err != nil {
			return err
		}
		took[i] = float64(time.Since(start).Microseconds()) / 1000
	}
	r.First, r.Search = took[0], float64((cpuTime()-cpu).Microseconds())/1000/float64(len(questions))
	slices.Sort(took)
	r.P50, r.P99 = took[len(took)/2], took[len(took)*99/100]
	return nil
}

// quality measures a set as it is.
func (r *row) quality(ctx context.Context, o options, set, dir string, e engine) (err error) {
	c, err := eval.LoadCollection(o.data, o.part, set)
	if err != nil {
		return err
	}
	if err := e.index(ctx, dir, c.Passages); err != nil {
		return err
	}
	if err := e.open(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	r.NDCG[set], err = c.NDCG(ctx, e.search)
	return err
}

// size is what dir holds, without the files that prepare wrote.
func size(dir string) (mb float64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == sources {
				return fs.SkipDir
			}
			return err
		}
		info, err := d.Info()
		if err == nil {
			mb += float64(info.Size()) / 1e6
		}
		return err
	})
	return mb, err
}

// cpuTime is what the process used of all processors so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak gives unused memory back, makes the present size the highest so far, and returns it.
func forgetPeak() (mb float64, err error) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	return memory("VmRSS:")
}

// memory is a line of what Linux says of the process, in MB.
func memory(line string) (mb float64, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(l, line); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", line)
}
