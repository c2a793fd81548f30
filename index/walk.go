package index

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A candidate is a file to look at.
type candidate struct {
	abs   string // for a page its address
	key   FileKey
	named bool // named itself, not found in a folder

	loadAs string // of a page: the name that tells its format
}

// name is what the format is told by.
func (c candidate) name() string {
	if c.loadAs != "" {
		return c.loadAs
	}
	return c.key.Path
}

// walker finds the files of a folder. It follows no links, so that there are no loops and nothing outside the root.
type walker struct {
	root    string // paths are relative to it
	takes   func(path string) bool
	chosen  selection
	found   []candidate
	folders []string // that were read, or could not be
	skips   []FileError
	errors  []FileError // folders that could not be read: what is below them is not known
}

// readExtensions are those of the files that a folder's walk takes without a Loader.
var readExtensions = map[string]bool{
	".md": true, ".markdown": true, ".mdx": true,
	".txt": true, ".text": true, ".rst": true, ".adoc": true, ".org": true,
}

// walk visits dir, which lies in the root or is the root, in order of name.
func (w *walker) walk(ctx context.Context, dir string) error {
	above, visible, err := w.above(dir)
	if err != nil {
		w.fail(dir, err)
		return nil
	}
	switch {
	case !visible:
		w.skip(dir, "hidden or ignored by a .gitignore of its root")
		return nil
	case dir != w.root && w.chosen.leavesOut(relative(w.root, dir), true):
		w.skip(dir, "left out by the patterns of its root")
		return nil
	}
	return w.folder(ctx, dir, above)
}

// one looks at a single entry of a folder, which lies in the root.
func (w *walker) one(path string, mode fs.FileMode) {
	dir := filepath.Dir(path)
	rules, visible, err := w.above(dir)
	if err == nil && visible {
		rules, err = rules.in(dir)
	}
	switch {
	case err != nil:
		w.fail(dir, err)
	case visible && !w.leavesOut(path, false, rules):
		w.file(path, mode)
	}
}

// leavesOut reports whether a file or folder is none of the walk's business.
func (w *walker) leavesOut(path string, folder bool, rules ignores) bool {
	return strings.HasPrefix(filepath.Base(path), ".") || rules.ignored(path, folder) || w.chosen.leavesOut(relative(w.root, path), folder)
}

func (w *walker) folder(ctx context.Context, dir string, above ignores) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.folders = append(w.folders, dir)
	rules, err := above.in(dir)
	if err != nil {
		w.fail(dir, err)
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.fail(dir, err)
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if w.leavesOut(path, e.IsDir(), rules) {
			continue
		}
		if e.IsDir() {
			if err := w.folder(ctx, path, rules); err != nil {
				return err
			}
			continue
		}
		w.file(path, e.Type())
	}
	return nil
}

func (w *walker) file(path string, mode fs.FileMode) {
	rel := relative(w.root, path)
	takes := w.takes(rel) || w.chosen.forces(rel)
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case mode&fs.ModeSymlink != 0:
		w.skip(path, "a symbolic link: index what it points to by its own name")
	case !mode.IsRegular():
		w.skip(path, "not a regular file")
	case !takes && ext == "":
		w.skip(path, "no file extension")
	case !takes:
		w.skip(path, fmt.Sprintf("%s files are not read", ext))
	default:
		w.found = append(w.found, candidate{abs: path, key: FileKey{w.root, rel}})
	}
}

// above collects the ignore files that hold for dir: those of its root and the folders between, and those of the
// repository that the root lies in, unless they ignore the root itself. visible is false when dir is hidden or ignored.
func (w *walker) above(dir string) (rules ignores, visible bool, err error) {
	repository := repositoryOf(w.root)
	if rules, visible, err = descend(nil, repository, w.root); err != nil {
		return nil, false, err
	}
	if !visible {
		rules = nil // the root was named although its repository ignores it
	}
	return descend(rules, w.root, dir)
}

// descend collects the ignore files of from and the folders below it on the way to, but not including, to.
func descend(rules ignores, from, to string) (_ ignores, visible bool, err error) {
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return nil, false, err
	}
	if rel == "." {
		return rules, true, nil
	}
	dir := from
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if rules, err = rules.in(dir); err != nil {
			return nil, false, err
		}
		dir = filepath.Join(dir, name)
		if strings.HasPrefix(name, ".") || rules.ignored(dir, true) {
			return nil, false, nil
		}
	}
	return rules, true, nil
}

// repositoryOf is the closest folder at or above dir that holds a .git, or dir itself.
func repositoryOf(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}

func (w *walker) skip(path, why string) { w.skips = append(w.skips, FileError{path, why}) }

func (w *walker) fail(path string, err error) {
	w.errors = append(w.errors, FileError{path, reason(err)})
}

// relative is path from root, with forward slashes; path lies in root.
func relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// within reports whether path is dir or lies below it; both are absolute and clean.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
