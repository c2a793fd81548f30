package index_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ignoreTree has nested .gitignore files that exercise gitignore(5). Every file is Markdown, so that only they decide.
var ignoreTree = map[string]string{
	".gitignore": strings.Join([]string{
		"# comment", "", "build/", "/top.md", "*.tmp.md", "!keep.tmp.md", "docs/*.draft.md", "**/cache/*.md", "deep/**", "!deep/",
		"a/**/z.md", `\#hash.md`, `\!bang.md`, "trailing.md   ", "q?.md", "[0-9]num.md", "[!x]neg.md", "middle/file.md", "a+b.md", "[broken.md", "node_modules",
	}, "\n"),
	"top.md": "x", "sub/top.md": "x", "build/a.md": "x", "sub/build/a.md": "x", "x.tmp.md": "x", "keep.tmp.md": "x",
	"docs/a.draft.md": "x", "docs/sub/a.draft.md": "x", "cache/a.md": "x", "sub/cache/a.md": "x", "sub/cache/deeper/a.md": "x",
	"deep/a.md": "x", "deep/b/a.md": "x", "a/z.md": "x", "a/b/c/z.md": "x", "#hash.md": "x", "!bang.md": "x", "trailing.md": "x",
	"q1.md": "x", "q12.md": "x", "1num.md": "x", "xnum.md": "x", "aneg.md": "x", "xneg.md": "x", "middle/file.md": "x", "sub/middle/file.md": "x",
	"a+b.md": "x", "aab.md": "x", "node_modules/m/readme.md": "x",
	"nested/.gitignore": "*.md\r\n!good.md\r\n/only.txt\r\n!x.tmp.md\r\n", "nested/bad.md": "x", "nested/good.md": "x", "nested/in/good.md": "x",
	"nested/only.txt": "x", "nested/in/only.txt": "x", "nested/x.tmp.md": "x",
	".hidden/a.md": "x", ".hidden.md": "x",
}

func TestIgnoredAndHiddenFilesAreNotIndexed(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, ignoreTree))
	want := []string{
		"aab.md", "docs/sub/a.draft.md", "keep.tmp.md", "nested/good.md", "nested/in/good.md", "nested/in/only.txt", "nested/x.tmp.md",
		"q12.md", "sub/cache/deeper/a.md", "sub/middle/file.md", "sub/top.md", "xneg.md", "xnum.md",
	}
	assert.Equal(t, want, paths(t, x, ""))
}

func TestGitIgnoresTheSameFiles(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := folder(t, ignoreTree)
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	run("init", "-q")
	want := strings.FieldsFunc(run("ls-files", "-z", "--others", "--exclude-standard"), func(r rune) bool { return r == 0 })
	want = slices.DeleteFunc(want, func(p string) bool { return strings.HasPrefix(p, ".") || strings.HasSuffix(p, "/.gitignore") })
	slices.Sort(want)

	x := newIndex(t)
	update(t, x, dir)
	assert.Equal(t, want, paths(t, x, ""))
	assert.Less(t, len(want), len(slices.Collect(maps.Keys(ignoreTree))))
}

func TestIgnoreFilesAboveAFolderHoldInsideIt(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{".gitignore": "*.skip.md\nout/\n", "docs/a.md": "x", "docs/b.skip.md": "x", "out/c.md": "x", "out/d.skip.md": "x", ".git/HEAD": "ref"})
	update(t, x, filepath.Join(dir, "docs"))
	assert.Equal(t, []string{"a.md"}, paths(t, x, ""), "the repository's rules hold in a root inside it")

	y := newIndex(t)
	update(t, y, filepath.Join(dir, "out"))
	assert.Equal(t, []string{"c.md", "d.skip.md"}, paths(t, y, ""), "a root that its repository ignores was meant")

	update(t, y, dir)
	report := update(t, y, filepath.Join(dir, "out"))
	assert.Equal(t, 1, report.Files.Skipped, "a part of a root is what its root makes of it")
	assert.Equal(t, []string{"docs/a.md"}, paths(t, y, ""))
}
