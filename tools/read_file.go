package tools

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/state"
)

//go:embed read_file.md
var readFileDoc string

// Limits of read_file: the largest file that it opens, and the most text that one call returns.
const (
	MaxFileBytes = 16 << 20
	MaxReadBytes = 64 << 10
)

// ReadArgs are the arguments of read_file.
type ReadArgs struct {
	Path      string `json:"path" jsonschema:"path of the file, as the searches name it"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"first line, from 1; default the first"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"last line, inclusive; default the last"`
}

// ReadFile is read_file. It reads only inside the roots of the knowledge base, after all symbolic links are resolved, or a
// file that was indexed by its name; it clamps the range to the file. Its errors are NOT_FOUND, ACCESS_DENIED (with the allowed roots), NOT_A_FILE and
// TOO_LARGE.
func ReadFile(lib Library) Tool {
	return New("read_file", readFileDoc, state.ScoreNone, func(ctx context.Context, a ReadArgs) (Result, error) {
		roots, err := lib.Roots(ctx)
		if err != nil {
			return Result{}, err
		}
		named, err := namedFolders(ctx, lib, a.Path, roots)
		if err != nil {
			return Result{}, err
		}
		file, rel, err := locate(slices.Concat(roots, named), a.Path)
		if err != nil {
			return Result{}, err
		}
		text, err := readText(file, a.Path)
		if err != nil {
			return Result{}, err
		}
		item, err := excerpt(text, rel, a)
		if err != nil {
			return Result{}, err
		}
		return Result{Items: []state.Evidence{item}}, nil
	})
}

// locate finds path under the roots and returns the real file and its path relative to its root.
func locate(roots []string, path string) (file, rel string, err error) {
	denied := &Error{Code: CodeAccessDenied, Message: fmt.Sprintf("%s is outside the knowledge base; allowed roots: %s", path, strings.Join(roots, ", "))}
	if path == "" {
		return "", "", &Error{Code: CodeBadArguments, Message: "read_file: path is empty"}
	}
	outside := false
	for _, root := range roots {
		candidate := filepath.FromSlash(path)
		if !filepath.IsAbs(candidate) {
			candidate = filepath.Join(root, candidate)
		}
		if !inside(root, candidate) {
			outside = true
			continue
		}
		real, err := filepath.EvalSymlinks(candidate)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", "", &Error{Code: CodeFailed, Message: err.Error()}
		}
		realRoot, err := filepath.EvalSymlinks(root)
		if err != nil {
			return "", "", &Error{Code: CodeFailed, Message: err.Error()}
		}
		if !inside(realRoot, real) {
			return "", "", denied
		}
		rel, err := filepath.Rel(root, candidate)
		if err != nil {
			return "", "", &Error{Code: CodeFailed, Message: err.Error()}
		}
		return real, filepath.ToSlash(rel), nil
	}
	if outside {
		return "", "", denied
	}
	return "", "", &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no file %s in the knowledge base; list_files names what there is", path)}
}

// namedFolders are the folders of the file path when it was indexed by its name, outside of all roots. Only this file of
// them may be read.
func namedFolders(ctx context.Context, lib Library, path string, roots []string) ([]string, error) {
	files, err := lib.Files(ctx, "")
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, f := range files {
		if f.Path == path && !slices.Contains(roots, f.Root) {
			folders = append(folders, f.Root)
		}
	}
	return folders, nil
}

// inside says whether path is root or lies below it, by name.
func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func readText(file, shown string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: err.Error()}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: err.Error()}
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Code: CodeNotAFile, Message: shown + " is no regular file; list_files names the files below it"}
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	switch {
	case err != nil:
		return nil, &Error{Code: CodeFailed, Message: err.Error()}
	case len(text) > MaxFileBytes:
		return nil, &Error{Code: CodeTooLarge, Message: fmt.Sprintf("%s is larger than %d MiB", shown, MaxFileBytes>>20)}
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		return nil, &Error{Code: CodeNotAFile, Message: shown + " is no text file"}
	}
	return text, nil
}

// excerpt cuts the wanted lines out of text, byte for byte.
func excerpt(text []byte, rel string, a ReadArgs) (state.Evidence, error) {
	starts := lineStarts(text)
	first := min(max(a.StartLine, 1), len(starts))
	last := len(starts)
	if a.EndLine > 0 {
		last = min(max(a.EndLine, first), len(starts))
	}
	from, to := starts[first-1], len(text)
	if last < len(starts) {
		to = starts[last]
	}
	if to-from > MaxReadBytes {
		return state.Evidence{}, &Error{Code: CodeTooLarge, Message: fmt.Sprintf(
			"lines %d-%d of %s are %d KiB, the limit is %d: give a smaller start_line and end_line (the file has %d lines)",
			first, last, rel, (to-from)>>10, MaxReadBytes>>10, len(starts))}
	}
	content := strings.TrimRight(string(text[from:to]), "\r\n")
	to = from + len(content)
	return state.Evidence{
		ID: state.EvidenceID(rel, from, to, content), Tool: "read_file", Path: rel,
		StartLine: first, EndLine: first + strings.Count(content, "\n"), StartByte: from, EndByte: to,
		Content: content, ScoreKind: state.ScoreNone,
	}, nil
}

// lineStarts is the offset of each line of text; a final newline starts no further line.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, b := range text {
		if b == '\n' && i+1 < len(text) {
			starts = append(starts, i+1)
		}
	}
	return starts
}
