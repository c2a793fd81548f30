package netguard

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestURLsThatAreNotFetched(t *testing.T) {
	c := client(t, Options{})
	for raw, reason := range map[string]string{
		"":                                        "only http and https",
		"example.com":                             "only http and https",
		"/etc/passwd":                             "only http and https",
		"file:///etc/passwd":                      "only http and https",
		"gopher://example.com/":                   "only http and https",
		"javascript:alert(1)":                     "only http and https",
		"http:example.com":                        "names no host",
		"http:///x":                               "names no host",
		"http://./":                               "names no host",
		"http://:80/":                             "names no host",
		"http://user@example.com/":                "user name or password",
		"http://user:pw@example.com/":             "user name or password",
		"http://example.com@10.0.0.1/":            "user name or password",
		"http://exa mple.com/":                    "no URL",
		"http://example.com\x00/":                 "no URL",
		"http://example.com:0/":                   "port",
		"http://example.com:65536/":               "port",
		"http://example.com:22/":                  "not a port of the web",
		"https://example.com:6379/":               "not a port of the web",
		"http://127.0.0.1/":                       "loopback",
		"http://127.0.0.1./":                      "loopback",
		"http://[::1]/":                           "loopback",
		"http://[::ffff:127.0.0.1]/":              "loopback",
		"http://[::ffff:7f00:1]/":                 "loopback",
		"http://[64:ff9b::7f00:1]/":               "loopback through NAT64",
		"http://[fe80::1%25lo]/":                  "link-local",
		"http://169.254.169.254/latest/":          "link-local",
		"http://2130706433/":                      "usual form",
		"http://0x7f000001/":                      "usual form",
		"http://0177.0.0.1/":                      "usual form",
		"http://0x7f.0.0.1/":                      "usual form",
		"http://127.1/":                           "usual form",
		"http://example.0X7F./":                   "usual form",
		"http://localhost/":                       "this machine",
		"http://LOCALHOST./":                      "this machine",
		"http://a.localhost:8080/":                "this machine",
		"http://x/" + strings.Repeat("a", maxURL): "longer than",
	} {
		_, err := c.CheckURL(raw)
		require.ErrorIs(t, err, ErrRefused, raw)
		assert.ErrorContains(t, err, reason, raw)
	}
}

func TestURLsThatMayBeFetched(t *testing.T) {
	c := client(t, Options{Allow: []string{"localhost", "10.0.0.0/8"}, DenyPorts: []uint16{}})
	for raw, want := range map[string]string{
		"http://example.com":            "http://example.com",
		" HTTPS://Example.com/a?b=c#d ": "https://Example.com/a?b=c",
		"http://example.com:22/":        "http://example.com:22/",
		"http://8.8.8.8/":               "http://8.8.8.8/",
		"http://1e100.net/":             "http://1e100.net/",
		"http://0xabc.example/":         "http://0xabc.example/",
		"http://localhost:8080/":        "http://localhost:8080/",
		"http://10.1.2.3/":              "http://10.1.2.3/",
		"http://bücher.example/":        "http://b%C3%BCcher.example/",
	} {
		u, err := c.CheckURL(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, want, u.String())
	}
}

// Whatever passes has a form in which nothing closed can be read out of the URL alone.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"http://example.com/", "http://127.0.0.1/", "http://0x7f.1/", "http://[::ffff:a00:1]:80/", "https://a@b/", "http://１２７.０.０.１/",
		"http://localhost./", "http://[fe80::1%25eth0]/", "HTTP://EXAMPLE.com:443/x#y", "http:\\\\10.0.0.1\\", "http://a\tb/",
	} {
		f.Add(seed)
	}
	c, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := c.CheckURL(raw)
		if err != nil {
			require.ErrorIs(t, err, ErrRefused)
			return
		}
		assert.Contains(t, []string{"http", "https"}, u.Scheme)
		assert.Nil(t, u.User)
		assert.Empty(t, u.Fragment)
		host := hostKey(u.Hostname())
		require.NotEmpty(t, host)
		if a, err := netip.ParseAddr(host); err == nil {
			assert.Empty(t, closed(a), raw)
		} else {
			assert.False(t, endsInNumber(host), raw)
			assert.NotEqual(t, "localhost", host)
		}
		again, err := c.CheckURL(u.String())
		require.NoError(t, err, "what passes passes in its own form")
		assert.Equal(t, u.String(), again.String())
	})
}
