package traffic_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/traffic"
	"github.com/kbagent/kbagent/tools/netguard"
)

// newSite has a page behind a redirect, one for each query, and one that is not there.
func newSite(t *testing.T) *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/page?q=moved", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprintf(z, "the page for %q on %s", r.URL.Query().Get("q"), r.Host)
			z.Close()
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site
}

func fetched(t *testing.T, wrap func(http.RoundTripper) http.RoundTripper, urls ...string) (seen []string) {
	c, err := netguard.New(netguard.Options{Allow: []string{"127.0.0.1"}, Wrap: wrap})
	require.NoError(t, err)
	defer c.Close()
	for _, url := range urls {
		page, err := c.Get(t.Context(), url)
		seen = append(seen, fmt.Sprintf("%s %d %s %v", page.URL, page.Status, page.Body, err))
	}
	return seen
}

func TestPagesAreToldApartByTheirWholeURLAndReplayWithTheirRedirects(t *testing.T) {
	one, two := newSite(t), newSite(t)
	urls := []string{one.URL + "/old", one.URL + "/page?q=a", one.URL + "/page?q=b", two.URL + "/page?q=a", one.URL + "/gone"}
	var file bytes.Buffer
	r, err := traffic.NewRecorder(&file, traffic.Options{})
	require.NoError(t, err)
	want := fetched(t, r.Web, urls...)
	require.NoError(t, r.Close())
	assert.Contains(t, want[0], `the page for "moved"`)
	assert.Contains(t, want[4], "404")
	one.Close()
	two.Close()

	p, err := traffic.NewReplayer(&file, "file", traffic.Options{})
	require.NoError(t, err)
	replay := func(http.RoundTripper) http.RoundTripper { return p.Web() }
	assert.Equal(t, want, fetched(t, replay, urls...))
	require.NoError(t, p.Err())
	assert.Zero(t, p.Left())

	missing := fetched(t, replay, one.URL+"/page?q=c")
	assert.Contains(t, missing[0], "not in the recording")
	var miss *traffic.MissError
	require.ErrorAs(t, p.Err(), &miss)
}

func TestASecretInAURLIsNotRecorded(t *testing.T) {
	site := newSite(t)
	var file bytes.Buffer
	r, err := traffic.NewRecorder(&file, traffic.Options{Secrets: []string{secret}})
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: r.Web(nil)}).Get(strings.Replace(site.URL, "://", "://user:word@", 1) + "/page?q=" + secret)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.NoError(t, r.Close())
	assert.NotContains(t, file.String(), secret)
	assert.NotContains(t, file.String(), "user:word")
}
