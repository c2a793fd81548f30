package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A plan is what an update looks at and what it forgets.
type plan struct {
	candidates []candidate
	skips      []FileError
	errors     []FileError
	folders    []string // that were walked
	addRoots   []string
	dropRoots  []string
	notes      []Note       // new patterns of roots
	remove     []FileRecord // no longer there
	known      map[string][]FileRecord
}

// A planner works out a plan from the file tree and what the store holds.
type planner struct {
	plan
	roots   []string
	records []FileRecord
	takes   func(path string) bool // Options.walks
	chosen  map[string]selection   // by root
	change  *Patterns              // for the roots that are walked; nil for none
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
	if err := p.choose(root, t.path); err != nil {
		return err
	}
	w := p.walker(root)
	if err := w.walk(ctx, t.path); err != nil {
		return err
	}
	p.walked(t.path, w)
	return nil
}

// choose gives root the patterns that were asked for with folder.
func (p *planner) choose(root, folder string) error {
	switch {
	case p.change == nil:
		return nil
	case root != folder:
		return fmt.Errorf("%s lies in the indexed folder %s, which has one set of patterns: name that folder to change them", folder, root)
	}
	note, err := p.change.note(root)
	if err != nil {
		return err
	}
	p.notes = append(p.notes, note)
	p.chosen[root], err = p.change.compile()
	return err
}

func (p *planner) walker(root string) *walker {
	return &walker{root: root, takes: p.takes, chosen: p.chosen[root]}
}

// walked takes over what w found at path, and forgets what it did not find there.
func (p *planner) walked(path string, w *walker) {
	p.skips = append(p.skips, w.skips...)
	p.errors = append(p.errors, w.errors...)
	p.folders = append(p.folders, w.folders...)
	for _, c := range w.found {
		p.candidate(c)
	}
	p.forget(path, w.root, w.errors)
}

// touch looks at path, which may have come, changed or gone since the last update, as the walk of its root would.
func (p *planner) touch(ctx context.Context, path string) error {
	if filepath.Base(path) == ignoreName {
		path = filepath.Dir(path)
	}
	root := rootOf(p.roots, path)
	if root == "" {
		p.touchNamed(path)
		return nil
	}
	if _, err := os.Lstat(root); err != nil {
		return fmt.Errorf("an indexed folder is gone (remove it from the index or bring it back): %w", namedError(root, err))
	}
	info, err := os.Lstat(path)
	if err == nil && linked(root, path) {
		err = fs.ErrNotExist // no walk of the root gets there
	}
	switch {
	case err == nil && info.IsDir():
		return p.add(ctx, target{path: path, folder: true})
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return namedError(path, err)
	}
	w := p.walker(root)
	if err == nil {
		w.one(path, info.Mode())
	}
	p.walked(path, w)
	return nil
}

// linked reports whether a folder between root and path is a symbolic link.
func linked(root, path string) bool {
	for dir := filepath.Dir(path); dir != root && within(root, dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// touchNamed looks at a file outside of all roots, if the index knows it.
func (p *planner) touchNamed(path string) {
	for _, r := range p.known[path] {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			p.seen[path] = true
			p.remove = append(p.remove, r)
		} else {
			p.candidate(candidate{abs: path, key: FileKey{r.Root, r.Path}, named: true})
		}
	}
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

// plan reads the store and the file tree.
func (x *Index) plan(ctx context.Context, ask func(*planner) error, change *Patterns) (plan, error) {
	p, err := x.planner(ctx, change)
	if err == nil {
		err = ask(p)
	}
	if err != nil {
		return plan{}, err
	}
	slices.SortFunc(p.candidates, func(a, b candidate) int { return strings.Compare(a.abs, b.abs) })
	return p.plan, nil
}

func (x *Index) planner(ctx context.Context, change *Patterns) (*planner, error) {
	p := &planner{takes: x.opts.walks, change: change, chosen: map[string]selection{}, seen: map[string]bool{},
		plan: plan{known: map[string][]FileRecord{}}}
	var err error
	if p.roots, err = x.store.Roots(ctx); err != nil {
		return nil, err
	}
	if p.records, err = x.store.Files(ctx); err != nil {
		return nil, err
	}
	for _, r := range p.records {
		if abs := r.abs(); abs != "" {
			p.known[abs] = append(p.known[abs], r)
		}
	}
	patterns, err := x.Patterns(ctx)
	if err != nil {
		return nil, err
	}
	for root, chosen := range patterns {
		if p.chosen[root], err = chosen.compile(); err != nil {
			return nil, fmt.Errorf("patterns of %s: %w", root, err)
		}
	}
	return p, nil
}

// targets plans an update of folders and files; without any, of everything that the index knows.
func (p *planner) targets(ctx context.Context, targets []target) (err error) {
	if p.change != nil && (len(targets) == 0 || slices.ContainsFunc(targets, func(t target) bool { return !t.folder })) {
		return errors.New("patterns belong to folders: name folders only")
	}
	if len(targets) == 0 {
		if targets, err = p.everything(); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := p.add(ctx, t); err != nil {
			return err
		}
	}
	return nil
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
