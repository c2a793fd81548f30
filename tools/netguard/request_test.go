package netguard

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPageThatIsStillTheSameIsNotSentAgain(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` && r.Header.Get("If-Modified-Since") == "yesterday" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte("text"))
	})
	c, err := New(Options{Allow: []string{"127.0.0.1"}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	page, err := c.Fetch(t.Context(), Request{URL: s.URL})
	require.NoError(t, err)
	assert.Equal(t, "text", string(page.Body))
	page, err = c.Fetch(t.Context(), Request{URL: s.URL, ETag: page.Header.Get("ETag"), LastModified: "yesterday"})
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotModified, page.Status)
	assert.Empty(t, page.Body)
}

func TestWhoAsksDecidesWhichRedirectsAreFollowed(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there#part", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(r.URL.Path))
	})
	c, err := New(Options{Allow: []string{"127.0.0.1"}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	var asked []string
	follow := func(u *url.URL) error { asked = append(asked, u.String()); return nil }
	page, err := c.Fetch(t.Context(), Request{URL: s.URL + "/", Follow: follow})
	require.NoError(t, err)
	assert.Equal(t, []string{s.URL + "/there"}, asked)
	assert.Equal(t, "/there", string(page.Body))

	before, no := s.visits.Load(), errors.New("not there")
	_, err = c.Fetch(t.Context(), Request{URL: s.URL + "/", Follow: func(*url.URL) error { return no }})
	require.ErrorIs(t, err, no)
	require.ErrorIs(t, err, ErrRefused)
	assert.Equal(t, before+1, s.visits.Load(), "the page behind the redirect was not asked for")
}
