package index

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ignoreName is the name of the files whose rules a walk follows.
const ignoreName = ".gitignore"

// ignoreFile is one .gitignore: its rules are about the paths below dir.
type ignoreFile struct {
	dir   string // absolute
	rules []ignoreRule
}

type ignoreRule struct {
	match  *regexp.Regexp // of the path relative to the file's folder
	keep   bool           // the line began with !
	folder bool           // the line ended with /
}

// readIgnoreFile reads the .gitignore of dir; it is nil where there is none.
func readIgnoreFile(dir string) (*ignoreFile, error) {
	data, err := os.ReadFile(filepath.Join(dir, ignoreName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file := &ignoreFile{dir: dir}
	for line := range strings.Lines(string(data)) {
		if rule, ok := parseIgnoreRule(strings.TrimRight(line, "\r\n")); ok {
			file.rules = append(file.rules, rule)
		}
	}
	return file, nil
}

// parseIgnoreRule reads one line as gitignore(5) says; ok is false for a blank line, a comment or a broken pattern,
// which git ignores too.
func parseIgnoreRule(line string) (rule ignoreRule, ok bool) {
	if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, `\`) {
		line = trimmed
	}
	if line == "" || line[0] == '#' {
		return rule, false
	}
	line, rule.keep = strings.CutPrefix(line, "!")
	line, rule.folder = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule, false
	}
	expr := globExpr(line, false)
	if strings.HasSuffix(line, "/**") {
		expr = globExpr(strings.TrimSuffix(line, "**"), false) + ".+"
	}
	if !anchored {
		expr = `(?:.*/)?` + expr
	}
	var err error
	rule.match, err = compileWhole(expr)
	return rule, err == nil
}

// ignores are the .gitignore files above a folder, outermost first.
type ignores []*ignoreFile

// in returns the ignores that hold inside dir.
func (ig ignores) in(dir string) (ignores, error) {
	file, err := readIgnoreFile(dir)
	if err != nil || file == nil {
		return ig, err
	}
	return append(ig[:len(ig):len(ig)], file), nil
}

// ignored reports whether the innermost rule about path, an entry of a folder that is not ignored itself, ignores it.
func (ig ignores) ignored(path string, folder bool) bool {
	for i := len(ig) - 1; i >= 0; i-- {
		rel, err := filepath.Rel(ig[i].dir, path)
		if err != nil {
			continue // another volume: none of this file's business
		}
		rel = filepath.ToSlash(rel)
		for j := len(ig[i].rules) - 1; j >= 0; j-- {
			rule := ig[i].rules[j]
			if (folder || !rule.folder) && rule.match.MatchString(rel) {
				return !rule.keep
			}
		}
	}
	return false
}
