package traffic

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

// Options say how traffic is recorded and replayed; both sides need the same Normalize. The zero value works.
type Options struct {
	// Normalize takes out of a request's canonical body what differs from run to run. It must not keep its argument.
	// Default [ReplaceFences].
	Normalize func(body []byte) []byte
	// Secrets are texts that must not be recorded. The keys that a request carries in its headers are known anyway.
	// What is shorter than 8 bytes is no secret: it would blot out words.
	Secrets []string
	// Transport carries the requests that are recorded. Default [http.DefaultTransport].
	Transport http.RoundTripper
}

func (o Options) withDefaults() Options {
	if o.Normalize == nil {
		o.Normalize = ReplaceFences
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return o
}

// Recorder is a transport that records what passes through it. Make one with [Create] or [NewRecorder] and close it
// when nothing is under way any more; it is safe for concurrent use.
type Recorder struct {
	opts   Options
	fences fences
	file   io.Closer // nil when it is not ours

	mu      sync.Mutex
	out     io.Writer
	begun   int
	written int
	closed  bool
	err     error
}

// Create records into a new file, which only its owner may read. A file that exists is left alone: the error is
// [os.ErrExist] then.
func Create(path string, opts Options) (*Recorder, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("traffic: record: %w", err)
	}
	r, err := NewRecorder(file, opts)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.file = file
	return r, nil
}

// NewRecorder records into w, which the caller closes after the recorder.
func NewRecorder(w io.Writer, opts Options) (*Recorder, error) {
	r := &Recorder{opts: opts.withDefaults(), out: w, fences: fences{seed: rand.Text()}}
	if err := r.write(line{Head: &head{Version: version, Seed: r.fences.seed}}); err != nil {
		return nil, err
	}
	return r, nil
}

// Fence makes a delimiter that no document can know, and that a [Replayer] of the recording makes again in the same
// order.
func (r *Recorder) Fence() string { return r.fences.next() }

// RoundTrip implements http.RoundTripper. An exchange is written when its answer was read to the end or closed. What
// cannot be recorded passes all the same: Close tells.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	return r.record(req, req.URL.EscapedPath(), r.opts.Transport)
}

// record carries a request by inner; place is what tells where it goes.
func (r *Recorder) record(req *http.Request, place string, inner http.RoundTripper) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	sent := req.Clone(req.Context())
	sent.Body = http.NoBody
	if len(body) > 0 {
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	t := r.begin(req, place, body)
	resp, err := inner.RoundTrip(sent)
	if err != nil {
		t.finish(failureOf(req.Context(), err))
		return nil, err
	}
	t.exchange.Status = resp.StatusCode
	t.exchange.keepHeader(resp.Header)
	t.body, resp.Body = resp.Body, t
	return resp, nil
}

// begin numbers an exchange and describes its request.
func (r *Recorder) begin(req *http.Request, place string, body []byte) *tape {
	t := &tape{ctx: req.Context(), recorder: r, secrets: secretsOf(req, r.opts.Secrets)}
	request, err := canonical(body, r.opts.Normalize)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	if err != nil {
		r.err = cmp.Or(r.err, fmt.Errorf("traffic: record request %d: %w", r.begun, err))
	}
	t.exchange = exchange{N: r.begun, Method: req.Method, Path: place, Request: request}
	return t
}

// secretsOf are the keys that a request carries, and the others that are known.
func secretsOf(req *http.Request, known []string) []string {
	var list []string
	for _, value := range append([]string{
		strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "), req.Header.Get("X-Api-Key"), req.Header.Get("Api-Key"),
	}, known...) {
		if len(value) >= 8 {
			list = append(list, value)
		}
	}
	return list
}

// add writes one finished exchange.
func (r *Recorder) add(e exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		r.err = cmp.Or(r.err, fmt.Errorf("traffic: exchange %d ended after the recording was closed", e.N))
		return
	}
	if err := r.write(line{Exchange: &e}); err != nil {
		r.err = cmp.Or(r.err, err)
		return
	}
	r.written++
}

func (r *Recorder) write(l line) error {
	raw, err := encode(l)
	if err == nil {
		_, err = r.out.Write(append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("traffic: record: %w", err)
	}
	return nil
}

// Close ends the recording. It returns the first error of writing it, and one when exchanges are still under way, which
// are lost then; the file is refused by [Open] in either case. Closing twice is fine.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.err
	}
	r.closed = true
	if r.begun != r.written {
		r.err = cmp.Or(r.err, fmt.Errorf("traffic: %d of %d exchanges were not recorded: they were still under way", r.begun-r.written, r.begun))
	}
	if r.err == nil {
		r.err = r.write(line{End: &end{Exchanges: r.written}})
	}
	if r.file != nil {
		r.err = errors.Join(r.err, r.file.Close())
	}
	return r.err
}
