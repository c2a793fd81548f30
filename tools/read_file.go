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

// ReadFile is read_file. Of a file of another format or encoding than plain text, and of a page of the web, it returns the text that
// the index holds. It reads no file outside of the index and clamps the range to the file. Its errors are NOT_FOUND, ACCESS_DENIED (with the allowed roots), NOT_A_FILE and
// TOO_LARGE.
func ReadFile(lib Library) Tool {
	return New("read_file", readFileDoc, state.ScoreNone, func(ctx context.Context, a ReadArgs) (Result, error) {
		if a.Path == "" {
			return Result{}, &Error{Code: CodeBadArguments, Message: "read_file: path is empty"}
		}
		root, rel, err := locate(ctx, lib, a.Path)
		if err != nil {
			return Result{}, err
		}
		text, err := textOf(ctx, lib, root, rel, a.Path)
		if err != nil {
			return Result{}, err
		}
		item, note, err := excerpt(text, rel, a)
		if err != nil {
			return Result{}, err
		}
		if strings.TrimSpace(item.Content) == "" {
			return Result{Note: fmt.Sprintf("no_results: these lines of %s hold no text", rel)}, nil
		}
		return Result{Items: []state.Evidence{item}, Note: note}, nil
	})
}

// textOf is the text of an indexed file: of a plain file what it holds now; of a converted one what it was converted to, since
// citations count its lines; of what is no file of this machine, a page of the web for instance, what was indexed.
func textOf(ctx context.Context, lib Library, root, rel, shown string) ([]byte, error) {
	file := ""
	if filepath.IsAbs(root) {
		var err error
		if file, err = resolve(root, rel); err != nil {
			return nil, err
		}
	}
	indexed, err := lib.Text(ctx, root, rel)
	if err != nil {
		return nil, err
	}
	if file == "" || indexed.Converted {
		return []byte(indexed.Content), nil
	}
	return readText(file, shown)
}

// locate finds the indexed file that path names, relative to its root or absolute.
func locate(ctx context.Context, lib Library, path string) (root, rel string, err error) {
	files, err := lib.Files(ctx, "")
	if err != nil {
		return "", "", err
	}
	name := filepath.FromSlash(path)
	for _, f := range files {
		if path == f.Path || filepath.Clean(name) == filepath.FromSlash(f.Path) || filepath.Clean(name) == filepath.Join(f.Root, filepath.FromSlash(f.Path)) {
			return f.Root, f.Path, nil
		}
	}
	roots, err := lib.Roots(ctx)
	if err != nil {
		return "", "", err
	}
	for _, root := range roots {
		candidate := name
		if !filepath.IsAbs(candidate) {
			candidate = filepath.Join(root, candidate)
		}
		if !inside(root, candidate) {
			continue
		}
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return "", "", &Error{Code: CodeNotAFile, Message: path + " is a folder; list_files names the files below it"}
		}
		return "", "", &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no file %s in the knowledge base; list_files names what there is", path)}
	}
	return "", "", &Error{Code: CodeAccessDenied, Message: fmt.Sprintf("%s is outside the knowledge base; allowed roots: %s", path, strings.Join(roots, ", "))}
}

// resolve is the real file behind root and rel. What was a file when it was indexed may be a link to elsewhere now.
func resolve(root, rel string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(rel)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", &Error{Code: CodeNotFound, Message: rel + " is gone since it was indexed"}
	}
	if err != nil {
		return "", &Error{Code: CodeFailed, Message: err.Error()}
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", &Error{Code: CodeFailed, Message: err.Error()}
	}
	if !inside(realRoot, real) {
		return "", &Error{Code: CodeAccessDenied, Message: fmt.Sprintf("%s leads out of the knowledge base; allowed roots: %s", rel, root)}
	}
	return real, nil
}

// inside says whether path is root or lies below it, by name.
func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func readText(file, shown string) ([]byte, error) {
	info, err := os.Stat(file) // before it is opened: opening a pipe waits for its other end
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: err.Error()}
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Code: CodeNotAFile, Message: shown + " is no regular file"}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: err.Error()}
	}
	defer f.Close()
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

// excerpt cuts the wanted lines out of text, byte for byte. Of a file without a range it takes as much as one call
// returns, and the note says what is left.
func excerpt(text []byte, rel string, a ReadArgs) (item state.Evidence, note string, err error) {
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
	for a.EndLine <= 0 && to-from > MaxReadBytes && last > first {
		last--
		to = starts[last]
		note = fmt.Sprintf("only lines %d-%d of %d of %s were read; read_file takes start_line and end_line", first, last, len(starts), rel)
	}
	if to-from > MaxReadBytes {
		return item, "", &Error{Code: CodeTooLarge, Message: fmt.Sprintf(
			"lines %d-%d of %s are %d KiB, the limit is %d: give a smaller start_line and end_line (the file has %d lines)",
			first, last, rel, (to-from)>>10, MaxReadBytes>>10, len(starts))}
	}
	content := strings.TrimRight(string(text[from:to]), "\r\n")
	to = from + len(content)
	return state.Evidence{
		ID: state.EvidenceID(rel, from, to, content), Tool: "read_file", Path: rel,
		StartLine: first, EndLine: first + strings.Count(content, "\n"), StartByte: from, EndByte: to,
		Content: content, ScoreKind: state.ScoreNone,
	}, note, nil
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
