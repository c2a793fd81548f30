package crawl

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/tools/netguard"
)

// A site serves pages on loopback and keeps a list of what was asked for.
type site struct {
	*httptest.Server
	pages map[string]http.HandlerFunc

	mu    sync.Mutex
	asked []string
}

func newSite(t *testing.T, pages map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{pages: pages}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.RequestURI())
		s.mu.Unlock()
		assert.Equal(t, "kbagent-test", r.UserAgent())
		if page := s.pages[r.URL.RequestURI()]; page != nil {
			page(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// hyper is a page with a title, an ETag, and links.
func hyper(title string, hrefs ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("ETag", fmt.Sprintf("%q", title))
		if r.Header.Get("If-None-Match") == fmt.Sprintf("%q", title) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, "<title>%s</title><p>Text of %s.</p>", title, title)
		for _, href := range hrefs {
			fmt.Fprintf(w, "<a href=%q>link</a>", href)
		}
	}
}

func text(mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write([]byte(body))
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// result is what a crawl yielded: a word for each page, below the address of the server, and the states of fetched ones.
type result struct {
	outcomes map[string]string
	reasons  map[string]string
	pages    map[string]index.Page
	known    map[string]State
	err      error
}

var words = map[index.Outcome]string{
	index.PageFetched: "fetched", index.PageUnchanged: "unchanged", index.PageGone: "gone", index.PageSkipped: "skipped", index.PageFailed: "failed",
}

func (s *site) crawl(t *testing.T, start string, o Options) result {
	t.Helper()
	client, err := netguard.New(netguard.Options{Allow: []string{"127.0.0.1"}, UserAgent: "kbagent-test"})
	require.NoError(t, err)
	defer client.Close()
	if o.Delay == 0 {
		o.Delay = time.Nanosecond
	}
	s.asked = nil
	c, err := New(client, s.URL+start, o)
	require.NoError(t, err)
	r := result{map[string]string{}, map[string]string{}, map[string]index.Page{}, map[string]State{}, nil}
	for p := range c.Pages(t.Context()) {
		path := strings.TrimPrefix(p.Path, s.URL)
		assert.NotContains(t, r.outcomes, path, "each page is yielded once")
		r.outcomes[path], r.pages[path] = words[p.Outcome], p
		if p.Err != nil {
			r.reasons[path] = p.Err.Error()
		}
		if p.Outcome == index.PageFetched {
			var state State
			require.NoError(t, json.Unmarshal([]byte(p.Note), &state))
			r.known[p.Path] = state
		}
	}
	r.err = c.Err()
	return r
}

func (s *site) askedFor() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.asked), func(path string) bool { return path == "/robots.txt" })
}

func TestOnePageIsFetchedAndNothingElse(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/docs/a": hyper("A", "/docs/b"), "/robots.txt": text("text/plain", "User-agent: *\nDisallow: /")})
	r := s.crawl(t, "/docs/a#part", Options{})
	assert.Equal(t, map[string]string{"/docs/a": "fetched"}, r.outcomes)
	require.NoError(t, r.err)
	assert.Equal(t, []string{"/docs/a"}, s.asked, "not even robots.txt, as when a person opens a page")
	assert.Contains(t, string(r.pages["/docs/a"].Data), "Text of A")

	r = s.crawl(t, "/docs/none", Options{})
	assert.Equal(t, map[string]string{"/docs/none": "failed"}, r.outcomes, "a page that was named and never was is a failure")
	r = s.crawl(t, "/docs/none", Options{Known: map[string]State{s.URL + "/docs/none": {}}})
	assert.Equal(t, map[string]string{"/docs/none": "gone"}, r.outcomes)
}

func TestACrawlStaysOnItsHostAndBelowItsPath(t *testing.T) {
	other := newSite(t, map[string]http.HandlerFunc{"/docs/x": hyper("X")})
	s := newSite(t, map[string]http.HandlerFunc{
		"/docs/": hyper("Start", "a", "./a#fragment", "/docs/sub/b?x=1", "../outside", other.URL+"/docs/x", "mailto:a@b.example", "javascript:void(0)",
			"/docsother", "//", ":broken", "", "?page=2"),
		"/docs/a": hyper("A", "/docs/", "sub/c"), "/docs/sub/b?x=1": hyper("B"), "/docs/sub/c": hyper("C"), "/docs/?page=2": hyper("2"), "/outside": hyper("O"),
	})
	r := s.crawl(t, "/docs/", Options{Links: true})
	require.NoError(t, r.err)
	assert.Equal(t, map[string]string{"/docs/": "fetched", "/docs/a": "fetched", "/docs/sub/b?x=1": "fetched", "/docs/sub/c": "fetched", "/docs/?page=2": "fetched"}, r.outcomes)
	assert.Equal(t, []string{"/docs/", "/docs/a", "/docs/sub/b?x=1", "/docs/?page=2", "/docs/sub/c"}, s.askedFor(), "pages near to the start come first")
	assert.Empty(t, other.askedFor())
	assert.Equal(t, 2, r.known[s.URL+"/docs/sub/c"].Depth)
}

func TestTheBoundsOfACrawlAreKept(t *testing.T) {
	pages := map[string]http.HandlerFunc{}
	for i := range 10 {
		pages[fmt.Sprintf("/%d", i)] = hyper(fmt.Sprint(i), fmt.Sprintf("/%d", i+1))
	}
	pages["/"] = hyper("start", "/0")
	s := newSite(t, pages)
	r := s.crawl(t, "/", Options{Links: true, MaxPages: 4})
	assert.Len(t, r.outcomes, 4)
	require.ErrorIs(t, r.err, ErrBound)
	r = s.crawl(t, "/", Options{Links: true, MaxDepth: 2})
	assert.Equal(t, map[string]string{"/": "fetched", "/0": "fetched", "/1": "fetched"}, r.outcomes)
	require.NoError(t, r.err)
	_, err := New(nil, "https://x.example", Options{MaxPages: -1})
	require.ErrorContains(t, err, "negative")
}

func TestAPageWithTooManyLinksIsNotRememberedWhole(t *testing.T) {
	var links []string
	for i := range maxWaiting + 50 {
		links = append(links, fmt.Sprintf("/closed/%d", i))
	}
	s := newSite(t, map[string]http.HandlerFunc{"/": hyper("Start", links...), "/robots.txt": text("text/plain", "User-agent: *\nDisallow: /closed/")})
	r := s.crawl(t, "/", Options{Links: true, MaxPages: 5})
	require.ErrorIs(t, r.err, ErrBound, "and the crawl does not say that it saw everything")
	assert.Equal(t, map[string]string{"/": "fetched"}, r.outcomes)
}

func TestRobotsTxtIsHonoured(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/robots.txt": text("text/plain", "# rules\nUser-agent: other\nDisallow: /\n\nUser-agent: kbagent\nDisallow: /private\nAllow: /private/open\nDisallow: /*.print$\n"),
		"/":           hyper("Start", "/a", "/private/x", "/private/open/y", "/a.print", "/noindex", "/nofollow", "/into"),
		"/a":          hyper("A"), "/private/x": hyper("X"), "/private/open/y": hyper("Y"), "/a.print": hyper("P"), "/into": redirect("/private/x"),
		"/noindex":  text("text/html", `<meta name="robots" content="NOINDEX"><a href="/behind">b</a>`),
		"/nofollow": text("text/html", `<meta name=robots content="nofollow"><p>text</p><a href="/never">n</a>`),
		"/behind":   text("text/html", `<p>behind</p><a rel="ugc nofollow" href="/never">n</a>`), "/never": hyper("N"),
	})
	r := s.crawl(t, "/", Options{Links: true})
	require.NoError(t, r.err)
	assert.Equal(t, map[string]string{
		"/": "fetched", "/a": "fetched", "/private/open/y": "fetched", "/noindex": "skipped", "/nofollow": "fetched", "/behind": "fetched", "/into": "skipped",
	}, r.outcomes)
	assert.NotContains(t, s.askedFor(), "/private/x", "a redirect is no way around the rules")
	r = s.crawl(t, "/private/x", Options{Links: true, Known: map[string]State{s.URL + "/private/x": {}}})
	assert.Equal(t, map[string]string{"/private/x": "skipped"}, r.outcomes, "a page that the rules close leaves the index")
}

func TestWithoutTheRulesOfASiteNothingIsFetched(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/": hyper("Start"), "/robots.txt": status(http.StatusServiceUnavailable)})
	r := s.crawl(t, "/", Options{Links: true})
	assert.Equal(t, map[string]string{"/": "failed"}, r.outcomes)
	require.ErrorContains(t, r.err, "503")
	for name, rules := range map[string]http.HandlerFunc{
		"none": nil, "forbidden": status(http.StatusForbidden), "empty": text("text/plain", ""), "a page of HTML": hyper("404 in disguise"),
		"nonsense":         text("text/plain", "\x00\xff\nUser-agent\n:::\nDisallow: /x\nCrawl-delay: soon\nUser-agent: *\nCrawl-delay: many\nDisallow:\n"),
		"rules for others": text("text/plain", "Disallow: /\nUser-agent: other\nDisallow: /\n"),
	} {
		s := newSite(t, map[string]http.HandlerFunc{"/": hyper("Start"), "/robots.txt": rules})
		r := s.crawl(t, "/", Options{Links: true})
		assert.Equal(t, map[string]string{"/": "fetched"}, r.outcomes, name)
	}
}

func TestABadLineLeavesTheOtherRulesInForce(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/": hyper("Start", "/a", "/b", "/c?x=1"), "/a": hyper("A"), "/b": hyper("B"), "/c?x=1": hyper("C"),
		"/robots.txt": text("text/plain", "\ufeffUSER-AGENT : *  # all\r\nCrawl-delay: soon\r\nNoise: x\r\n Disallow : /a # no\r\nDisallow: /*?x=\r\n"),
	})
	assert.Equal(t, map[string]string{"/": "fetched", "/b": "fetched"}, s.crawl(t, "/", Options{Links: true}).outcomes)
}

func TestPagesThatAreKnownAreAskedForWithConditions(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/": hyper("Start", "/a", "/b", "/c"), "/a": hyper("A"), "/b": hyper("B"), "/c": hyper("C")})
	first := s.crawl(t, "/", Options{Links: true})
	require.Len(t, first.known, 4)
	s.pages["/a"] = hyper("A2", "/new")
	s.pages["/new"] = hyper("New")
	delete(s.pages, "/b")
	s.pages["/c"] = status(http.StatusBadGateway)
	r := s.crawl(t, "/", Options{Links: true, Known: first.known})
	assert.Equal(t, map[string]string{"/": "unchanged", "/a": "fetched", "/new": "fetched", "/b": "gone", "/c": "failed"}, r.outcomes,
		"all known pages are looked at, though the start page was not sent again")
	require.ErrorContains(t, r.err, "could not be had")
	assert.Contains(t, r.reasons["/c"], "502")
	r = s.crawl(t, "/", Options{Links: true, Known: first.known, Fresh: true})
	assert.Equal(t, "fetched", r.outcomes["/"])
}

func TestRedirectsAreFollowedWithinTheSite(t *testing.T) {
	other := newSite(t, map[string]http.HandlerFunc{"/x": hyper("X")})
	s := newSite(t, map[string]http.HandlerFunc{
		"/docs": redirect("/docs/v2/"), "/docs/v2/": hyper("Start", "old", "new", "away", "up", "loop"), "/docs/v2/new": hyper("New"),
		"/docs/v2/old": redirect("new"), "/docs/v2/away": redirect(other.URL + "/x"), "/docs/v2/up": redirect("/up"), "/up": hyper("Up"),
		"/docs/v2/loop": redirect("loop"),
	})
	r := s.crawl(t, "/docs", Options{Links: true, Known: map[string]State{s.URL + "/docs/v2/old": {Depth: 1}}})
	assert.Equal(t, map[string]string{
		"/docs/v2/": "fetched", "/docs/v2/new": "fetched", "/docs/v2/old": "gone", "/docs/v2/away": "skipped", "/docs/v2/up": "skipped", "/docs/v2/loop": "skipped",
	}, r.outcomes, "the site is where its first page really is; a page that moved goes from its old address")
	require.NoError(t, r.err)
	assert.Empty(t, other.askedFor())
}

func TestTheFormatsOfASiteAreToldApart(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/":      hyper("Start", "/a.md", "/b.txt", "/c", "/d.pdf", "/e.png", "/f", "/g", "/h"),
		"/a.md":  text("text/plain; charset=utf-8", "# Markdown"),
		"/b.txt": text("text/plain; charset=iso-8859-1", "caf\xe9"), "/c": text("text/markdown", "\ufeff# M\r\n"), "/d.pdf": text("application/pdf", "%PDF-1.4"),
		"/e.png": text("image/png", "x"), "/f": text("text/plain", "a\x00b"), "/g": text("application/xhtml+xml", "<p>x</p>"), "/h": text("", "plain words"),
	})
	r := s.crawl(t, "/", Options{Links: true})
	require.NoError(t, r.err)
	for path, want := range map[string][2]string{
		"/": {"page.html", ""}, "/a.md": {"page.md", "# Markdown"}, "/b.txt": {"page.txt", "café"}, "/c": {"page.md", "# M\n"},
		"/d.pdf": {"page.pdf", "%PDF-1.4"}, "/g": {"page.html", "<p>x</p>"}, "/h": {"page.txt", "plain words"},
	} {
		assert.Equal(t, want[0], r.pages[path].Name, path)
		if want[1] != "" {
			assert.Equal(t, want[1], string(r.pages[path].Data), path)
		}
	}
	assert.Equal(t, "skipped", r.outcomes["/e.png"])
	assert.Equal(t, "skipped", r.outcomes["/f"])
}

func TestLinksThatLeadNowhereAreNoFailureOfTheCrawl(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/": hyper("Start", "/404", "/403", "/500"), "/403": status(403), "/500": status(500)})
	r := s.crawl(t, "/", Options{Links: true})
	assert.Equal(t, map[string]string{"/": "fetched", "/404": "skipped", "/403": "skipped", "/500": "failed"}, r.outcomes)
}

func TestAfterSomeFailuresInARowACrawlGivesUp(t *testing.T) {
	pages := map[string]http.HandlerFunc{}
	var all []string
	for i := range 20 {
		path := fmt.Sprintf("/%02d", i)
		pages[path] = status(http.StatusInternalServerError)
		all = append(all, path)
	}
	pages["/"] = hyper("Start", all...)
	s := newSite(t, pages)
	r := s.crawl(t, "/", Options{Links: true})
	assert.Len(t, r.outcomes, 1+maxFailures)
	require.ErrorContains(t, r.err, "gave up")
}

func TestAPrivateAddressIsRefusedUnlessItIsAllowed(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/": hyper("Start")})
	client, err := netguard.New(netguard.Options{})
	require.NoError(t, err)
	defer client.Close()
	for _, links := range []bool{false, true} {
		c, err := New(client, s.URL, Options{Links: links})
		require.NoError(t, err)
		for p := range c.Pages(t.Context()) {
			assert.Equal(t, index.PageFailed, p.Outcome)
			require.ErrorIs(t, p.Err, netguard.ErrRefused)
		}
		require.Error(t, c.Err())
	}
	assert.Empty(t, s.asked)
}

// Where a network leads all names to an address of its own, as the portals of hotels do, nothing leaves the index.
func TestAKnownPageWhoseAddressIsClosedNowStays(t *testing.T) {
	client, err := netguard.New(netguard.Options{})
	require.NoError(t, err)
	defer client.Close()
	for _, known := range []bool{true, false} {
		opts := Options{Known: map[string]State{}}
		if known {
			opts.Known["http://127.0.0.1/"] = State{}
		}
		c, err := New(client, "http://127.0.0.1/", opts)
		require.NoError(t, err)
		for p := range c.Pages(t.Context()) {
			assert.Equal(t, index.PageFailed, p.Outcome)
			require.ErrorIs(t, p.Err, netguard.ErrRefused)
		}
		require.Error(t, c.Err())
	}
}
