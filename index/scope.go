package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A target is a folder or file that an update was asked for: absolute, without links.
type target struct {
	path   string
	folder bool
}

// resolve finds what paths name. Every path that does not exist is in the error.
func resolve(paths []string) ([]target, error) {
	var targets []target
	var missing []error
	for _, p := range paths {
		t, err := resolveOne(p)
		if err != nil {
			missing = append(missing, err)
		} else if !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	return targets, errors.Join(missing...)
}

func resolveOne(path string) (target, error) {
	if path == "" {
		return target{}, errors.New("an empty path names no file or folder")
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return target{}, namedError(path, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return target{}, namedError(path, err)
	}
	return target{path: abs, folder: info.IsDir()}, nil
}

// namedError names path as the caller wrote it.
func namedError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file or folder: %w", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// A plan is what an update looks at and what it forgets.
type plan struct {
	candidates []candidate
	skips      []FileError
	errors     []FileError
	addRoots   []string
	dropRoots  []string
	remove     []FileRecord // no longer there
	known      map[string][]FileRecord
}

// A planner works out a plan from the file tree and what the store holds.
type planner struct {
	plan
	roots   []string
	records []FileRecord
	takes   func(path string) bool // Options.walks
	seen    map[string]bool        // absolute paths of candidates and removed files
}

func (p *planner) add(ctx context.Context, t target) error {
	if !t.folder {
		p.candidate(candidate{abs: t.path, key: p.keyFor(t.path), named: true})
		return nil
	}
	root := rootOf(p.roots, t.path)
	if root == "" {
		root = t.path
		p.addRoots = append(p.addRoots, root)
		p.roots = append(p.roots, root)
	}
	for _, inner := range p.roots {
		if inner != root && within(root, inner) && within(t.path, inner) && !slices.Contains(p.dropRoots, inner) {
			p.dropRoots = append(p.dropRoots, inner)
		}
	}
	w := walker{root: root, takes: p.takes}
	if err := w.walk(ctx, t.path); err != nil {
		return err
	}
	p.skips = append(p.skips, w.skips...)
	p.errors = append(p.errors, w.errors...)
	for _, c := range w.found {
		p.candidate(c)
	}
	p.forget(t.path, root, w.errors)
	return nil
}

// candidate adds c unless its file is one already.
func (p *planner) candidate(c candidate) {
	if !p.seen[c.abs] {
		p.seen[c.abs] = true
		p.candidates = append(p.candidates, c)
	}
}

// forget removes the known files below dir that the walk did not find, except those that were named themselves and
// still exist, and those below folders that could not be read.
func (p *planner) forget(dir, root string, unread []FileError) {
	for _, r := range p.records {
		abs := r.abs()
		if abs == "" || !within(dir, abs) || p.seen[abs] {
			continue
		}
		if slices.ContainsFunc(unread, func(e FileError) bool { return within(e.Path, abs) }) {
			continue
		}
		if _, err := os.Lstat(abs); r.Named && err == nil {
			p.candidate(candidate{abs: abs, key: FileKey{root, relative(root, abs)}, named: true})
			continue
		}
		p.seen[abs] = true
		p.remove = append(p.remove, r)
	}
}

// keyFor names a single file: within the root that holds it, else within its own folder.
func (p *planner) keyFor(abs string) FileKey {
	root := rootOf(p.roots, abs)
	if root == "" {
		root = filepath.Dir(abs)
	}
	return FileKey{root, relative(root, abs)}
}

// rootOf is the outermost of roots that holds path, "" for none.
func rootOf(roots []string, path string) string {
	best := ""
	for _, r := range roots {
		if within(r, path) && (best == "" || len(r) < len(best)) {
			best = r
		}
	}
	return best
}

// abs is the file's place on this machine, "" for a record of Put.
func (f FileRecord) abs() string {
	if !filepath.IsAbs(f.Root) {
		return ""
	}
	return filepath.Join(f.Root, filepath.FromSlash(f.Path))
}

// plan reads the store and the file tree. Without targets everything that the index knows is looked at again.
func (x *Index) plan(ctx context.Context, targets []target) (plan, error) {
	p := planner{takes: x.opts.walks, seen: map[string]bool{}, plan: plan{known: map[string][]FileRecord{}}}
	var err error
	if p.roots, err = x.store.Roots(ctx); err != nil {
		return plan{}, err
	}
	if p.records, err = x.store.Files(ctx); err != nil {
		return plan{}, err
	}
	for _, r := range p.records {
		if abs := r.abs(); abs != "" {
			p.known[abs] = append(p.known[abs], r)
		}
	}
	if len(targets) == 0 {
		if targets, err = p.everything(); err != nil {
			return plan{}, err
		}
	}
	for _, t := range targets {
		if err := p.add(ctx, t); err != nil {
			return plan{}, err
		}
	}
	slices.SortFunc(p.candidates, func(a, b candidate) int { return strings.Compare(a.abs, b.abs) })
	byPath := func(a, b FileError) int { return cmp.Compare(a.Path, b.Path) }
	slices.SortFunc(p.skips, byPath)
	return p.plan, nil
}

// everything is every root and every single file outside of them; such files that are gone are removed.
func (p *planner) everything() ([]target, error) {
	targets, err := resolve(p.roots)
	if err != nil {
		return nil, fmt.Errorf("an indexed folder is gone (remove it from the index or bring it back): %w", err)
	}
	for _, r := range p.records {
		abs := r.abs()
		if abs == "" || rootOf(p.roots, abs) != "" {
			continue
		}
		if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
			p.remove = append(p.remove, r)
			p.seen[abs] = true
			continue
		}
		targets = append(targets, target{path: abs})
	}
	return targets, nil
}

func compareKeys(a, b FileKey) int {
	return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Path, b.Path))
}
