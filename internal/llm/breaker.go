package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/sony/gobreaker/v2"
	"github.com/tmc/langchaingo/llms"
)

// breaker keeps calls from a server that was just found to be down: each would wait for all its retries again.
// A nil breaker lets everything through. It is safe for concurrent use.
type breaker struct {
	circuit *gobreaker.CircuitBreaker[*llms.ContentResponse]

	mu   sync.Mutex
	last error // why the circuit opened
}

// newBreaker opens after one call that failed with all its retries, and lets one call try again after the cooldown.
func newBreaker(cfg Config) *breaker {
	if cfg.Cooldown <= 0 {
		return nil
	}
	b := &breaker{}
	b.circuit = gobreaker.NewCircuitBreaker[*llms.ContentResponse](gobreaker.Settings{
		Name:         cfg.BaseURL,
		Timeout:      cfg.Cooldown,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures > 0 },
		IsSuccessful: func(err error) bool { return !down(err) },
	})
	return b
}

// do makes a call unless the circuit is open; then it returns the error that opened it. What ctx ends counts neither way.
func (b *breaker) do(ctx context.Context, call func() (*llms.ContentResponse, error)) (*llms.ContentResponse, error) {
	if b == nil {
		return call()
	}
	resp, err := b.circuit.Execute(func() (*llms.ContentResponse, error) {
		resp, err := call()
		if ctx.Err() != nil { // the caller ended it, which says nothing of the server
			return nil, context.Canceled
		}
		if down(err) {
			b.mu.Lock()
			b.last = err
			b.mu.Unlock()
		}
		return resp, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return nil, fmt.Errorf("not asked again so soon: %w", b.last)
	}
	return resp, err
}

// down says whether an error means that the server cannot serve anybody now. A refused or
// cut reply shows that it is there.
func down(err error) bool {
	var status *StatusError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &status):
		return status.Status >= 500
	default:
		return errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
	}
}
