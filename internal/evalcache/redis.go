package evalcache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sony/gobreaker/v2"
)

// prefix keeps the keys apart from those of others in the same Redis.
const prefix = "kbagent:eval:"

// silence turns off the client's own log, which is one for the whole process: an outage is told here, once.
var silence = sync.OnceFunc(logging.Disable)

// server is a cache in Redis behind a breaker: after one call that failed, nobody waits for Redis again until one call,
// every Options.Retry, finds it back.
type server struct {
	opts    Options
	client  *redis.Client
	circuit *gobreaker.CircuitBreaker[[]byte]
	fault   atomic.Pointer[error] // the last one
}

func newRedis(rawURL string, opts Options) (*server, error) {
	o, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("evaluation cache: %w", err)
	}
	o.MaxRetries, o.DialerRetries = -1, 1 // a miss is cheaper
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = opts.Timeout, opts.Timeout, opts.Timeout, opts.Timeout
	o.ContextTimeoutEnabled = true
	o.Protocol, o.DisableIdentity = 2, true // less to say before the first command
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	silence()
	s := &server{opts: opts, client: redis.NewClient(o)}
	s.circuit = gobreaker.NewCircuitBreaker[[]byte](gobreaker.Settings{
		Name:          "evaluation cache at " + o.Addr,
		Timeout:       opts.Retry,
		ReadyToTrip:   func(c gobreaker.Counts) bool { return c.ConsecutiveFailures > 0 },
		IsExcluded:    func(err error) bool { return errors.Is(err, errCaller) },
		OnStateChange: s.tell,
	})
	return s, nil
}

// errCaller is a call that its caller ended, which says nothing of Redis.
var errCaller = errors.New("ended by the caller")

func (s *server) Get(ctx context.Context, key string) ([]byte, bool) {
	found := false
	value, err := s.call(ctx, func(ctx context.Context) ([]byte, error) {
		value, err := s.client.Get(ctx, prefix+key).Bytes()
		if errors.Is(err, redis.Nil) {
			return nil, nil
		}
		found = err == nil
		return value, err
	})
	return value, err == nil && found
}

func (s *server) Put(ctx context.Context, key string, value []byte) {
	if len(value) > s.opts.MaxValue {
		return
	}
	_, _ = s.call(ctx, func(ctx context.Context) ([]byte, error) { // a failure is told by the breaker
		return nil, s.client.Set(ctx, prefix+key, value, s.opts.TTL).Err()
	})
}

// call makes a call within the time limit, unless Redis is known to be down.
func (s *server) call(ctx context.Context, do func(context.Context) ([]byte, error)) ([]byte, error) {
	return s.circuit.Execute(func() ([]byte, error) {
		inner, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		defer cancel()
		value, err := do(inner)
		if err != nil && ctx.Err() != nil {
			return nil, errCaller
		}
		if err != nil {
			s.fault.Store(&err)
		}
		return value, err
	})
}

// tell logs the start and the end of an outage; what is tried in between is not news.
func (s *server) tell(name string, from, to gobreaker.State) {
	switch {
	case from == gobreaker.StateClosed:
		s.opts.Log.Warn("evaluation_cache_down", "cache", name, "error", *s.fault.Load(), "retry_after", s.opts.Retry)
	case to == gobreaker.StateClosed:
		s.opts.Log.Info("evaluation_cache_back", "cache", name)
	}
}

func (s *server) Close() error { return s.client.Close() }
