// Package changes tells when files change. It imports fsnotify and the standard library only.
package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watcher watches files and folders. It belongs to one goroutine; the caller closes it.
type Watcher struct {
	files   map[string]bool // that are watched one by one, in their folders
	folders []string        // that are watched with all that is in them
	quiet   time.Duration
	watcher *fsnotify.Watcher
}

// DefaultQuiet is how long nothing may change before changes are told: an editor that saves a file makes several.
const DefaultQuiet = 100 * time.Millisecond

// Watch begins to watch paths: files, and folders with all folders below, also those that are made later. Changes are told
// when nothing has changed for the time quiet; default [DefaultQuiet]. A path that does not exist is an error.
func Watch(quiet time.Duration, paths ...string) (*Watcher, error) {
	if quiet <= 0 {
		quiet = DefaultQuiet
	}
	inner, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &Watcher{files: map[string]bool{}, quiet: quiet, watcher: inner}
	for _, path := range paths {
		if err := w.add(filepath.Clean(path)); err != nil {
			return nil, errors.Join(fmt.Errorf("watch %s: %w", path, err), inner.Close())
		}
	}
	return w, nil
}

// add watches a path. A file is watched through its folder: editors replace files.
func (w *Watcher) add(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		w.files[path] = true
		return w.watcher.Add(filepath.Dir(path))
	}
	w.folders = append(w.folders, path)
	return w.addTree(path)
}

// addTree watches a folder and those below. One that goes away meanwhile is none.
func (w *Watcher) addTree(path string) error {
	return filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.IsDir() {
			return err
		}
		if err := w.watcher.Add(p); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Next waits for changes and returns the paths that changed, sorted, each once. It returns the error of ctx when that is
// done first.
func (w *Watcher) Next(ctx context.Context) ([]string, error) {
	var changed []string
	timer := time.NewTimer(0)
	<-timer.C
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-timer.C:
			slices.Sort(changed)
			return slices.Compact(changed), nil
		case err, ok := <-w.watcher.Errors:
			if !ok {
				return nil, fsnotify.ErrClosed
			}
			return nil, fmt.Errorf("watch files: %w", err)
		case event, ok := <-w.watcher.Events:
			if !ok {
				return nil, fsnotify.ErrClosed
			}
			counts, err := w.take(event)
			if err != nil {
				return nil, err
			}
			if counts {
				changed = append(changed, filepath.Clean(event.Name))
				timer.Reset(w.quiet)
			}
		}
	}
}

// take says whether an event is about what is watched; new folders are watched, too.
func (w *Watcher) take(event fsnotify.Event) (bool, error) {
	path := filepath.Clean(event.Name)
	if event.Op == fsnotify.Chmod {
		return false, nil
	}
	if w.files[path] {
		return true, nil
	}
	for _, folder := range w.folders {
		if rel, err := filepath.Rel(folder, path); err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return true, w.addTree(path)
		}
		return true, nil
	}
	return false, nil
}

// Close ends the watching.
func (w *Watcher) Close() error { return w.watcher.Close() }
