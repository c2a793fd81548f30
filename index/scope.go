package index

import (
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

// abs is the file's place on this machine, "" for what is no file of it: a record of Put, a page of the web.
func (k FileKey) abs() string {
	if !filepath.IsAbs(k.Root) {
		return ""
	}
	return filepath.Join(k.Root, filepath.FromSlash(k.Path))
}

// place is how a report names the file: abs, or the address of a page, or for a record its root and path.
func (k FileKey) place() string {
	switch abs := k.abs(); {
	case abs != "":
		return abs
	case isAddress(k.Path):
		return k.Path
	default:
		return k.Root + "/" + k.Path
	}
}

// isAddress reports whether a path of a file is a URL.
func isAddress(path string) bool { return strings.Contains(path, "://") }

func (f FileRecord) key() FileKey { return FileKey{f.Root, f.Path} }

func (f FileRecord) abs() string { return f.key().abs() }
