package index_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

const site = "https://kb.example/docs/"

func fetched(path, text string) index.Page {
	return index.Page{Path: site + path, Name: "page.md", Data: []byte(text), Note: "etag of " + text}
}

func updatePages(t testing.TB, x *index.Index, note string, pages ...index.Page) index.Report {
	t.Helper()
	report, err := x.UpdatePages(t.Context(), site, slices.Values(pages), func(bool) string { return note }, index.UpdateOptions{})
	require.NoError(t, err)
	return report
}

func TestPagesAreFoundAndReadByTheirAddress(t *testing.T) {
	x := newIndex(t)
	report := updatePages(t, x, "settings", fetched("a", "# Alpha\nwords"), fetched("b", "# Beta\nwords"))
	assert.Equal(t, index.FileCounts{Indexed: 2}, report.Files)
	assert.Equal(t, index.Entry{Path: site + "a", Status: index.StatusIndexed, Passages: 1}, report.Entries[0])
	hits := keyword(t, x, "alpha")
	require.Len(t, hits, 1)
	assert.Equal(t, [3]string{site, site + "a", "Alpha"}, [3]string{hits[0].Root, hits[0].Path, hits[0].Title})
	text, err := x.Text(t.Context(), site, site+"a")
	require.NoError(t, err)
	assert.Equal(t, "# Alpha\nwords", text.Content)
	roots, err := x.Roots(t.Context())
	require.NoError(t, err)
	assert.Empty(t, roots)
	sites, err := x.Sites(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]index.Site{site: {Note: "settings", Pages: map[string]string{
		site + "a": "etag of # Alpha\nwords", site + "b": "etag of # Beta\nwords",
	}}}, sites)
}

func TestPagesStayGoOrChangeAsTheSiteSays(t *testing.T) {
	x := newIndex(t)
	down := errors.New("status 503")
	updatePages(t, x, "", fetched("same", "same"), fetched("not-modified", "nm"), fetched("changed", "old"), fetched("gone", "gone"),
		fetched("down", "down"), fetched("now-hidden", "hidden"), fetched("not-seen", "seen"))
	version, err := x.Version(t.Context())
	require.NoError(t, err)
	pages := []index.Page{
		fetched("same", "same"), {Path: site + "not-modified", Outcome: index.PageUnchanged}, fetched("changed", "new"),
		{Path: site + "gone", Outcome: index.PageGone, Err: errors.New("404")}, {Path: site + "down", Outcome: index.PageFailed, Err: down},
		{Path: site + "now-hidden", Outcome: index.PageSkipped, Err: errors.New("robots.txt")},
		{Path: site + "never-was", Outcome: index.PageGone, Err: errors.New("404")}, {Path: site + "bad", Outcome: index.PageUnchanged},
	}
	dry, err := x.UpdatePages(t.Context(), site, slices.Values(pages), nil, index.UpdateOptions{DryRun: true})
	require.NoError(t, err)
	after, err := x.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, version, after, "a dry run changes nothing")

	report := updatePages(t, x, "", pages...)
	assert.Equal(t, report.Entries, dry.Entries)
	want := index.FileCounts{Indexed: 1, Unchanged: 2, Removed: 1, Skipped: 2, Failed: 2}
	assert.Equal(t, want, report.Files)
	assert.Contains(t, report.Errors, index.FileError{Path: site + "down", Error: "status 503"})
	assert.Contains(t, report.Skips, index.FileError{Path: site + "now-hidden", Error: "robots.txt"})
	assert.Equal(t, []string{site + "changed", site + "down", site + "not-modified", site + "not-seen", site + "same"}, paths(t, x, ""))
	assert.Len(t, keyword(t, x, "new"), 1)
	assert.Empty(t, keyword(t, x, "old"))
}

func TestUpdatesOfFilesLeavePagesAlone(t *testing.T) {
	x := newIndex(t)
	updatePages(t, x, "settings", fetched("a", "alpha"))
	dir := folder(t, map[string]string{"f.md": "file"})
	update(t, x, dir)
	assert.Equal(t, index.FileCounts{Unchanged: 1}, update(t, x).Files)
	assert.Len(t, paths(t, x, ""), 2)

	removed, err := x.Remove(t.Context(), []string{site + "a"}, index.RemoveOptions{})
	require.NoError(t, err)
	assert.Equal(t, []index.Entry{{Path: site + "a", Status: index.StatusRemoved}}, removed.Entries)
	updatePages(t, x, "settings", fetched("a", "alpha"), fetched("b", "beta"))
	_, err = x.Remove(t.Context(), []string{site}, index.RemoveOptions{})
	require.NoError(t, err)
	sites, err := x.Sites(t.Context())
	require.NoError(t, err)
	assert.Empty(t, sites)
}

func TestACrawlThatIsCancelledKeepsWhatItCommitted(t *testing.T) {
	x := newIndex(t)
	ctx, cancel := context.WithCancel(t.Context())
	pages := func(yield func(index.Page) bool) {
		for i := range 20 {
			if i == 18 {
				cancel()
			}
			if !yield(fetched(string(rune('a'+i)), "words")) {
				return
			}
		}
	}
	report, err := x.UpdatePages(ctx, site, pages, func(ended bool) string { return fmt.Sprintf("ended: %t", ended) }, index.UpdateOptions{})
	require.ErrorIs(t, err, context.Canceled)
	sites, err := x.Sites(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "ended: false", sites[site].Note, "the next crawl knows that this one did not see everything")
	assert.Len(t, paths(t, x, ""), 16, "a batch was committed")
	assert.LessOrEqual(t, 16, report.Passages)
}

func TestASiteIsNamedByAnAddress(t *testing.T) {
	x := newIndex(t)
	for _, name := range []string{"", "docs", "/docs"} {
		_, err := x.UpdatePages(t.Context(), name, slices.Values([]index.Page(nil)), nil, index.UpdateOptions{})
		require.ErrorContains(t, err, "address")
	}
}
