package index_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func updateWith(t testing.TB, x *index.Index, p index.Patterns, paths ...string) index.Report {
	t.Helper()
	report, err := x.Update(t.Context(), paths, index.UpdateOptions{Patterns: &p})
	require.NoError(t, err)
	return report
}

func TestPatternsChooseAmongTheFilesOfAFolder(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.md": "x", "b.txt": "x", "CHANGES": "x", "server.log": "x", "docs/a.md": "x", "docs/old/a.md": "x", "docs/old/deep/b.md": "x",
		"drafts/a.md": "x", "sub/drafts/c.md": "x", "sub/drafts.md": "x", ".gitignore": "ignored.md", "ignored.md": "x", ".hidden/a.md": "x",
	})
	for _, c := range []struct {
		name     string
		patterns index.Patterns
		want     []string
	}{
		{"none leaves nothing out", index.Patterns{}, []string{"a.md", "b.txt", "docs/a.md", "docs/old/a.md", "docs/old/deep/b.md", "drafts/a.md", "sub/drafts.md", "sub/drafts/c.md"}},
		{"a name holds at any depth", index.Patterns{Include: []string{"a.md"}}, []string{"a.md", "docs/a.md", "docs/old/a.md", "drafts/a.md"}},
		{"a path holds from the root", index.Patterns{Include: []string{"docs/a.md"}}, []string{"docs/a.md"}},
		{"a slash in front anchors a name", index.Patterns{Include: []string{"/a.md"}}, []string{"a.md"}},
		{"several includes add up", index.Patterns{Include: []string{"*.txt", "docs/*.md"}}, []string{"b.txt", "docs/a.md"}},
		{"two stars cross folders", index.Patterns{Include: []string{"docs/**/*.md"}}, []string{"docs/a.md", "docs/old/a.md", "docs/old/deep/b.md"}},
		{"a folder is all below it", index.Patterns{Include: []string{"docs/old"}}, []string{"docs/old/a.md", "docs/old/deep/b.md"}},
		{"a star at the end stays in its folder", index.Patterns{Include: []string{"docs/*"}}, []string{"docs/a.md"}},
		{"a slash behind is all below a folder", index.Patterns{Include: []string{"o*/"}}, []string{"docs/old/a.md", "docs/old/deep/b.md"}},
		{"two stars at the end are all below a folder", index.Patterns{Include: []string{"docs/**"}}, []string{"docs/a.md", "docs/old/a.md", "docs/old/deep/b.md"}},
		{"an excluded folder is not entered, at any depth", index.Patterns{Exclude: []string{"drafts", "docs"}}, []string{"a.md", "b.txt", "sub/drafts.md"}},
		{"with a slash behind, folders only", index.Patterns{Exclude: []string{"drafts*/", "docs/"}}, []string{"a.md", "b.txt", "sub/drafts.md"}},
		{"exclude wins", index.Patterns{Include: []string{"*.md"}, Exclude: []string{"docs/**", "drafts*"}}, []string{"a.md"}},
		{"braces are alternatives", index.Patterns{Include: []string{"/*.{txt,md}"}}, []string{"a.md", "b.txt"}},
		{"an extension or a whole name is read though it is of no known format", index.Patterns{Include: []string{"*.log", "CHANGES"}}, []string{"CHANGES", "server.log"}},
		{"a pattern with a star at its end only chooses", index.Patterns{Include: []string{"/*"}}, []string{"a.md", "b.txt"}},
		{"ignored and hidden files stay out", index.Patterns{Include: []string{"ignored.md", ".hidden/a.md"}}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newIndex(t)
			updateWith(t, x, c.patterns, dir)
			assert.Equal(t, c.want, paths(t, x, ""))
		})
	}
}

func TestAFolderKeepsItsPatternsUntilOthersAreGiven(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "x", "sub/b.md": "x", "c.txt": "x"})
	all := updateWith(t, x, index.Patterns{Include: []string{"*.md"}}, dir)
	assert.Equal(t, index.FileCounts{Indexed: 2}, all.Files, "what patterns leave out is not counted")

	write(t, dir, map[string]string{"d.txt": "x", "sub/e.md": "x", "sub/f.txt": "x"})
	assert.Equal(t, index.FileCounts{Indexed: 1, Unchanged: 2}, update(t, x, dir).Files)
	assert.Equal(t, index.FileCounts{Unchanged: 3}, update(t, x).Files)
	assert.Equal(t, index.FileCounts{Unchanged: 2}, update(t, x, filepath.Join(dir, "sub")).Files)
	patterns, err := x.Patterns(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]index.Patterns{dir: {Include: []string{"*.md"}}}, patterns)

	assert.Equal(t, index.FileCounts{Indexed: 3, Removed: 3}, updateWith(t, x, index.Patterns{Include: []string{"*.txt"}}, dir).Files)
	assert.Equal(t, index.FileCounts{Indexed: 3, Unchanged: 3}, updateWith(t, x, index.Patterns{}, dir).Files, "empty patterns take them away")
	patterns, err = x.Patterns(t.Context())
	require.NoError(t, err)
	assert.Empty(t, patterns)
}

func TestPatternsGoWithTheirRoot(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "x", "sub/b.md": "x", "sub/c.txt": "x"})
	updateWith(t, x, index.Patterns{Include: []string{"*.txt"}}, filepath.Join(dir, "sub"))
	update(t, x, dir)
	assert.Equal(t, []string{"a.md", "sub/b.md", "sub/c.txt"}, paths(t, x, ""), "the new root above has no patterns")
	_, err := x.Remove(t.Context(), []string{dir}, index.RemoveOptions{})
	require.NoError(t, err)
	patterns, err := x.Patterns(t.Context())
	require.NoError(t, err)
	assert.Empty(t, patterns)
}

func TestANamedFileIsTakenWhateverThePatternsOfItsRoot(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "x", "b.txt": "x"})
	updateWith(t, x, index.Patterns{Include: []string{"*.md"}}, dir)
	assert.Equal(t, 1, update(t, x, filepath.Join(dir, "b.txt")).Files.Indexed)
	assert.Equal(t, index.FileCounts{Unchanged: 2}, update(t, x, dir).Files)
}

func TestPatternsAreRefusedWhereTheyWouldNotHold(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "x", "sub/b.md": "x"})
	update(t, x, dir)
	refused := func(p index.Patterns, paths ...string) error {
		_, err := x.Update(t.Context(), paths, index.UpdateOptions{Patterns: &p})
		return err
	}
	assert.ErrorContains(t, refused(index.Patterns{Include: []string{"*.md"}}, filepath.Join(dir, "sub")), "one set of patterns")
	assert.ErrorContains(t, refused(index.Patterns{Include: []string{"*.md"}}, filepath.Join(dir, "a.md")), "name folders only")
	assert.ErrorContains(t, refused(index.Patterns{Include: []string{"*.md"}}), "name folders only")
	for _, empty := range []string{"", " ", "/", "//"} {
		assert.ErrorIs(t, refused(index.Patterns{Exclude: []string{empty}}, dir), index.ErrPattern, "%q", empty)
	}
	assert.Equal(t, []string{"a.md", "sub/b.md"}, paths(t, x, ""))
	_, err := x.Refresh(t.Context(), []string{dir}, index.UpdateOptions{Patterns: &index.Patterns{}})
	require.ErrorContains(t, err, "keeps the patterns")
}

func TestAPartOfARootThatItsPatternsLeaveOutIsSkipped(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "x", "drafts/deep/b.md": "x"})
	updateWith(t, x, index.Patterns{Exclude: []string{"drafts"}}, dir)
	report := update(t, x, filepath.Join(dir, "drafts", "deep"))
	require.Len(t, report.Skips, 1)
	assert.Contains(t, report.Skips[0].Error, "patterns")
	assert.Equal(t, []string{"a.md"}, paths(t, x, ""))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "drafts")))
}
