package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Filter chooses files of the index. The zero Filter takes all.
type Filter struct {
	// Collections are names of which a file has to be in one; none takes all files. See [Index.Collections].
	Collections []string
	// Paths are patterns as [Index.Files] takes them, of which a file's path has to match one; none takes all files.
	Paths []string
}

// Empty reports whether f takes all files.
func (f Filter) Empty() bool { return len(f.Collections)+len(f.Paths) == 0 }

// Within returns x as it would be without the files that f does not take, for reading: all searches, Grep, Files and Text
// see the others only, and the best k are the best k of these. How rare a word is, which weighs it, is still that of the
// whole index, as are Stats, DocFreq and Roots. Changes through it are those of x. An unknown collection is an
// ErrNoCollection, and a pattern that cannot be read an ErrPattern, of each call. Within a filter, Within counts in place
// of it.
func (x *Index) Within(f Filter) *Index {
	view := *x
	view.filter = Filter{slices.Clone(f.Collections), slices.Clone(f.Paths)}
	return &view
}

// takes returns the test of the filter against files; nil takes all.
func (x *Index) takes(ctx context.Context) (func(FileKey) bool, error) {
	if x.filter.Empty() {
		return nil, nil
	}
	var matches []func(string) bool
	for _, pattern := range x.filter.Paths {
		m, err := pathMatcher(pattern)
		if err != nil {
			return nil, err
		}
		matches = append(matches, m)
	}
	places, err := x.places(ctx)
	if err != nil {
		return nil, err
	}
	if err := places.know(x.filter.Collections); err != nil {
		return nil, err
	}
	return func(key FileKey) bool {
		if len(matches) > 0 && !slices.ContainsFunc(matches, func(m func(string) bool) bool { return m(key.Path) }) {
			return false
		}
		return len(x.filter.Collections) == 0 || slices.ContainsFunc(places.of(key), func(name string) bool {
			return slices.Contains(x.filter.Collections, name)
		})
	}, nil
}

// passages are the keys of the passages that the filter takes; nil for all.
func (x *Index) passages(ctx context.Context) (*KeySet, error) {
	if x.filter.Empty() {
		return nil, nil
	}
	stamp, err := x.store.Stamp(ctx)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	name := strings.Join(x.filter.Collections, ",") + "\n" + strings.Join(x.filter.Paths, "\n")
	if set := x.chosen.get(stamp, name); set != nil {
		return set, nil
	}
	takes, err := x.takes(ctx)
	if err != nil {
		return nil, err
	}
	set, err := x.store.Keys(ctx, takes)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	x.chosen.put(stamp, name, set)
	return set, nil
}

// chosenCache keeps what filters take of one state of the store.
type chosenCache struct {
	mu    sync.Mutex
	stamp string
	sets  map[string]*KeySet
}

// chosenMost is how many filters are kept: a set of a million passages takes 125 kB.
const chosenMost = 64

func (c *chosenCache) get(stamp, filter string) *KeySet {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamp != stamp {
		return nil
	}
	return c.sets[filter]
}

func (c *chosenCache) put(stamp, filter string, set *KeySet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamp != stamp || len(c.sets) >= chosenMost {
		c.stamp, c.sets = stamp, map[string]*KeySet{}
	}
	c.sets[filter] = set
}
