package traffic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
)

// Replayer is a transport that answers from a recording: a request gets the answer that the same request got, whatever
// came between; of equal requests each gets the next answer. It is safe for concurrent use.
//
// Where the recorded client gave up waiting (a timeout, Ctrl-C), the replayed one waits for its own context, too.
type Replayer struct {
	name   string
	opts   Options
	fences fences
	all    []*exchange

	mu     sync.Mutex
	byKey  map[string][]*exchange // those that were not asked for yet
	misses []error
}

// Open reads a recording. A file that is cut or is no recording is refused with the line: the error is a [*FormatError].
func Open(path string, opts Options) (*Replayer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("traffic: replay: %w", err)
	}
	defer file.Close()
	return NewReplayer(file, path, opts)
}

// NewReplayer reads a recording; name stands for it in errors.
func NewReplayer(r io.Reader, name string, opts Options) (*Replayer, error) {
	begin, all, err := readFile(r, name)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *exchange) int { return cmp.Compare(a.N, b.N) })
	p := &Replayer{name: name, opts: opts.withDefaults(), fences: fences{seed: begin.Seed}, all: all, byKey: map[string][]*exchange{}}
	for _, e := range all {
		p.byKey[e.key()] = append(p.byKey[e.key()], e)
	}
	return p, nil
}

// Fence makes the delimiters of the recorded run again, in their order.
func (p *Replayer) Fence() string { return p.fences.next() }

// Err is what was asked for and not in the recording, nil if nothing was: each is a [*MissError].
func (p *Replayer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.misses...)
}

// Left is how many recorded exchanges nobody has asked for yet.
func (p *Replayer) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, list := range p.byKey {
		n += len(list)
	}
	return n
}

// RoundTrip implements http.RoundTripper. A request that is not in the recording is a [*MissError].
func (p *Replayer) RoundTrip(req *http.Request) (*http.Response, error) {
	return p.replay(req, req.URL.EscapedPath())
}

func (p *Replayer) replay(req *http.Request, place string) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	asked := exchange{Method: req.Method, Path: place}
	if asked.Request, err = canonical(body, p.opts.Normalize); err != nil {
		return nil, fmt.Errorf("traffic: replay: %w", err)
	}
	asked.blot(secretsOf(req, p.opts.Secrets))
	found, err := p.take(&asked)
	if err != nil {
		return nil, err
	}
	if found.Status == 0 {
		return nil, found.Failure.err(req.Context())
	}
	return found.response(req), nil
}

// take is the next answer to a request; each is given once.
func (p *Replayer) take(asked *exchange) (*exchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := asked.key()
	if list := p.byKey[key]; len(list) > 0 {
		p.byKey[key] = list[1:]
		return list[0], nil
	}
	err := p.miss(asked)
	p.misses = append(p.misses, err)
	return nil, err
}

func (e *exchange) response(req *http.Request) *http.Response {
	header := http.Header{}
	for name, value := range e.Header {
		header.Set(name, value)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)), StatusCode: e.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, ContentLength: -1, Request: req,
		Body: &player{ctx: req.Context(), chunks: e.Body, failure: e.Failure},
	}
}

// player is a recorded body: one piece for each read, then its end.
type player struct {
	ctx     context.Context
	chunks  []chunk
	failure *failure
	closed  bool
}

// Read implements io.Reader.
func (b *player) Read(p []byte) (int, error) {
	switch err := b.ctx.Err(); {
	case err != nil:
		return 0, err
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case len(b.chunks) == 0 && b.failure != nil:
		return 0, b.failure.err(b.ctx)
	case len(b.chunks) == 0:
		return 0, io.EOF
	}
	n := copy(p, b.chunks[0])
	if n < len(b.chunks[0]) {
		b.chunks = slices.Clone(b.chunks) // they are the recording's
		b.chunks[0] = b.chunks[0][n:]
	} else {
		b.chunks = b.chunks[1:]
	}
	return n, nil
}

// Close implements io.Closer.
func (b *player) Close() error {
	b.closed = true
	return nil
}
