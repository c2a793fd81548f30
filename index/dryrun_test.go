package index_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func TestADryRunTellsWhatAnUpdateWouldDoAndDoesNothing(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 8}
	x := open(t, newStore(t), e, index.Options{EmbedBatch: 2})
	dir := folder(t, map[string]string{"same.md": "same", "old.md": "old", "gone.md": "gone", "binary.md": "a\x00"})
	update(t, x, dir)
	write(t, dir, map[string]string{"old.md": "new words", "one.md": "one", "two.md": "two", "copy.md": "# T\none", "picture.png": "x"})
	require.NoError(t, os.Remove(filepath.Join(dir, "gone.md")))
	version, err := x.Version(t.Context())
	require.NoError(t, err)
	calls := e.calls

	dry, err := x.Update(t.Context(), []string{dir}, index.UpdateOptions{DryRun: true, Patterns: &index.Patterns{Exclude: []string{"nothing"}}})
	require.NoError(t, err)
	assert.True(t, dry.DryRun)
	assert.Equal(t, index.FileCounts{Indexed: 4, Unchanged: 1, Removed: 1, Skipped: 1, Failed: 1}, dry.Files)
	require.NotNil(t, dry.Embedding)
	assert.Equal(t, "m", dry.Embedding.Model)
	assert.Equal(t, 4, dry.Embedding.Texts)
	assert.Equal(t, 2, dry.Embedding.Calls)
	assert.Equal(t, calls, e.calls, "the embedder is not called")

	after, err := x.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, version, after)
	assert.Equal(t, []string{"gone.md", "old.md", "same.md"}, paths(t, x, ""))
	patterns, err := x.Patterns(t.Context())
	require.NoError(t, err)
	assert.Empty(t, patterns)

	e.texts = nil
	real := update(t, x, dir)
	assert.Equal(t, dry.Files, real.Files, "the update does what the dry run told")
	assert.Equal(t, dry.Passages, real.Passages)
	assert.Equal(t, dry.Bytes, real.Bytes)
	assert.Equal(t, dry.Entries, real.Entries)
	assert.Len(t, e.texts, dry.Embedding.Texts, "as many texts are embedded as it told")
}

func TestADryRunCountsTheTextsThatAnEarlierUpdateCouldNotEmbed(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 8, refuse: func([]string) error { return errDown }}
	x := open(t, newStore(t), e, index.Options{})
	dir := folder(t, map[string]string{"a.md": strings.Repeat("word ", 40), "b.md": "数据库每天晚上备份"})
	_, err := x.Update(t.Context(), []string{dir}, index.UpdateOptions{})
	require.NoError(t, err)
	dry, err := x.Update(t.Context(), []string{dir}, index.UpdateOptions{DryRun: true})
	require.NoError(t, err)
	assert.Equal(t, index.FileCounts{Unchanged: 2}, dry.Files)
	assert.Equal(t, 2, dry.Embedding.Texts)
	assert.Equal(t, 1, dry.Embedding.Calls)
	assert.Equal(t, (4+2+40*5-1+3)/4+9+(4+2+3)/4, dry.Embedding.Tokens, "a token for four letters and for each ideograph, with the title")
}

func TestADryRunWithoutAnEmbedderTellsNoCost(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	dry, err := x.Update(t.Context(), []string{dir}, index.UpdateOptions{DryRun: true})
	require.NoError(t, err)
	assert.Nil(t, dry.Embedding)
	assert.Equal(t, 1, dry.Files.Indexed)
	roots, err := x.Roots(t.Context())
	require.NoError(t, err)
	assert.Empty(t, roots)
	removed, err := x.Remove(t.Context(), []string{dir}, index.RemoveOptions{DryRun: true})
	require.ErrorIs(t, err, index.ErrNotIndexed)
	assert.Zero(t, removed.Files)

	update(t, x, dir)
	removed, err = x.Remove(t.Context(), []string{dir}, index.RemoveOptions{DryRun: true})
	require.NoError(t, err)
	assert.Equal(t, []index.Entry{{Path: filepath.Join(dir, "a.md"), Status: index.StatusRemoved}}, removed.Entries)
	assert.Equal(t, []string{"a.md"}, paths(t, x, ""))
}

func TestEveryFileHasOneEntryWithWhatBecameOfIt(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 8, refuse: func(texts []string) error {
		if strings.Contains(strings.Join(texts, " "), "poison") {
			return errors.New("too long")
		}
		return nil
	}}
	x := open(t, newStore(t), e, index.Options{})
	dir := folder(t, map[string]string{"same.md": "same", "gone.md": "gone", "turned.md": "text"})
	update(t, x, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, "gone.md")))
	write(t, dir, map[string]string{"turned.md": "\x00", "new.md": "# N\nnew\n\n# M\nmore", "poisoned.md": "poison", "a.png": "x"})
	report := update(t, x, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	require.Len(t, report.Entries, 6)
	for i := range report.Entries {
		if report.Entries[i].Status == index.StatusFailed {
			assert.NotEmpty(t, report.Entries[i].Reason)
			report.Entries[i].Reason = ""
		}
	}
	assert.Equal(t, []index.Entry{
		{Path: at("a.png"), Status: index.StatusSkipped, Reason: ".png files are not read"},
		{Path: at("gone.md"), Status: index.StatusRemoved},
		{Path: at("new.md"), Status: index.StatusIndexed, Passages: 2},
		{Path: at("poisoned.md"), Status: index.StatusFailed},
		{Path: at("same.md"), Status: index.StatusUnchanged},
		{Path: at("turned.md"), Status: index.StatusFailed},
	}, report.Entries)
}
