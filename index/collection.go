package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// DefaultCollection is the collection of all files that are in no other one. It always exists.
const DefaultCollection = "default"

// ErrNoCollection reports the name of a collection that does not exist.
var ErrNoCollection = errors.New("no such collection")

// A Collection is a named part of the index: all files in some places, whenever they come into the index. Collections may
// overlap; a file is indexed once, in however many it is.
type Collection struct {
	Name string `json:"name"`
	// Places are absolute paths of folders and files, addresses of sites and pages, and roots of [Index.Put], sorted.
	// DefaultCollection has none.
	Places []string `json:"places"`
	// Files and Passages are what it holds.
	Files    int `json:"files"`
	Passages int `json:"passages"`
}

// collectionRoot begins the roots of the notes that say which places are in which collection, one note a place.
const collectionRoot = "collection:"

// collectionName is a name that needs no quotation marks in a shell, and no comma.
var collectionName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,63}$`)

// CheckCollectionName refuses what cannot be the name of a new collection, with a sentence that says why.
func CheckCollectionName(name string) error {
	switch {
	case name == DefaultCollection:
		return fmt.Errorf("%q is the collection of the files that are in no other one: leave the name out", name)
	case !collectionName.MatchString(name):
		return fmt.Errorf("%q is no name of a collection: letters, digits and . _ - within, at most 64", name)
	}
	return nil
}

// Collect adds places to a collection, which is made when it is new. A place is a folder or file that exists, the address of
// a site or a page, or a root of [Index.Put]; what is indexed below it, now or later, is in the collection.
func (x *Index) Collect(ctx context.Context, name string, places []string) error {
	if err := CheckCollectionName(name); err != nil {
		return err
	}
	files, err := x.store.Files(ctx)
	if err != nil {
		return err
	}
	var change Change
	for _, p := range places {
		put := slices.ContainsFunc(files, func(f FileRecord) bool { return f.Root == p && f.abs() == "" })
		switch {
		case put:
		case isAddress(p):
			p = strings.TrimRight(p, "/")
		default:
			t, err := resolveOne(p)
			if err != nil {
				return err
			}
			p = t.path
		}
		change.Notes = append(change.Notes, Note{FileKey{collectionRoot + name, p}, "1"})
	}
	return x.store.Apply(ctx, change)
}

// Forget removes collections, not their files: those that are in no other one are in DefaultCollection from now on. A name
// that does not exist is an ErrNoCollection, before anything is changed.
func (x *Index) Forget(ctx context.Context, names []string) error {
	places, err := x.places(ctx)
	if err != nil {
		return err
	}
	if err := places.know(names); err != nil {
		return err
	}
	var change Change
	for _, name := range names {
		if name == DefaultCollection {
			return fmt.Errorf("the collection %q always exists", name)
		}
		for _, p := range places[name] {
			change.Notes = append(change.Notes, Note{FileKey: FileKey{collectionRoot + name, p}})
		}
	}
	return x.store.Apply(ctx, change)
}

// Collections returns all collections in order of their names, DefaultCollection first.
func (x *Index) Collections(ctx context.Context) ([]Collection, error) {
	places, err := x.places(ctx)
	if err != nil {
		return nil, err
	}
	files, err := x.store.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("collections: %w", err)
	}
	byName := map[string]*Collection{DefaultCollection: {Name: DefaultCollection, Places: []string{}}}
	for name, list := range places {
		byName[name] = &Collection{Name: name, Places: list}
	}
	for _, f := range files {
		for _, name := range places.of(f.key()) {
			byName[name].Files++
			byName[name].Passages += f.Passages
		}
	}
	list := make([]Collection, 0, len(byName))
	for _, c := range byName {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Collection) int {
		return cmp.Or(-compareBool(a.Name == DefaultCollection, b.Name == DefaultCollection), strings.Compare(a.Name, b.Name))
	})
	return list, nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// places are the places of collections, sorted, by name.
type places map[string][]string

func (x *Index) places(ctx context.Context) (places, error) {
	notes, err := x.store.Notes(ctx)
	if err != nil {
		return nil, fmt.Errorf("collections: %w", err)
	}
	all := places{}
	for _, n := range notes {
		if name, ours := strings.CutPrefix(n.Root, collectionRoot); ours {
			all[name] = append(all[name], n.Path)
		}
	}
	return all, nil
}

// know refuses names that are not of a collection.
func (p places) know(names []string) error {
	for _, name := range names {
		if _, known := p[name]; known || name == DefaultCollection {
			continue
		}
		all := append(slices.Sorted(maps.Keys(p)), DefaultCollection)
		return fmt.Errorf("%w: %q; there are %s", ErrNoCollection, name, strings.Join(all, ", "))
	}
	return nil
}

// of are the collections that a file is in; at least one.
func (p places) of(key FileKey) (names []string) {
	for name, list := range p {
		if slices.ContainsFunc(list, func(place string) bool { return covers(place, key) }) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{DefaultCollection}
	}
	return names
}

// covers reports whether a file lies in a place.
func covers(place string, key FileKey) bool {
	if abs := key.abs(); abs != "" {
		return filepath.IsAbs(place) && within(place, abs)
	}
	file := key.place()
	return place == file || place == key.Root || strings.HasPrefix(file, place+"/")
}
