package evalcache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"
)

// A Cache keeps values for a while. It is safe for concurrent use, and never fails: what is not to be had is not there.
type Cache interface {
	// Get returns the value of key, which the caller owns. ok is false when there is none, and when the cache is down.
	Get(ctx context.Context, key string) (value []byte, ok bool)
	// Put keeps value under key, if it can. Values above Options.MaxValue are not kept.
	Put(ctx context.Context, key string, value []byte)
	// Close gives up the connections. The cache is not used afterwards.
	Close() error
}

// Options tunes a Cache. The zero value is the default.
type Options struct {
	// TTL is how long a value is kept. Default 1 h.
	TTL time.Duration
	// MaxEntries is how many values are kept in process; the one not used for longest goes. Default 1000.
	MaxEntries int
	// MaxValue is the largest value, in bytes. Default 64 KiB.
	MaxValue int
	// Timeout bounds one call of Redis. Default 100 ms.
	Timeout time.Duration
	// Retry is how long Redis is left alone after a call that failed; then one call tries again. Default 10 s.
	Retry time.Duration
	// Now is the clock of the cache in process. Default time.Now.
	Now func() time.Time
	// Log is told once when Redis goes down, and once when it is back. Default slog.Default().
	Log *slog.Logger
}

func (o Options) withDefaults() (Options, error) {
	if o.TTL < 0 || o.MaxEntries < 0 || o.MaxValue < 0 || o.Timeout < 0 || o.Retry < 0 {
		return o, fmt.Errorf("evaluation cache: TTL (%v), MaxEntries (%d), MaxValue (%d), Timeout (%v) and Retry (%v) must not be negative",
			o.TTL, o.MaxEntries, o.MaxValue, o.Timeout, o.Retry)
	}
	o.TTL = either(o.TTL, time.Hour)
	o.MaxEntries = either(o.MaxEntries, 1000)
	o.MaxValue = either(o.MaxValue, 64<<10)
	o.Timeout = either(o.Timeout, 100*time.Millisecond)
	o.Retry = either(o.Retry, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, nil
}

func either[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Open returns the cache at rawURL: redis://, rediss:// (TLS) and unix:// are Redis, as in
// redis://user:password@host:6379/0; empty is in process. Anything else is an error, which does not repeat the password.
// A Redis that is not there is no error, now or later.
func Open(rawURL string, opts Options) (Cache, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if rawURL == "" {
		return newMemory(opts), nil
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		var ue *url.Error // its text repeats the URL, with the password
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("evaluation cache: this is no URL: %w", err)
	}
	switch u.Scheme {
	case "redis", "rediss", "unix":
		return newRedis(rawURL, opts)
	default:
		return nil, fmt.Errorf("evaluation cache: the URL must start with redis://, rediss:// or unix://, not with %q", u.Scheme)
	}
}
