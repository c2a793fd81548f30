package index_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func TestAFolderIsIndexedAndOnlyWhatChangedIsTouchedAgain(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "# A\nalpha", "sub/b.txt": "beta", "c.org": "gamma", "image.png": "x", "Makefile": "all:"})
	report := update(t, x, dir)
	assert.Equal(t, index.FileCounts{Indexed: 3, Skipped: 2}, report.Files)
	assert.Equal(t, 3, report.Passages)
	assert.EqualValues(t, len("# A\nalpha")+len("beta")+len("gamma"), report.Bytes)
	assert.Equal(t, []string{"a.md", "c.org", "sub/b.txt"}, paths(t, x, ""))

	before, err := x.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, index.FileCounts{Unchanged: 3, Skipped: 2}, update(t, x, dir).Files)
	after, err := x.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before, after, "an update without changes commits nothing")

	write(t, dir, map[string]string{"a.md": "# A\ndelta"})
	require.NoError(t, os.Remove(filepath.Join(dir, "c.org")))
	assert.Equal(t, index.FileCounts{Indexed: 1, Unchanged: 1, Removed: 1, Skipped: 2}, update(t, x, dir).Files)
	assert.Empty(t, keyword(t, x, "alpha gamma"))
	assert.Equal(t, []string{"a.md"}, hitPaths(keyword(t, x, "delta")))
}

func TestAChangeThatKeepsSizeAndTimeIsSeen(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	file := filepath.Join(dir, "a.md")
	stamp := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(file, stamp, stamp))
	update(t, x, dir)
	write(t, dir, map[string]string{"a.md": "gamma"})
	require.NoError(t, os.Chtimes(file, stamp, stamp))
	assert.Equal(t, 1, update(t, x, dir).Files.Indexed)
}

func TestAPathThatDoesNotExistIsNamedBeforeAnythingIsChanged(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	_, err := x.Update(t.Context(), []string{dir, filepath.Join(dir, "nowhere"), ""}, index.UpdateOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "nowhere")
	assert.ErrorContains(t, err, "empty path")
	assert.Empty(t, paths(t, x, ""))
}

func TestFilesThatAreNoTextFailWithTheReasonAndTheRestGoesOn(t *testing.T) {
	x := open(t, newStore(t), nil, index.Options{MaxFileBytes: 100})
	dir := folder(t, map[string]string{
		"binary.md": "a\x00b", "latin.txt": "caf\xe9", "utf16.md": "\xff\xfea\x00", "large.txt": strings.Repeat("x", 101),
		"good.md": "\ufeffalpha", "empty.md": "",
	})
	report := update(t, x, dir)
	assert.Equal(t, index.FileCounts{Indexed: 2, Failed: 4}, report.Files)
	reasons := map[string]string{}
	for _, e := range report.Errors {
		reasons[filepath.Base(e.Path)] = e.Error
	}
	assert.Contains(t, reasons["binary.md"], "NUL")
	assert.Contains(t, reasons["latin.txt"], "offset 3")
	assert.Contains(t, reasons["utf16.md"], "UTF-16")
	assert.Contains(t, reasons["large.txt"], "limit of 100")
	assert.Len(t, keyword(t, x, "alpha"), 1)

	write(t, dir, map[string]string{"good.md": "alpha\x00"})
	assert.Equal(t, index.FileCounts{Unchanged: 1, Failed: 5}, update(t, x, dir).Files)
	assert.Empty(t, keyword(t, x, "alpha"), "a file that turned binary leaves the index")
}

func TestLinksAreNotFollowedSoThatLoopsEnd(t *testing.T) {
	x := newIndex(t)
	dir, outside := folder(t, map[string]string{"a.md": "alpha"}), folder(t, map[string]string{"secret.md": "secret"})
	for name, to := range map[string]string{"loop": dir, "out": outside, "file.md": filepath.Join(outside, "secret.md")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	assert.Equal(t, index.FileCounts{Indexed: 1, Skipped: 3}, update(t, x, dir).Files)

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	assert.Equal(t, 1, update(t, x, link).Files.Unchanged, "a link that is named is its target")
}

func TestANamedFileIsTextWhateverItsExtensionAndStaysUntilItIsGone(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "run.py": "print('beta')"})
	assert.Equal(t, 1, update(t, x, filepath.Join(dir, "run.py")).Files.Indexed)
	roots, err := x.Roots(t.Context())
	require.NoError(t, err)
	assert.Empty(t, roots, "a single file makes no root")

	assert.Equal(t, index.FileCounts{Indexed: 1, Unchanged: 1, Skipped: 1}, update(t, x, dir).Files)
	assert.Equal(t, []string{"a.md", "run.py"}, paths(t, x, ""))
	require.NoError(t, os.Remove(filepath.Join(dir, "run.py")))
	assert.Equal(t, 1, update(t, x, dir).Files.Removed)
}

func TestAFolderInsideARootRefreshesThatPartOfTheRoot(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "sub/b.md": "beta", "sub/c.md": "gamma"})
	update(t, x, dir)
	write(t, dir, map[string]string{"a.md": "changed", "sub/b.md": "changed"})
	require.NoError(t, os.Remove(filepath.Join(dir, "sub", "c.md")))
	assert.Equal(t, index.FileCounts{Indexed: 1, Removed: 1}, update(t, x, filepath.Join(dir, "sub")).Files)
	assert.Equal(t, []string{"a.md", "sub/b.md"}, paths(t, x, ""))
	assert.Len(t, keyword(t, x, "alpha"), 1, "outside of the part nothing was looked at")
	roots, err := x.Roots(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{dir}, roots)
}

func TestANewRootTakesOverTheRootsInside(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"sub/b.md": "beta", "other/c.md": "gamma"})
	update(t, x, filepath.Join(dir, "sub"), filepath.Join(dir, "other"))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "other")))
	assert.Equal(t, index.FileCounts{Indexed: 1, Removed: 1}, update(t, x, dir).Files)
	roots, err := x.Roots(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{dir}, roots)
	hits := keyword(t, x, "beta gamma")
	require.Len(t, hits, 1)
	assert.Equal(t, [2]string{dir, "sub/b.md"}, [2]string{hits[0].Root, hits[0].Path})
}

func TestTwoRootsMayHoldTheSamePath(t *testing.T) {
	x := newIndex(t)
	one, two := folder(t, map[string]string{"a.md": "alpha one"}), folder(t, map[string]string{"a.md": "alpha two"})
	update(t, x, one, two)
	assert.Len(t, keyword(t, x, "alpha"), 2)
	require.NoError(t, os.Remove(filepath.Join(one, "a.md")))
	update(t, x, one)
	hits := keyword(t, x, "alpha")
	require.Len(t, hits, 1)
	assert.Equal(t, two, hits[0].Root)
}

func TestAnUpdateWithoutPathsLooksAtEverythingAgain(t *testing.T) {
	x := newIndex(t)
	dir, single := folder(t, map[string]string{"a.md": "alpha"}), folder(t, map[string]string{"b.md": "beta", "c.md": "gamma"})
	update(t, x, dir, filepath.Join(single, "b.md"), filepath.Join(single, "c.md"))
	write(t, dir, map[string]string{"new.md": "delta"})
	require.NoError(t, os.Remove(filepath.Join(single, "c.md")))
	assert.Equal(t, index.FileCounts{Indexed: 1, Unchanged: 2, Removed: 1}, update(t, x).Files)

	require.NoError(t, os.RemoveAll(dir))
	_, err := x.Update(t.Context(), nil, index.UpdateOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, dir)
}

func TestOtherSizesSplitEveryFileAnew(t *testing.T) {
	store := newStore(t)
	dir := folder(t, map[string]string{"a.md": strings.Repeat("one two three four five.\n\n", 10)})
	assert.Equal(t, 1, update(t, open(t, store, nil, index.Options{}), dir).Passages)
	small := open(t, store, nil, index.Options{Split: index.SplitOptions{TargetWords: 5}})
	assert.Equal(t, 10, update(t, small, dir).Passages)
	assert.Equal(t, 1, update(t, small, dir).Files.Unchanged)
}

func TestACancelledUpdateKeepsWhatItCommitted(t *testing.T) {
	x := newIndex(t)
	files := map[string]string{}
	for i := range 600 {
		files[filepath.Join(string(rune('a'+i%26)), strings.Repeat("x", i/26+1)+".md")] = "alpha"
	}
	dir := folder(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	committed := 0
	report, err := x.Update(ctx, []string{dir}, index.UpdateOptions{Progress: func(p index.Progress) {
		if p.Phase == index.PhaseIndex {
			committed = p.Done
			assert.Equal(t, 600, p.Total)
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Positive(t, committed)
	assert.Less(t, committed, 600)
	assert.Equal(t, committed, report.Files.Indexed, "the report holds what was committed")
	assert.Len(t, paths(t, x, ""), committed)
	assert.Equal(t, index.FileCounts{Indexed: 600 - committed, Unchanged: committed}, update(t, x, dir).Files)
}

func TestTheReportPrintsAsItsCommandPromises(t *testing.T) {
	report := index.Report{Files: index.FileCounts{Indexed: 1, Unchanged: 2, Removed: 3, Skipped: 4, Failed: 5}, Passages: 6, Bytes: 7, Elapsed: 8 * time.Millisecond}
	got, err := json.Marshal(report)
	require.NoError(t, err)
	assert.Equal(t, `{"files":{"indexed":1,"unchanged":2,"removed":3,"skipped":4,"failed":5},"passages":6,"bytes":7,"elapsed_ms":8,"errors":[],"entries":[]}`, string(got))
	report.Errors = []index.FileError{{Path: "/a", Error: "why"}}
	got, err = json.Marshal(&report)
	require.NoError(t, err)
	assert.Contains(t, string(got), `"errors":[{"path":"/a","error":"why"}]`)
	report.Skips = []index.FileError{{Path: "/b", Error: "a picture"}}
	got, err = json.Marshal(report)
	require.NoError(t, err)
	assert.Contains(t, string(got), `"skips":[{"path":"/b","error":"a picture"}]`)
	report.Entries = []index.Entry{{Path: "/a", Status: index.StatusFailed, Reason: "why"}, {Path: "/c", Status: index.StatusIndexed, Passages: 2}}
	report.DryRun, report.Embedding = true, &index.EmbeddingCost{Model: "m", Texts: 2, Tokens: 30, Calls: 1}
	got, err = json.Marshal(report)
	require.NoError(t, err)
	assert.Contains(t, string(got), `"dry_run":true,"embedding":{"model":"m","texts":2,"tokens":30,"calls":1}`)
	assert.Contains(t, string(got), `"entries":[{"path":"/a","status":"failed","reason":"why"},{"path":"/c","status":"indexed","passages":2}]`)
}

func TestRemoveForgetsFilesFoldersAndRoots(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "sub/b.md": "beta", "sub/c.md": "gamma"})
	update(t, x, dir)
	_, err := x.Remove(t.Context(), []string{filepath.Join(dir, "a.md"), filepath.Join(dir, "none.md")}, index.RemoveOptions{})
	require.ErrorIs(t, err, index.ErrNotIndexed)
	assert.Len(t, paths(t, x, ""), 3, "an error changes nothing")

	report, err := x.Remove(t.Context(), []string{filepath.Join(dir, "sub"), filepath.Join(dir, "sub", "b.md")}, index.RemoveOptions{})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Files.Removed)
	_, err = x.Remove(t.Context(), []string{dir}, index.RemoveOptions{})
	require.NoError(t, err)
	roots, err := x.Roots(t.Context())
	require.NoError(t, err)
	assert.Empty(t, roots)
	assert.Empty(t, paths(t, x, ""))
	assert.FileExists(t, filepath.Join(dir, "a.md"))
}

func TestPutRecordsAreFoundAndSurviveUpdates(t *testing.T) {
	x := newIndex(t)
	record := index.Record{Path: "q1", Title: "Correction", Text: "\nThe answer is alpha.\n"}
	report, err := x.Put(t.Context(), "corrections", []index.Record{record, {Path: "empty"}})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Files.Indexed)
	update(t, x, folder(t, map[string]string{"a.md": "beta"}))
	update(t, x)
	hits := keyword(t, x, "alpha")
	require.Len(t, hits, 1)
	assert.Equal(t, "The answer is alpha.", hits[0].Content)
	assert.Equal(t, [3]string{"corrections", "q1", "Correction"}, [3]string{hits[0].Root, hits[0].Path, hits[0].Title})
	assert.Equal(t, 2, hits[0].StartLine)

	report, err = x.Put(t.Context(), "corrections", []index.Record{record})
	require.NoError(t, err)
	assert.Equal(t, index.FileCounts{Unchanged: 1}, report.Files)
	_, err = x.Put(t.Context(), t.TempDir(), nil)
	require.Error(t, err)
	_, err = x.Put(t.Context(), "r", []index.Record{{Path: "a"}, {Path: "a"}})
	require.Error(t, err)
	_, err = x.Remove(t.Context(), []string{"corrections"}, index.RemoveOptions{})
	require.NoError(t, err)
	assert.Empty(t, keyword(t, x, "alpha"))
}
