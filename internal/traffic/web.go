package traffic

import (
	"cmp"
	"net/http"
)

// Web is a transport for requests to many hosts: they are told apart by the whole URL, host and query included. They are
// recorded beside the others and carried by inner; nil stands for [Options.Transport].
func (r *Recorder) Web(inner http.RoundTripper) http.RoundTripper {
	inner = cmp.Or(inner, r.opts.Transport)
	return roundTripper(func(req *http.Request) (*http.Response, error) { return r.record(req, address(req), inner) })
}

// Web is the transport that answers what [Recorder.Web] has recorded. Nothing is sent.
func (p *Replayer) Web() http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) { return p.replay(req, address(req)) })
}

// address is the URL without user and password, which the secrets of a request are.
func address(req *http.Request) string {
	u := *req.URL
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u.String()
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
