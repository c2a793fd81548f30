package traffic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// tape is the body of an answer that is being recorded. It belongs to one goroutine, but Close may come from another.
type tape struct {
	ctx      context.Context
	recorder *Recorder
	secrets  []string
	body     io.ReadCloser

	mu       sync.Mutex
	exchange exchange
	done     bool
}

// Read implements io.Reader.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.mu.Lock()
	if n > 0 && !t.done {
		t.exchange.Body = append(t.exchange.Body, chunk(bytes.Clone(p[:n])))
	}
	t.mu.Unlock()
	switch {
	case errors.Is(err, io.EOF):
		t.finish(nil)
	case err != nil:
		t.finish(failureOf(t.ctx, err))
	}
	return n, err
}

// Close implements io.Closer.
func (t *tape) Close() error {
	left := kindLeft
	if t.ctx.Err() != nil {
		left = kindGone
	}
	t.finish(&failure{Kind: left})
	return t.body.Close()
}

// finish writes the exchange, once, without its secrets.
func (t *tape) finish(f *failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.done, t.exchange.Failure = true, f
	t.exchange.blot(t.secrets)
	t.recorder.add(t.exchange)
}
