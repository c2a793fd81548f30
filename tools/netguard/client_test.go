package netguard

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// site serves on loopback, and counts its visitors.
type site struct {
	*httptest.Server
	visits atomic.Int32
}

// serve starts a server on that address of the machine.
func serve(t *testing.T, address string, handler http.HandlerFunc) *site {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil && !strings.HasPrefix(address, "127.0.0.1:") {
		t.Skipf("this system has no address %s: %v", address, err)
	}
	require.NoError(t, err)
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.visits.Add(1)
		handler(w, r)
	}))
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func (s *site) port() string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return port
}

const open = "127.0.0.2" // stands for a public address: these tests allow it

func TestAPageIsFetchedWhole(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "kbagent-test", r.UserAgent())
		assert.Equal(t, "text/html, text/plain, */*;q=0.1", r.Header.Get("Accept"))
		w.Header().Set("Content-Type", "Text/HTML; charset=latin1")
		fmt.Fprint(w, "<p>hello")
	})
	c := client(t, Options{Allow: []string{"127.0.0.1"}, UserAgent: "kbagent-test"})
	p, err := c.Get(t.Context(), s.URL+"/a#b", "text/html", "text/plain")
	require.NoError(t, err)
	assert.Equal(t, s.URL+"/a", p.URL.String())
	assert.Equal(t, 200, p.Status)
	assert.Equal(t, "text/html", p.Type)
	assert.Equal(t, "Text/HTML; charset=latin1", p.ContentType)
	assert.Equal(t, "<p>hello", string(p.Body))
}

func TestANameThatLeadsToAClosedAddressIsRefusedWhenItIsDialled(t *testing.T) {
	s := serve(t, "127.0.0.1:0", text("secret"))
	dns := &zone{answers: map[string][][]netip.Addr{
		"inside.example": {addrs("127.0.0.1")},
		"mapped.example": {addrs("::ffff:127.0.0.1")},
		"meta.example":   {addrs("169.254.169.254", "fe80::1", "fd00:ec2::254")},
	}}
	c := client(t, Options{Resolver: dns.resolver(t)})
	for _, host := range []string{"inside.example", "INSIDE.example.", "mapped.example", "meta.example"} {
		_, err := c.Get(t.Context(), "http://"+host+":"+s.port())
		require.ErrorIs(t, err, ErrRefused, host)
		assert.ErrorContains(t, err, "is not a public address")
	}
	assert.Zero(t, s.visits.Load())
	dns.mu.Lock()
	defer dns.mu.Unlock()
	assert.Positive(t, dns.asked["inside.example"], "the name was resolved")
}

func TestFullWidthDigitsAreTheAddressThatTheyMean(t *testing.T) {
	s := serve(t, "127.0.0.1:0", text("secret"))
	_, err := client(t, Options{}).Get(t.Context(), "http://１２７.０.０.１:"+s.port())
	require.ErrorIs(t, err, ErrRefused)
	assert.Zero(t, s.visits.Load())
}

func TestANameThatChangesItsAddressLeadsNowhereElse(t *testing.T) {
	outside := serve(t, open+":0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // so that the next request looks the name up again
		fmt.Fprint(w, "public")
	})
	inside := serve(t, "127.0.0.1:"+outside.port(), text("secret"))
	dns := &zone{answers: map[string][][]netip.Addr{"rebind.example": {addrs(open), addrs("127.0.0.1")}}}
	c := client(t, Options{Allow: []string{open}, Resolver: dns.resolver(t)})

	p, err := c.Get(t.Context(), "http://rebind.example:"+outside.port())
	require.NoError(t, err)
	assert.Equal(t, "public", string(p.Body))
	_, err = c.Get(t.Context(), "http://rebind.example:"+outside.port())
	require.ErrorIs(t, err, ErrRefused)
	assert.ErrorContains(t, err, "rebind.example (127.0.0.1) is not a public address (loopback)")
	assert.Zero(t, inside.visits.Load())
}

func TestOfSeveralAddressesOnlyTheOpenOnesAreDialled(t *testing.T) {
	outside := serve(t, open+":0", text("public"))
	inside := serve(t, "127.0.0.1:"+outside.port(), text("secret"))
	dns := &zone{answers: map[string][][]netip.Addr{"both.example": {addrs("127.0.0.1", "::1", open)}}}
	c := client(t, Options{Allow: []string{open}, Resolver: dns.resolver(t)})
	p, err := c.Get(t.Context(), "http://both.example:"+outside.port())
	require.NoError(t, err)
	assert.Equal(t, "public", string(p.Body))
	assert.Zero(t, inside.visits.Load())
}

func TestRedirectsAreCheckedLikeTheFirstURL(t *testing.T) {
	inside := serve(t, "127.0.0.1:0", text("secret"))
	dns := &zone{answers: map[string][][]netip.Addr{"out.example": {addrs(open)}, "in.example": {addrs("127.0.0.1")}}}
	var target string
	outside := serve(t, open+":0", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	c := client(t, Options{Allow: []string{open}, Resolver: dns.resolver(t)})
	for claim, to := range map[string]string{
		"a private address":        inside.URL,
		"a name of one":            "http://in.example:" + inside.port(),
		"this machine":             "http://localhost:" + inside.port(),
		"a number":                 "http://2130706433:" + inside.port(),
		"a mapped address":         "http://[::ffff:127.0.0.1]:" + inside.port(),
		"another scheme":           "file:///etc/passwd",
		"a URL with a password":    "http://a:b@out.example/",
		"a port of something else": "http://out.example:6379/",
	} {
		target = to
		_, err := c.Get(t.Context(), "http://out.example:"+outside.port())
		require.ErrorIs(t, err, ErrRefused, claim)
	}
	assert.Zero(t, inside.visits.Load())
}

func TestFiveRedirectsAreFollowedAndNotSix(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Referer())
		if n := len(r.URL.Path); n > 1 {
			http.Redirect(w, r, r.URL.Path[:n-1], http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, "arrived")
	})
	c := client(t, Options{Allow: []string{"127.0.0.1"}})
	p, err := c.Get(t.Context(), s.URL+"/12345")
	require.NoError(t, err)
	assert.Equal(t, s.URL+"/", p.URL.String())
	_, err = c.Get(t.Context(), s.URL+"/123456")
	require.ErrorIs(t, err, ErrRefused)
	assert.ErrorContains(t, err, "more than 5 redirects")
	_, err = client(t, Options{Allow: []string{"127.0.0.1"}, MaxRedirects: -1}).Get(t.Context(), s.URL+"/1")
	require.ErrorIs(t, err, ErrRefused)
}

func TestABodyIsWholeOrAnError(t *testing.T) {
	handler := func(length bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body := strings.Repeat("x", len(r.URL.Path)-1)
			if length {
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			} else {
				w.(http.Flusher).Flush() // chunked
			}
			fmt.Fprint(w, body)
		}
	}
	c := client(t, Options{Allow: []string{"127.0.0.1"}, MaxBytes: 10})
	for _, length := range []bool{true, false} {
		s := serve(t, "127.0.0.1:0", handler(length))
		p, err := c.Get(t.Context(), s.URL+"/1234567890")
		require.NoError(t, err)
		assert.Len(t, p.Body, 10)
		p, err = c.Get(t.Context(), s.URL+"/12345678901")
		require.ErrorIs(t, err, ErrTooLarge)
		assert.Empty(t, p.Body)
	}
}

func TestABodyThatBreaksOffIsAnError(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half")
	})
	p, err := client(t, Options{Allow: []string{"127.0.0.1"}}).Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrUnreachable)
	assert.Empty(t, p.Body)
}

func gzipped(t *testing.T, n int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(bytes.Repeat([]byte("x"), n))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestADecompressionBombEndsAtTheLimit(t *testing.T) {
	bomb := gzipped(t, 8<<20)
	require.Less(t, len(bomb), 16<<10)
	var encoding atomic.Value
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding.Load().(string))
		w.Header().Set("Content-Type", "text/plain")
		w.Write(bomb)
	})
	c := client(t, Options{Allow: []string{"127.0.0.1"}, MaxBytes: 1 << 20})
	encoding.Store("gzip")
	_, err := c.Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrTooLarge)
	assert.ErrorContains(t, err, "1 MiB")
	for _, unknown := range []string{"br", "gzip, gzip", "deflate"} {
		encoding.Store(unknown)
		_, err = c.Get(t.Context(), s.URL)
		require.ErrorIs(t, err, ErrType, unknown)
	}
	encoding.Store("identity")
	p, err := c.Get(t.Context(), s.URL)
	require.NoError(t, err)
	assert.Equal(t, bomb, p.Body, "it is not decompressed unasked")
}

func TestACompressedPageIsDecompressed(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "gzip", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(gzipped(t, 1000))
	})
	p, err := client(t, Options{Allow: []string{"127.0.0.1"}}).Get(t.Context(), s.URL)
	require.NoError(t, err)
	assert.Len(t, p.Body, 1000)
}

func TestAPageOfAnotherTypeIsNotRead(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/silent":
			w.Header()["Content-Type"] = nil
			w.Write([]byte("\x89PNG\r\n\x1a\n"))
		case "/plain":
			w.Header()["Content-Type"] = nil
			w.Write([]byte("just words"))
		case "/odd":
			w.Header().Set("Content-Type", "text/html; charset")
			w.Write([]byte("x"))
		default:
			w.Header().Set("Content-Type", "video/mp4")
			w.Write([]byte("x"))
		}
	})
	c := client(t, Options{Allow: []string{"127.0.0.1"}})
	for _, path := range []string{"/video", "/silent"} {
		_, err := c.Get(t.Context(), s.URL+path, "text/*")
		require.ErrorIs(t, err, ErrType, path)
	}
	for path, want := range map[string]string{"/plain": "text/plain", "/odd": "text/html"} {
		p, err := c.Get(t.Context(), s.URL+path, "text/*")
		require.NoError(t, err)
		assert.Equal(t, want, p.Type)
	}
}

func TestAStatusIsReportedWithoutABody(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusGone) })
	p, err := client(t, Options{Allow: []string{"127.0.0.1"}}).Get(t.Context(), s.URL)
	require.NoError(t, err)
	assert.Equal(t, http.StatusGone, p.Status)
	assert.Empty(t, p.Body)
}

func TestTheTimeLimitCoversTheBody(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.(http.Flusher).Flush()
		<-release
	})
	defer close(release)
	c := client(t, Options{Allow: []string{"127.0.0.1"}, Timeout: 50 * time.Millisecond})
	_, err := c.Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrTimeout)
	assert.ErrorContains(t, err, "within 50ms")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Get(ctx, s.URL)
	require.ErrorIs(t, err, context.Canceled, "the caller's own end is the caller's error")
	require.NotErrorIs(t, err, ErrTimeout)
}

func TestHeadersWithoutEndAreRefused(t *testing.T) {
	s := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", maxHeader+1))
		w.WriteHeader(http.StatusOK)
	})
	_, err := client(t, Options{Allow: []string{"127.0.0.1"}}).Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrUnreachable)
}

func TestAHostThatIsNotThereIsUnreachable(t *testing.T) {
	dns := &zone{answers: map[string][][]netip.Addr{}}
	c := client(t, Options{Allow: []string{"127.0.0.1"}, Resolver: dns.resolver(t)})
	_, err := c.Get(t.Context(), "http://nowhere.example/")
	require.ErrorIs(t, err, ErrUnreachable)
	assert.EqualError(t, err, "there is no host nowhere.example")
	s := serve(t, "127.0.0.1:0", text(""))
	s.Close()
	_, err = c.Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "127.0.0.1 cannot be reached")
}

func TestTLSBelow12IsRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(text("secret"))
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c := client(t, Options{Allow: []string{"127.0.0.1"}, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10}})
	_, err := c.Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "protocol version")
}

func TestACertificateThatNobodyVouchesForIsRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(text("secret"))
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	defer s.Close()
	_, err := client(t, Options{Allow: []string{"127.0.0.1"}}).Get(t.Context(), s.URL)
	require.ErrorIs(t, err, ErrUnreachable)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	_, err = client(t, Options{Allow: []string{"127.0.0.1"}, TLS: &tls.Config{RootCAs: roots}}).Get(t.Context(), s.URL)
	require.NoError(t, err)
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	c := client(t, Options{})
	assert.Nil(t, c.http.Transport.(*http.Transport).Proxy, "net/http reads the environment only when it is told to")
}

func TestAProxyThatIsAskedForMayBePrivateAndURLsAreStillChecked(t *testing.T) {
	proxy := serve(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Host) })
	u, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	c := client(t, Options{Proxy: u})
	p, err := c.Get(t.Context(), "http://public.example/")
	require.NoError(t, err)
	assert.Equal(t, "public.example", string(p.Body))
	_, err = c.Get(t.Context(), "http://10.0.0.1/")
	require.ErrorIs(t, err, ErrRefused)
	assert.EqualValues(t, 1, proxy.visits.Load())
}

func TestANameThatTheUserAllowsMayBePrivate(t *testing.T) {
	s := serve(t, "127.0.0.1:0", text("wiki"))
	dns := &zone{answers: map[string][][]netip.Addr{"wiki.example": {addrs("127.0.0.1")}, "x.wiki.example": {addrs("127.0.0.1")}}}
	c := client(t, Options{Allow: []string{"WIKI.example"}, Resolver: dns.resolver(t)})
	p, err := c.Get(t.Context(), "http://wiki.example.:"+s.port())
	require.NoError(t, err)
	assert.Equal(t, "wiki", string(p.Body))
	_, err = c.Get(t.Context(), "http://x.wiki.example:"+s.port())
	require.ErrorIs(t, err, ErrRefused)
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	_, err := New(Options{Timeout: -1})
	require.Error(t, err)
	_, err = New(Options{MaxBytes: -1})
	require.Error(t, err)
}
