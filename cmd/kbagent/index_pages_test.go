package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A webSite serves the pages of a test, by path.
type webSite struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string // HTML, or a status
	asked int
	fresh int // of asked, those without conditions
}

func newWebSite(t *testing.T, pages map[string]string) *webSite {
	t.Helper()
	s := &webSite{pages: pages}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		page, ok := s.pages[r.URL.Path]
		code := http.StatusOK
		switch {
		case !ok:
			code = http.StatusNotFound
		case len(page) == 3:
			_, err := fmt.Sscan(page, &code)
			assert.NoError(t, err)
		}
		if r.URL.Path != "/robots.txt" {
			s.asked++
			if r.Header.Get("If-None-Match") == "" {
				s.fresh++
			}
		}
		tag := fmt.Sprintf("%q", fmt.Sprint(len(page)))
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Type", "text/html")
		if code == http.StatusOK && r.Header.Get("If-None-Match") == tag {
			code = http.StatusNotModified
		}
		w.WriteHeader(code)
		if code == http.StatusOK {
			_, _ = io.WriteString(w, page)
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("KB_AGENT_DATA_DIR", filepath.Join(t.TempDir(), "data"))
	t.Setenv("KB_AGENT_WEB_ALLOW", "127.0.0.1")
	return s
}

// set changes a page; "" takes it away.
func (s *webSite) set(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages[path] = page; page == "" {
		delete(s.pages, path)
	}
	s.asked, s.fresh = 0, 0
}

// runHere runs a command in this process and returns what it printed.
func runHere(t *testing.T, wantCode int, args ...string) (out, stderr string) {
	t.Helper()
	files := [2]*os.File{}
	for i, name := range []string{"out", "err"} {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		require.NoError(t, err)
		files[i] = f
	}
	code := run(t.Context(), args, streams{in: os.Stdin, out: files[0], err: files[1]})
	texts := [2]string{}
	for i, f := range files {
		text, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		require.NoError(t, f.Close())
		texts[i] = string(text)
	}
	assert.Equal(t, wantCode, code, "%v\n%s", args, texts[1])
	return texts[0], texts[1]
}

// entries runs index with --json and returns the status of each page, below the address of the site.
func (s *webSite) entries(t *testing.T, wantCode int, args ...string) map[string]string {
	t.Helper()
	out, _ := runHere(t, wantCode, append([]string{"index", "--json", "--delay", "1ns"}, args...)...)
	var r struct {
		Entries []struct{ Path, Status string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	all := map[string]string{}
	for _, e := range r.Entries {
		all[strings.TrimPrefix(e.Path, s.URL)] = e.Status
	}
	return all
}

func page(title, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>%s</title></head><body><article><h1>%s</h1><p>%s</p></article>", title, title, text)
	for _, l := range links {
		fmt.Fprintf(&b, "<a href=%q>%s</a>", l, l)
	}
	return b.String()
}

func TestASiteIsIndexedCitedAndBroughtUpToDate(t *testing.T) {
	s := newWebSite(t, map[string]string{
		"/docs/":         page("Manual", "Welcome to the manual.", "rotation", "backup", "secret", "flaky", "/other"),
		"/docs/rotation": page("Rotation", "Logs are rotated every night at two.", "deep"),
		"/docs/deep":     page("Deep", "A deep page about submarines."),
		"/docs/backup":   page("Backup", "Backups are kept for thirty days."),
		"/docs/secret":   page("Secret", "Not for programs."),
		"/docs/flaky":    page("Flaky", "The flaky page talks about weather."),
		"/other":         page("Other", "Outside of the manual."),
		"/robots.txt":    "User-agent: *\nDisallow: /docs/secret\n",
	})
	start := s.URL + "/docs/"
	assert.Equal(t, map[string]string{"/docs/": "indexed", "/docs/rotation": "indexed", "/docs/deep": "indexed", "/docs/backup": "indexed", "/docs/flaky": "indexed"},
		s.entries(t, exitOK, start, "--crawl"))
	out, _ := runHere(t, exitOK, "ask", "When are logs rotated?")
	assert.Contains(t, out, s.URL+"/docs/rotation", "the citation names the page")
	assert.Contains(t, out, "every night at two")

	s.set("/docs/backup", page("Backup", "Backups are kept for ninety days.", "new"))
	s.set("/docs/new", page("New", "A new page."))
	s.set("/docs/flaky", "503")
	s.set("/docs/rotation", "")
	assert.Equal(t, map[string]string{"/docs/": "unchanged", "/docs/rotation": "removed", "/docs/deep": "unchanged", "/docs/backup": "indexed",
		"/docs/new": "indexed", "/docs/flaky": "failed"}, s.entries(t, exitError), "without a path every site is looked at, as it was crawled before")
	assert.Equal(t, 1, s.fresh, "only the new page was asked for without conditions")
	out, _ = runHere(t, exitOK, "search", "weather")
	assert.Contains(t, out, "/docs/flaky", "a page that cannot be had now stays")
	out, _ = runHere(t, exitOK, "search", "rotated")
	assert.Contains(t, out, "nothing found", "a page that is gone leaves")

	s.set("/docs/flaky", page("Flaky", "The flaky page talks about weather."))
	s.entries(t, exitOK, start)
	assert.Equal(t, s.asked, s.fresh, "after an incomplete crawl all pages are read again, for their links")
	s.set("/x", "")
	s.entries(t, exitOK, start)
	assert.Zero(t, s.fresh)

	assert.Equal(t, map[string]string{"/docs/deep": "unchanged"}, s.entries(t, exitOK, s.URL+"/docs/deep"), "a page of a site by itself")
	s.entries(t, exitOK, start, "--collection", "manual")
	out, _ = runHere(t, exitOK, "search", "--collection", "manual", "submarines")
	assert.Contains(t, out, "/docs/deep", "a site is in its collection with all its pages")
	assert.Len(t, s.entries(t, exitOK, start, "--remove"), 5)
	_, stderr := runHere(t, exitUsage, "index")
	assert.Contains(t, stderr, "nothing is indexed yet")
}

func TestTheBoundsOfACrawlAreToldAndKept(t *testing.T) {
	s := newWebSite(t, map[string]string{"/": page("0", "zero", "/1", "/2", "/3"), "/1": page("1", "one"), "/2": page("2", "two"), "/3": page("3", "three")})
	_, stderr := runHere(t, exitOK, "index", s.URL, "--crawl", "--max-pages", "2", "--delay", "1ns")
	assert.Contains(t, stderr, "--max-pages")
	assert.Equal(t, map[string]string{"/": "unchanged", "/1": "unchanged"}, s.entries(t, exitOK, s.URL))
	assert.Equal(t, map[string]string{"/": "unchanged", "/1": "unchanged", "/2": "indexed", "/3": "indexed"}, s.entries(t, exitOK, s.URL, "--crawl"))
}

func TestASinglePageNeedsNoCrawl(t *testing.T) {
	s := newWebSite(t, map[string]string{"/a": page("A", "alpha words", "/b"), "/b": page("B", "beta")})
	assert.Equal(t, map[string]string{"/a": "indexed"}, s.entries(t, exitOK, s.URL+"/a", "--dry-run"))
	_, stderr := runHere(t, exitUsage, "index")
	assert.Contains(t, stderr, "nothing is indexed yet", "a dry run fetched the page and kept nothing")
	assert.Equal(t, map[string]string{"/a": "indexed"}, s.entries(t, exitOK, s.URL+"/a"))
	assert.Equal(t, map[string]string{"/a": "unchanged"}, s.entries(t, exitOK))
	s.set("/a", "")
	assert.Equal(t, map[string]string{"/a": "removed"}, s.entries(t, exitOK, s.URL+"/a"))
	assert.Equal(t, map[string]string{"/a": "failed"}, s.entries(t, exitError, s.URL+"/a"), "never was, as far as the index knows")
}

func TestPrivateHostsAreClosedUnlessTheUserOpensThem(t *testing.T) {
	s := newWebSite(t, map[string]string{"/": page("A", "alpha")})
	t.Setenv("KB_AGENT_WEB_ALLOW", "")
	_, stderr := runHere(t, exitError, "index", s.URL)
	assert.Contains(t, stderr, "KB_AGENT_WEB_ALLOW")
	assert.Zero(t, s.asked)
}

func TestFlagsOfACrawlThatCannotBeMeantAreRefused(t *testing.T) {
	s := newWebSite(t, nil)
	for _, args := range [][]string{
		{"docs", "--crawl"}, {"--crawl"}, {s.URL, "--crawl", "--max-pages", "0"}, {s.URL, "--include", "*.md"}, {s.URL, "--watch"}, {s.URL, "--delay", "-1s"},
	} {
		runHere(t, exitUsage, append([]string{"index"}, args...)...)
	}
	runHere(t, exitError, "index", "http://")
	runHere(t, exitError, "index", "https://user:password@kb.example/")
}
