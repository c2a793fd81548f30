package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/changes"
	"github.com/kbagent/kbagent/internal/mask"
)

// follow brings paths up to date, and does so again whenever something changes, until ctx is done.
func (f *indexFlags) follow(ctx context.Context, ix *index.Index, paths []string, std streams) error {
	paths, err := f.watched(ctx, ix, paths)
	if err != nil {
		return err
	}
	opts := f.options()
	tree := &watchTree{index: ix, paths: paths, patterns: opts.Patterns}
	w, err := changes.New(ctx, tree, paths, changes.Options{Problem: func(err error) {
		fmt.Fprintf(std.err, "kbagent: %s\n", mask.Terminal(err.Error()))
	}})
	if err != nil {
		return err
	}
	err = f.followWith(ctx, w, ix, paths, std)
	return errors.Join(err, w.Close())
}

func (f *indexFlags) followWith(ctx context.Context, w *changes.Watcher, ix *index.Index, paths []string, std streams) error {
	report, err := f.run(ctx, ix, paths, std) // what changes meanwhile is told afterwards
	if err == nil {
		err = f.showFirst(std, report)
	}
	if err != nil {
		return err
	}
	if n := w.Watched(); n > 0 && !f.quiet {
		fmt.Fprintf(std.err, "kbagent: watching %d folders; Ctrl-C ends\n", n)
	}
	var fatal error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = w.Run(ctx, func(ctx context.Context, changed []string) error {
		report, err := lookAt(ctx, ix, paths, changed)
		if err == nil {
			fatal = f.showChange(std, report)
		}
		if errors.Is(err, index.ErrDamaged) {
			fatal = err
		}
		if fatal != nil {
			stop()
		}
		return err
	})
	return errors.Join(err, fatal)
}

// lookAt brings up to date what changed. A watched file that is there is named again, since it may have left the index: by being away
// for a moment, or by holding half of what is written to it.
func lookAt(ctx context.Context, ix *index.Index, watched, changed []string) (report index.Report, err error) {
	var files, rest []string
	for _, path := range changed {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && slices.Contains(watched, path) {
			files = append(files, path)
		} else {
			rest = append(rest, path)
		}
	}
	if len(files) > 0 {
		if report, err = ix.Update(ctx, files, index.UpdateOptions{}); err != nil {
			return report, err
		}
	}
	if len(rest) == 0 {
		return report, nil
	}
	more, err := ix.Refresh(ctx, rest, index.UpdateOptions{})
	return report.Plus(more), err
}

// watched is what to watch: paths as they really are called, or everything that was indexed.
func (f *indexFlags) watched(ctx context.Context, ix *index.Index, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return f.known(ctx, ix)
	}
	real := make([]string, len(paths))
	for i, p := range paths {
		abs, err := filepath.Abs(p)
		if err == nil {
			real[i], err = filepath.EvalSymlinks(abs)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("no such file or folder: %s", p)
		}
		if err != nil {
			return nil, err
		}
	}
	return real, nil
}

// known is everything of this machine that was indexed: the folders, and the files outside of them.
func (f *indexFlags) known(ctx context.Context, ix *index.Index) ([]string, error) {
	roots, err := ix.Roots(ctx)
	if err != nil {
		return nil, err
	}
	files, err := ix.Files(ctx, "")
	if err != nil {
		return nil, err
	}
	all := roots
	for _, file := range files {
		if filepath.IsAbs(file.Root) && !slices.Contains(roots, file.Root) {
			all = append(all, filepath.Join(file.Root, filepath.FromSlash(file.Path)))
		}
	}
	if len(all) == 0 {
		return nil, errNothingIndexed
	}
	return all, nil
}

// showFirst prints what became of the update before the watch. Files that failed do not end it.
func (f *indexFlags) showFirst(std streams, r index.Report) error {
	if f.asJSON {
		printFailures(std, r)
		return json.NewEncoder(std.out).Encode(r)
	}
	var code exitCode
	if err := f.show(std, r); !errors.As(err, &code) {
		return err
	}
	return nil
}

// showChange prints what became of a change: a line of JSON, or a line for each file that is not as before.
func (f *indexFlags) showChange(std streams, r index.Report) error {
	printFailures(std, r)
	switch {
	case f.asJSON:
		return json.NewEncoder(std.out).Encode(r)
	case f.quiet:
		return nil
	}
	at := time.Now().Format(time.TimeOnly)
	for _, e := range r.Entries {
		if e.Status != index.StatusIndexed && e.Status != index.StatusRemoved {
			continue
		}
		if _, err := fmt.Fprintf(std.out, "%s  %s\n", at, entryLine(e)); err != nil {
			return err
		}
	}
	return nil
}

// watchTree finds the folders that the index reads.
type watchTree struct {
	index    *index.Index
	paths    []string
	patterns *index.Patterns // of paths, before they are indexed
}

// Folders implements changes.Tree.
func (t *watchTree) Folders(ctx context.Context, path string) ([]string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	asked := slices.Contains(t.paths, path)
	switch {
	case !info.IsDir() && asked:
		return []string{filepath.Dir(path)}, nil
	case !info.IsDir():
		return nil, nil
	}
	var opts index.UpdateOptions
	if asked {
		opts.Patterns = t.patterns
	}
	return t.index.Folders(ctx, []string{path}, opts)
}
