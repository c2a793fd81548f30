package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// RemoveOptions tunes one [Index.Remove].
type RemoveOptions struct {
	DryRun bool // find out what would go, and leave it
}

// Remove takes files, folders and whole roots out of the index, whether they still exist or not: absolute or relative
// paths of the file system, the name of a Put root or a site, or the address of a page. A path that names nothing in the index is
// an error (ErrNotIndexed), before anything is changed. The files on disk are not touched.
func (x *Index) Remove(ctx context.Context, paths []string, opts RemoveOptions) (Report, error) {
	start := time.Now()
	roots, err := x.store.Roots(ctx)
	if err != nil {
		return Report{}, err
	}
	files, err := x.store.Files(ctx)
	if err != nil {
		return Report{}, err
	}
	var change Change
	var missing []error
	for _, p := range paths {
		if !change.forget(p, roots, files) {
			missing = append(missing, fmt.Errorf("%s: %w", p, ErrNotIndexed))
		}
	}
	if err := errors.Join(missing...); err != nil {
		return Report{}, err
	}
	slices.SortFunc(change.Remove, compareKeys)
	change.Remove = slices.Compact(change.Remove)
	if !opts.DryRun {
		if err := x.store.Apply(ctx, change); err != nil {
			return Report{}, err
		}
	}
	report := Report{Files: FileCounts{Removed: len(change.Remove)}, DryRun: opts.DryRun, Elapsed: time.Since(start)}
	for _, key := range change.Remove {
		report.Entries = append(report.Entries, Entry{Path: key.place(), Status: StatusRemoved})
	}
	return report, nil
}

// ErrNotIndexed reports a path that names nothing in the index.
var ErrNotIndexed = errors.New("not in the index")

// forget adds what path names to c and reports whether it names anything.
func (c *Change) forget(path string, roots []string, files []FileRecord) (found bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	for _, r := range roots {
		if within(abs, r) {
			c.DropRoots = append(c.DropRoots, r)
			found = true
		}
	}
	for _, f := range files {
		if f.named(path, abs) {
			c.Remove = append(c.Remove, f.key())
			found = true
		}
	}
	if found && !slices.Contains(c.DropRoots, path) {
		c.DropRoots = append(c.DropRoots, path) // the note of a site goes too
	}
	return found
}

// named reports whether path, abs as a place on this machine, names f or something that it lies in.
func (f FileRecord) named(path, abs string) bool {
	if place := f.abs(); place != "" {
		return within(abs, place)
	}
	return f.Root == path || f.Path == path && isAddress(path)
}
