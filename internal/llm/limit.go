package llm

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/time/rate"
)

// Limit bounds how many requests go out in a minute. Models and embedders of one account share one. It
// is safe for concurrent use; a nil Limit bounds nothing.
type Limit struct {
	perMinute int
	bucket    *rate.Limiter
}

// NewLimit allows perMinute requests in any minute, at least 1: a sixth of them may go at once after a
// quiet time, the rest are spread, so that the first minute holds no more than the others.
func NewLimit(perMinute int) *Limit {
	perMinute = max(perMinute, 1)
	burst := max(perMinute/6, 1)
	// A full bucket, and what flows into it within the minute, are perMinute together.
	every := time.Minute / time.Duration(perMinute-burst+1)
	return &Limit{perMinute: perMinute, bucket: rate.NewLimiter(rate.Every(every), burst)}
}

// wait waits for its turn. It returns the cause of a done ctx, or ErrRateLimit at once when the turn would come after
// ctx's deadline.
func (l *Limit) wait(ctx context.Context, base string) error {
	if l == nil {
		return nil
	}
	err := l.bucket.Wait(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &failure{kind: ErrRateLimit, text: fmt.Sprintf(
		"the limit of %d requests a minute to %s leaves no room before the call's timeout: raise either", l.perMinute, base)}
}
