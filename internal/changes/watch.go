package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options tunes a Watcher. The zero value is the default.
type Options struct {
	// Quiet is how long nothing must change before changes are told. Default 300 ms.
	Quiet time.Duration
	// Longest is how long changes are held back while others follow. Default 5 s.
	Longest time.Duration
	// Poll is the time between two looks at everything, where there are no watches. Default 30 s.
	Poll time.Duration
	// Retry is how long changes wait that could not be dealt with, unless others come first. Default 10 s.
	Retry time.Duration
	// Problem is told what went wrong without ending the watch, the same problem once. Default: nobody is told.
	Problem func(error)
}

func (o Options) withDefaults() (Options, error) {
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&o.Quiet, 300 * time.Millisecond}, {&o.Longest, 5 * time.Second}, {&o.Poll, 30 * time.Second}, {&o.Retry, 10 * time.Second}} {
		if *d.value < 0 {
			return o, errors.New("changes: Quiet, Longest, Poll and Retry must not be negative")
		}
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	return o, nil
}

// ErrLimit is what a Watcher's Problem gets when the system has no room for more watches, and everything is looked at from time
// to time instead.
var ErrLimit = errors.New("the system's limit of watches is reached (on Linux fs.inotify.max_user_watches)")

// A Tree finds the folders to watch.
type Tree interface {
	// Folders returns the folders to watch at and below path, which is a folder or a file that was given to New or appeared
	// below one of them. It may be gone already: then the error is fs.ErrNotExist.
	Folders(ctx context.Context, path string) ([]string, error)
}

// Everything is the Tree of all folders: those at and below a folder, and the one that a file is in.
type Everything struct{}

// Folders implements [Tree].
func (Everything) Folders(_ context.Context, path string) (folders []string, err error) {
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p != path && errors.Is(err, fs.ErrNotExist): // gone since its folder was read
			return nil
		case err != nil:
			return err
		case d.IsDir():
			folders = append(folders, p)
		case p == path:
			folders = append(folders, filepath.Dir(p))
		}
		return nil
	})
	return folders, err
}

// A Watcher waits for changes. Close it.
type Watcher struct {
	opts     Options
	tree     Tree
	paths    []string
	system   system // nil: everything is looked at from time to time
	folders  map[string]bool
	lost     map[string]bool // those of paths whose folder went away
	problems map[string]bool // told already
}

// system is what of fsnotify is needed.
type system interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
	channels() (<-chan fsnotify.Event, <-chan error)
}

type notify struct{ *fsnotify.Watcher }

func (n notify) channels() (<-chan fsnotify.Event, <-chan error) { return n.Events, n.Errors }

// New begins to watch paths, absolute names of folders, with all that is in them, and of files. What changes from now on is told
// by [Watcher.Run].
func New(ctx context.Context, tree Tree, paths []string, opts Options) (*Watcher, error) {
	return start(ctx, tree, paths, opts, func() (system, error) {
		w, err := fsnotify.NewWatcher()
		return notify{w}, err
	})
}

func start(ctx context.Context, tree Tree, paths []string, opts Options, open func() (system, error)) (*Watcher, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &Watcher{opts: opts, tree: tree, paths: paths, folders: map[string]bool{}, lost: map[string]bool{}, problems: map[string]bool{}}
	sys, err := open()
	switch {
	case limited(err):
		w.problem(fmt.Errorf("%w: everything is looked at every %v instead", ErrLimit, opts.Poll))
		return w, nil
	case err != nil:
		return nil, fmt.Errorf("changes: %w", err)
	}
	w.system = sys
	for _, p := range paths {
		if err := w.add(ctx, p); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, nil
}

// Watched is how many folders are watched; 0 where everything is looked at from time to time instead.
func (w *Watcher) Watched() int { return len(w.folders) }

// Close ends the watch. It must not be called while Run runs.
func (w *Watcher) Close() error {
	if w.system == nil {
		return nil
	}
	err := w.system.Close()
	w.system = nil
	return err
}

// add watches the folders at and below path. When the system has no room for them it gives up all watches.
func (w *Watcher) add(ctx context.Context, path string) error {
	folders, err := w.tree.Folders(ctx, path)
	if err != nil {
		return err
	}
	for _, dir := range folders {
		if w.system == nil || w.folders[dir] {
			continue
		}
		switch err := w.system.Add(dir); {
		case err == nil:
			w.folders[dir] = true
		case limited(err):
			n := len(w.folders)
			if err := w.Close(); err != nil {
				return err
			}
			w.folders = map[string]bool{}
			w.problem(fmt.Errorf("%w after %d folders: everything is looked at every %v instead", ErrLimit, n, w.opts.Poll))
		case !errors.Is(err, fs.ErrNotExist): // gone since it was listed: its parent tells
			return fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	return nil
}

// limited reports an error that says that there are too many watches.
func limited(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// problem tells of err, unless it did so before.
func (w *Watcher) problem(err error) {
	if err == nil || w.problems[err.Error()] {
		return
	}
	w.problems[err.Error()] = true
	if w.opts.Problem != nil {
		w.opts.Problem(err)
	}
}

// concerns reports whether a change of path matters; new folders are watched from now on.
func (w *Watcher) concerns(ctx context.Context, e fsnotify.Event) bool {
	switch {
	case e.Op == fsnotify.Chmod, e.Op == fsnotify.Write && w.folders[e.Name]: // an entry of the folder tells more
		return false
	case !slices.ContainsFunc(w.paths, func(p string) bool { return below(p, e.Name) }): // beside a file
		return false
	case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
		w.forget(e.Name)
	}
	if e.Has(fsnotify.Create) || filepath.Base(e.Name) == ".gitignore" {
		at := e.Name
		if !e.Has(fsnotify.Create) || filepath.Base(at) == ".gitignore" {
			at = filepath.Dir(at) // what it ignored may come in
		}
		if err := w.add(ctx, at); err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			w.problem(err)
		}
	}
	return true
}

// forget ends the watches of path and of what lies below it: they follow folders that were renamed, under their old names.
func (w *Watcher) forget(path string) {
	if !w.folders[path] {
		return
	}
	for dir := range w.folders {
		if !below(path, dir) {
			continue
		}
		delete(w.folders, dir)
		err := w.system.Remove(dir)
		if err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) && !errors.Is(err, syscall.EINVAL) { // ended with its folder
			w.problem(fmt.Errorf("end the watch of %s: %w", dir, err))
		}
	}
	for _, p := range w.paths {
		if below(path, p) {
			w.lost[p] = true
		}
	}
}

// find watches again what was lost and came back.
func (w *Watcher) find(ctx context.Context) {
	for p := range w.lost {
		err := w.add(ctx, p)
		if err == nil {
			delete(w.lost, p)
		} else if !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			w.problem(err)
		}
	}
}

// below reports whether path is dir or lies in it; both are absolute and clean.
func below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
