package index_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func refresh(t testing.TB, x *index.Index, paths ...string) index.Report {
	t.Helper()
	report, err := x.Refresh(t.Context(), paths, index.UpdateOptions{})
	require.NoError(t, err)
	return report
}

func TestARefreshLooksAtNothingButWhatIsNamed(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "b.md": "beta", "sub/c.md": "gamma"})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	update(t, x, dir)
	write(t, dir, map[string]string{"a.md": "changed", "b.md": "changed", "new.md": "delta", "sub/deep/d.md": "deep"})
	assert.Equal(t, index.FileCounts{Indexed: 2}, refresh(t, x, at("a.md"), at("new.md")).Files)
	assert.Len(t, keyword(t, x, "beta"), 1, "b.md was not named")
	assert.Equal(t, index.FileCounts{Unchanged: 1}, refresh(t, x, at("a.md")).Files)

	assert.Equal(t, index.FileCounts{Indexed: 1}, refresh(t, x, at("sub/deep")).Files, "a new folder")
	require.NoError(t, os.RemoveAll(at("sub")))
	assert.Equal(t, index.FileCounts{Removed: 2}, refresh(t, x, at("sub")).Files, "a folder that is gone")
	require.NoError(t, os.Remove(at("a.md")))
	assert.Equal(t, index.FileCounts{Removed: 1}, refresh(t, x, at("a.md")).Files)
	assert.Equal(t, []string{"b.md", "new.md"}, paths(t, x, ""))
}

func TestARefreshTakesWhatTheWalkOfTheRootWouldTake(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{".gitignore": "*.tmp.md\nout/\n", "a.md": "alpha"})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	updateWith(t, x, index.Patterns{Exclude: []string{"drafts"}}, dir)
	write(t, dir, map[string]string{
		"b.tmp.md": "x", "out/c.md": "x", "drafts/d.md": "x", ".hidden.md": "x", ".git/e.md": "x", "f.png": "x", "g.md": "x",
	})
	all := []string{"b.tmp.md", "out/c.md", "out", "drafts/d.md", "drafts", ".hidden.md", ".git/e.md", "f.png", "g.md", "never/was.md", "../elsewhere.md"}
	for i, name := range all {
		all[i] = at(name)
	}
	report := refresh(t, x, all...)
	assert.Equal(t, []string{"a.md", "g.md"}, paths(t, x, ""))
	assert.Equal(t, 1, report.Files.Indexed)
	before := paths(t, x, "")
	update(t, x, dir)
	assert.Equal(t, before, paths(t, x, ""), "a whole update agrees")

	write(t, dir, map[string]string{".gitignore": "g.md"})
	assert.Equal(t, index.FileCounts{Indexed: 2, Unchanged: 1, Removed: 1, Skipped: 1}, refresh(t, x, at(".gitignore")).Files)
	assert.Equal(t, []string{"a.md", "b.tmp.md", "out/c.md"}, paths(t, x, ""), "its folder is looked at anew")
}

func TestAFileThatTurnedIntoALinkOrAFolderLeavesTheIndex(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "b.md": "beta"})
	update(t, x, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.md")))
	write(t, dir, map[string]string{"a.md/inner.md": "inner"})
	assert.Equal(t, index.FileCounts{Indexed: 1, Removed: 1}, refresh(t, x, filepath.Join(dir, "a.md")).Files)
	require.NoError(t, os.Remove(filepath.Join(dir, "b.md")))
	if err := os.Symlink("/", filepath.Join(dir, "b.md")); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	assert.Equal(t, index.FileCounts{Removed: 1, Skipped: 1}, refresh(t, x, filepath.Join(dir, "b.md")).Files)
	assert.Equal(t, []string{"a.md/inner.md"}, paths(t, x, ""))
}

func TestARefreshKnowsFilesThatWereNamedThemselves(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"notes.log": "alpha", "other.md": "beta"})
	file := filepath.Join(dir, "notes.log")
	update(t, x, file)
	write(t, dir, map[string]string{"notes.log": "changed"})
	assert.Equal(t, index.FileCounts{Indexed: 1}, refresh(t, x, file, filepath.Join(dir, "other.md")).Files)
	require.NoError(t, os.Remove(file))
	assert.Equal(t, index.FileCounts{Removed: 1}, refresh(t, x, file).Files)
}

func TestARootThatIsGoneIsAnErrorAndKeepsItsFiles(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"docs/a.md": "alpha"})
	root := filepath.Join(dir, "docs")
	update(t, x, root)
	require.NoError(t, os.Rename(root, filepath.Join(dir, "unmounted")))
	_, err := x.Refresh(t.Context(), []string{filepath.Join(root, "a.md")}, index.UpdateOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, []string{"a.md"}, paths(t, x, ""))
}

func TestFoldersAreThoseThatAnUpdateReads(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a/b/c.md": "x", "node_modules/m.md": "x", ".gitignore": "node_modules", "drafts/d.md": "x", "empty/.keep": ""})
	got, err := x.Folders(t.Context(), []string{dir}, index.UpdateOptions{Patterns: &index.Patterns{Exclude: []string{"drafts"}}})
	require.NoError(t, err)
	slices.Sort(got)
	assert.Equal(t, []string{dir, filepath.Join(dir, "a"), filepath.Join(dir, "a", "b"), filepath.Join(dir, "empty")}, got)
	assert.Empty(t, paths(t, x, ""))
}

// Between a change and the look at it a folder may have become a link.
func TestARefreshDoesNotReachBehindALink(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "sub/b.md": "beta"})
	outside := folder(t, map[string]string{"b.md": "zebra", "deep/c.md": "zebra"})
	update(t, x, dir)
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.RemoveAll(sub))
	if err := os.Symlink(outside, sub); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	assert.Equal(t, index.FileCounts{Removed: 1}, refresh(t, x, filepath.Join(sub, "b.md"), filepath.Join(sub, "deep"), filepath.Join(sub, "deep", "c.md")).Files)
	assert.Equal(t, []string{"a.md"}, paths(t, x, ""))
}
