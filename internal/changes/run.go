package changes

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Run calls changed with the paths that came, changed or went away, sorted, until ctx is done; it returns nil then. It calls
// from its own goroutine, so that changes meanwhile are told by the next call. After an error of changed the same paths are
// told again, with those that came since. When the system lost count of the changes, the paths are those given to New.
func (w *Watcher) Run(ctx context.Context, changed func(ctx context.Context, paths []string) error) error {
	pending := map[string]bool{}
	for {
		if err := w.gather(ctx, pending); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end of ctx is how a watch ends
		}
		w.find(ctx)
		err := changed(ctx, slices.Sorted(maps.Keys(pending)))
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // likewise
		case err != nil:
			w.problem(err)
		default:
			clear(pending)
			clear(w.problems) // should they come again they are news
		}
	}
}

// gather adds changes to pending until there are some and it is time to tell them, or ctx is done.
func (w *Watcher) gather(ctx context.Context, pending map[string]bool) error {
	if w.system == nil {
		return w.wait(ctx, pending)
	}
	var quiet, longest <-chan time.Time
	if len(pending) > 0 { // they failed before
		longest = time.After(w.opts.Retry)
	}
	events, failures := w.system.channels()
	for w.system != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-quiet:
			return nil
		case <-longest:
			return nil
		case e, ok := <-events:
			if !ok {
				return errors.New("changes: the system ended the watch")
			}
			if !w.concerns(ctx, e) {
				continue
			}
			if quiet == nil {
				longest = time.After(w.opts.Longest)
			}
			pending[e.Name] = true
			quiet = time.After(w.opts.Quiet)
		case err := <-failures:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.problem(err)
				continue
			}
			w.all(pending)
			quiet = time.After(w.opts.Quiet)
		}
	}
	w.all(pending) // the watches were given up: what changed meanwhile is not known
	return nil
}

// wait is gather without watches.
func (w *Watcher) wait(ctx context.Context, pending map[string]bool) error {
	pause := time.NewTimer(w.opts.Poll)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
		w.all(pending)
	}
	return nil
}

// all makes everything pending.
func (w *Watcher) all(pending map[string]bool) {
	for _, p := range w.paths {
		pending[p] = true
	}
}
