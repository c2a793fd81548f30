package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxReply     = 64 << 20 // bytes of a whole reply
	maxErrorBody = 2 << 10  // bytes of an error answer that are kept
)

// endpoint sends requests to one server. It is immutable and safe for concurrent use.
type endpoint struct {
	cfg      Config
	client   *http.Client
	protocol string // for people, where it is not that of cfg.Provider
}

// newEndpoint takes a Config that went through withDefaults.
func newEndpoint(cfg Config) *endpoint {
	return &endpoint{cfg: cfg, client: &http.Client{
		Transport: cfg.Transport,
		// A followed redirect turns a POST into a GET and may carry the key to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send performs one request and returns a 2xx response, whose body the caller closes. Its errors
// are the cause of a done context, ErrRateLimit, ErrUnreachable or a *StatusError.
func (e *endpoint) send(ctx context.Context, w *watch, method, path string, body []byte) (*http.Response, error) {
	w.pause() // waiting for our own limit is not the server's silence
	if err := e.cfg.Limit.wait(ctx, e.cfg.BaseURL); err != nil {
		return nil, err
	}
	w.touch()
	req, err := http.NewRequestWithContext(ctx, method, e.cfg.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("llm: building a request: %w", err)
	}
	req.Header.Set("User-Agent", "kbagent")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	e.authorize(req)
	resp, err := e.client.Do(req)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			resp.Body.Close() //nolint:errcheck // nothing was read from it
		}
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, e.unreachable(err)
	case resp.StatusCode/100 != 2:
		defer resp.Body.Close() // the answer is an error already
		return nil, e.statusError(resp)
	}
	return resp, nil
}

func (e *endpoint) authorize(req *http.Request) {
	anthropic := e.cfg.Provider == ProviderAnthropic
	if anthropic {
		req.Header.Set("Anthropic-Version", anthropicVersion)
	}
	switch {
	case e.cfg.APIKey == "":
	case anthropic:
		req.Header.Set("X-Api-Key", e.cfg.APIKey)
	default:
		req.Header.Set("Authorization", "Bearer "+e.cfg.APIKey)
	}
}

// readAll reads a whole reply. A reply that breaks off is ErrCut and may be asked for again.
func (e *endpoint) readAll(ctx context.Context, resp *http.Response) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, e.cut("the connection broke off", err, true)
	case len(raw) > maxReply:
		return nil, e.malformed("it is larger than 64 MiB", nil)
	}
	return raw, nil
}

// cut makes an ErrCut. The sentence holds why but not the cause, which may quote the answer.
func (e *endpoint) cut(why string, cause error, retry bool) error {
	return &failure{
		kind: ErrCut, cause: cause, retry: retry,
		text: fmt.Sprintf("the reply of %s was cut: %s", e.cfg.BaseURL, e.redact(why)),
	}
}

func (e *endpoint) malformed(why string, cause error) error {
	return &failure{
		kind: ErrMalformed, cause: cause,
		text: fmt.Sprintf("the reply of %s is not what the %s protocol says (%s): check the base URL", e.cfg.BaseURL, e.protocolName(), e.redact(why)),
	}
}

func (e *endpoint) protocolName() string {
	switch {
	case e.protocol != "":
		return e.protocol
	case e.cfg.Provider == ProviderAnthropic:
		return "Anthropic"
	}
	return "OpenAI"
}

func (e *endpoint) statusError(resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 32*maxErrorBody))
	if err != nil {
		raw = append(raw, " … (unreadable: "+err.Error()+")"...)
	}
	return &StatusError{
		Status:     resp.StatusCode,
		RetryAfter: parseRetryAfter(resp.Header.Get("Retry-After"), time.Now()),
		Body:       clip(e.redact(string(raw)), maxErrorBody),
		Endpoint:   e.cfg.BaseURL,
	}
}

// unreachable explains a request without an answer. A wrong certificate or scheme is not retried.
func (e *endpoint) unreachable(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	why, retry := reason(err)
	return &failure{
		kind: ErrUnreachable, cause: err, retry: retry,
		text: fmt.Sprintf("cannot reach %s: %s", e.cfg.BaseURL, e.redact(why)),
	}
}

func reason(err error) (why string, retry bool) {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var permanent interface{ Permanent() bool }
	switch {
	case errors.As(err, &permanent) && permanent.Permanent():
		return err.Error(), false
	case errors.As(err, &dns):
		return fmt.Sprintf("the host name %q cannot be resolved: check the base URL and the network", dns.Name), true
	case errors.As(err, &cert), errors.As(err, &unknown):
		return fmt.Sprintf("its certificate is not trusted (%v): check the base URL and the system's certificates", err), false
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS: check https or http in the base URL", false
	}
	return fmt.Sprintf("%v: check the base URL and that the server is running", err), true
}

// redact blots out the API key.
func (e *endpoint) redact(s string) string {
	if e.cfg.APIKey == "" {
		return s
	}
	return strings.ReplaceAll(s, e.cfg.APIKey, "[API key]")
}

// parseRetryAfter reads both forms of the header; nonsense and the past are 0.
func parseRetryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if seconds > 0 && seconds < 1e6 {
			return time.Duration(seconds * float64(time.Second))
		}
		return 0
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
