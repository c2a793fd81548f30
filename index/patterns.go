package index

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// Patterns choose among the files of a root. The zero value leaves nothing out.
//
// A pattern is a path in the root with forward slashes, in which * and ? stay inside a path element, ** crosses them, and
// [a-z] and {a,b} work as usual. One without a slash is about a name at any depth. A pattern that matches a folder is about
// everything below it, in Include only if its last element is a plain name: "docs/*" includes the files of docs, "docs" and
// "docs/**" what lies deeper too. A pattern that ends with a slash is about folders only. Files that are hidden, ignored by a
// .gitignore or linked stay out whatever the patterns say, and files that are named themselves come in.
type Patterns struct {
	// Include leaves out files that match none of it. Default: none is left out. A pattern whose last element is a whole name
	// or ends with an extension ("CHANGES", "*.log") also takes such files when no walk would: as plain text.
	Include []string `json:"include,omitempty"`
	// Exclude leaves out files and folders that match one of it, also those that Include names.
	Exclude []string `json:"exclude,omitempty"`
}

// Empty reports whether p leaves nothing out.
func (p Patterns) Empty() bool { return len(p.Include)+len(p.Exclude) == 0 }

// Patterns returns the patterns of the roots that have some, by root.
func (x *Index) Patterns(ctx context.Context) (map[string]Patterns, error) {
	notes, err := x.store.Notes(ctx)
	if err != nil {
		return nil, fmt.Errorf("patterns: %w", err)
	}
	all := map[string]Patterns{}
	for _, n := range notes {
		if n.Path != "" || !filepath.IsAbs(n.Root) {
			continue
		}
		var p Patterns
		if err := json.Unmarshal([]byte(n.Text), &p); err != nil {
			return nil, fmt.Errorf("patterns of %s: %w: %w", n.Root, ErrDamaged, err)
		}
		all[n.Root] = p
	}
	return all, nil
}

// note is what keeps p beside root.
func (p Patterns) note(root string) (Note, error) {
	n := Note{FileKey: FileKey{Root: root}}
	if p.Empty() {
		return n, nil
	}
	text, err := json.Marshal(p)
	n.Text = string(text)
	return n, err
}

// A selection is Patterns ready for use.
type selection struct{ include, exclude []pattern }

type pattern struct {
	match  func(path string) bool
	folder bool // about folders only
	plain  bool // its last element is a name
	forces bool // names the files that it takes
}

func (p Patterns) compile() (s selection, err error) {
	for _, list := range []struct {
		from []string
		to   *[]pattern
	}{{p.Include, &s.include}, {p.Exclude, &s.exclude}} {
		for _, glob := range list.from {
			c, err := compilePattern(glob)
			if err != nil {
				return selection{}, err
			}
			*list.to = append(*list.to, c)
		}
	}
	return s, nil
}

func compilePattern(glob string) (p pattern, err error) {
	trimmed := strings.TrimRight(glob, "/")
	if strings.TrimSpace(trimmed) == "" {
		return p, fmt.Errorf("%q is not a file pattern: %w: it names nothing", glob, ErrPattern)
	}
	p.folder = trimmed != glob
	last := trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	extension := strings.LastIndexByte(last, '.')
	p.plain = !strings.ContainsAny(last, "*?[")
	p.forces = !strings.ContainsAny(last[max(extension, 0):], "*?[")
	p.match, err = pathMatcher(trimmed)
	return p, err
}

// about reports whether p is about a file or folder of this path: itself, or a folder that it lies in.
func (p pattern) about(path string, folder bool) bool {
	if (folder || !p.folder) && p.match(path) {
		return true
	}
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if p.match(path[:i]) {
			return true
		}
	}
	return false
}

// leavesOut reports whether a file or folder is excluded, or a file included by no pattern. path is relative to the root.
func (s selection) leavesOut(path string, folder bool) bool {
	for _, p := range s.exclude {
		if p.about(path, folder) {
			return true
		}
	}
	if folder || len(s.include) == 0 {
		return false
	}
	for _, p := range s.include {
		if !p.folder && p.match(path) || (p.plain || p.folder) && p.about(path, false) {
			return false
		}
	}
	return true
}

// forces reports whether a pattern names files like this one.
func (s selection) forces(path string) bool {
	for _, p := range s.include {
		if p.forces && !p.folder && p.match(path) {
			return true
		}
	}
	return false
}
