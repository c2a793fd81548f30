package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Options tunes a Client. The zero value is the default.
type Options struct {
	// Allow opens what is closed: host names with all that they resolve to, addresses, ranges in CIDR notation. Names are
	// whole names in their ASCII form, without a port. Ports stay closed. Default none.
	Allow []string
	// DenyPorts are never connected to. Default nil: DefaultDenyPorts; an empty list closes none.
	DenyPorts []uint16
	// Timeout ends a fetch as a whole, with all redirects and the body. Default 10 s.
	Timeout time.Duration
	// MaxBytes is the largest body, after decompression. Default 5 MiB.
	MaxBytes int64
	// MaxRedirects is how many redirects are followed, each one checked; negative for none. Default 5.
	MaxRedirects int
	// UserAgent is sent with each request. Default "kbagent".
	UserAgent string
	// Proxy, when not nil, is connected to for every request. The proxy then resolves the names, so that only it can
	// keep requests out of closed addresses; URLs are checked as always. The environment's proxies are never used.
	Proxy *url.URL
	// Resolver looks names up. Default net.DefaultResolver.
	Resolver *net.Resolver
	// TLS is the configuration to start from, e.g. with further roots. Versions below 1.2 are refused whatever it says.
	TLS *tls.Config
	// Wrap, when not nil, puts a transport around the one that checks what is connected to, for instance one that records
	// what passes. URLs and redirects are checked in front of it.
	Wrap func(http.RoundTripper) http.RoundTripper
}

func (o Options) withDefaults() (Options, error) {
	if o.Timeout < 0 || o.MaxBytes < 0 {
		return o, fmt.Errorf("netguard: Timeout (%v) and MaxBytes (%d) must not be negative", o.Timeout, o.MaxBytes)
	}
	if o.DenyPorts == nil {
		o.DenyPorts = DefaultDenyPorts
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 5 << 20
	}
	if o.MaxRedirects == 0 {
		o.MaxRedirects = 5
	}
	if o.UserAgent == "" {
		o.UserAgent = "kbagent"
	}
	return o, nil
}

// maxHeader bounds the headers of a reply, in bytes.
const maxHeader = 256 << 10

// A Client fetches pages. It is safe for concurrent use; Close it when it is no longer needed.
type Client struct {
	opts  Options
	allow allowList
	http  *http.Client
}

// New returns a client. Faulty entries of Options.Allow are an error that names them all.
func New(opts Options) (*Client, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Client{opts: opts}
	if c.allow, err = parseAllow(opts.Allow); err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext:            c.dial,
		TLSClientConfig:        secure(opts.TLS),
		TLSHandshakeTimeout:    opts.Timeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           8,
		MaxConnsPerHost:        4,
		IdleConnTimeout:        30 * time.Second,
	}
	if opts.Proxy != nil {
		transport.Proxy = http.ProxyURL(opts.Proxy)
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.redirect}
	if opts.Wrap != nil {
		c.http.Transport = opts.Wrap(transport)
	}
	return c, nil
}

// Close closes the connections that are kept open.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func secure(base *tls.Config) *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if base != nil {
		cfg = base.Clone()
		cfg.MinVersion = max(cfg.MinVersion, tls.VersionTLS12)
	}
	return cfg
}

// dial connects to one of the addresses of a host. Each is checked right before it is connected to: there is no second
// look-up that could say something else.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Resolver: c.opts.Resolver, Timeout: c.opts.Timeout}
	if c.opts.Proxy == nil {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, refuse("%q is no address", address)
		}
		dialer.Control = func(_, dialled string, _ syscall.RawConn) error { return c.control(host, dialled) }
	}
	return dialer.DialContext(ctx, network, address)
}

func (c *Client) control(host, dialled string) error {
	to, err := netip.ParseAddrPort(dialled)
	if err != nil {
		return refuse("%q is no address", dialled)
	}
	if c.allow.host(host) {
		return nil
	}
	return c.checkAddr(host, to.Addr())
}

func (c *Client) redirect(to *http.Request, via []*http.Request) error {
	if len(via) > max(c.opts.MaxRedirects, 0) {
		return refuse("more than %d redirects", max(c.opts.MaxRedirects, 0))
	}
	to.Header.Del("Referer")
	if err := c.check(to.URL); err != nil {
		return &fault{text: "a redirect leads elsewhere: " + err.Error(), is: ErrRefused, cause: err}
	}
	if follow, _ := to.Context().Value(followKey{}).(func(*url.URL) error); follow != nil {
		if err := follow(clean(to.URL)); err != nil {
			return &fault{text: "a redirect leads elsewhere: " + err.Error(), is: ErrRefused, cause: err}
		}
	}
	return nil
}

// explain gives a failed request its sentence.
func (c *Client) explain(ctx, inner context.Context, host string, err error) error {
	var known *fault
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return known
	case inner.Err() != nil:
		return &fault{fmt.Sprintf("%s did not answer within %v", host, c.opts.Timeout), ErrTimeout, err}
	case errors.As(err, &dns) && dns.IsNotFound:
		return &fault{fmt.Sprintf("there is no host %s", host), ErrUnreachable, err}
	}
	var ue *url.Error // its text repeats the URL
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return &fault{fmt.Sprintf("%s cannot be reached: %v", host, err), ErrUnreachable, err}
}
