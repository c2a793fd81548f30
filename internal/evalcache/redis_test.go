package evalcache

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generous keeps a machine under load from being taken for a Redis that is down.
const generous = 30 * time.Second

// journal is a log that tests read.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) count(message string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.buf.String(), "msg="+message+" ")
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func TestACacheInRedis(t *testing.T) {
	f := startFake(t, "127.0.0.1:0", "pass word")
	c := open(t, "redis://:pass%20word@"+f.address()+"/3", Options{Timeout: generous})
	conform(t, c)
	f.set(func(f *fakeRedis) {
		assert.Equal(t, time.Hour, f.ttl[prefix+"k"], "Redis forgets it after the hour")
		for key := range f.values {
			assert.True(t, strings.HasPrefix(key, prefix), key)
		}
	})
}

func TestACacheInARealRedis(t *testing.T) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not on PATH; the server of this package's tests stands in for it")
	}
	socket := filepath.Join(shortDir(t), "s")
	cmd := exec.Command(binary, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
	})
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		ready = strings.Contains(lines.Text(), "eady to accept connections")
	}
	require.True(t, ready, "it says so when it is ready")
	c := open(t, "unix://"+socket+"?db=2", Options{Timeout: generous})
	conform(t, c)
	left, err := c.(*server).client.PTTL(t.Context(), prefix+"k").Result()
	require.NoError(t, err)
	assert.Greater(t, left, time.Duration(0))
	assert.LessOrEqual(t, left, time.Hour)
}

// shortDir is a folder whose path fits into the address of a socket.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "kb")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestARedisThatIsDownIsAskedOnceAndToldOnce(t *testing.T) {
	f := startFake(t, "127.0.0.1:0", "")
	log := &journal{}
	c := open(t, "redis://"+f.address(), Options{Timeout: generous, Retry: time.Hour, Log: log.logger()})
	c.Put(t.Context(), "k", []byte("v"))
	f.stop()
	for range 50 {
		_, ok := c.Get(t.Context(), "k")
		assert.False(t, ok)
		c.Put(t.Context(), "k", []byte("v"))
	}
	assert.Equal(t, 1, log.count("evaluation_cache_down"))
	assert.NotContains(t, log.buf.String(), "v=")
}

func TestARedisThatDoesNotAnswerIsGivenUpAfterTheTimeLimit(t *testing.T) {
	f := startFake(t, "127.0.0.1:0", "")
	log := &journal{}
	c := open(t, "redis://"+f.address(), Options{Timeout: time.Second, Retry: time.Hour, Log: log.logger()})
	c.Put(t.Context(), "k", []byte("v"))
	f.set(func(f *fakeRedis) { f.silent, f.calls = true, 0 })
	for range 50 {
		_, ok := c.Get(t.Context(), "k")
		assert.False(t, ok)
	}
	f.set(func(f *fakeRedis) { assert.Equal(t, 1, f.calls, "one call waited, the others did not ask") })
	assert.Equal(t, 1, log.count("evaluation_cache_down"))
}

func TestARedisThatRefusesIsDown(t *testing.T) {
	for claim, fault := range map[string]string{"out of memory": "OOM command not allowed when used memory > 'maxmemory'.", "loading": "LOADING Redis is loading the dataset in memory"} {
		t.Run(claim, func(t *testing.T) {
			f := startFake(t, "127.0.0.1:0", "")
			log := &journal{}
			c := open(t, "redis://"+f.address(), Options{Timeout: generous, Retry: time.Hour, Log: log.logger()})
			f.set(func(f *fakeRedis) { f.fault = fault })
			c.Put(t.Context(), "k", []byte("v"))
			assert.Equal(t, 1, log.count("evaluation_cache_down"))
		})
	}
	t.Run("the password is wrong", func(t *testing.T) {
		f := startFake(t, "127.0.0.1:0", "right")
		log := &journal{}
		c := open(t, "redis://:secret@"+f.address(), Options{Timeout: generous, Retry: time.Hour, Log: log.logger()})
		_, ok := c.Get(t.Context(), "k")
		assert.False(t, ok)
		assert.Equal(t, 1, log.count("evaluation_cache_down"))
		assert.NotContains(t, log.buf.String(), "secret")
	})
}

func TestARedisThatComesBackIsUsedAgainAndToldOnce(t *testing.T) {
	f := startFake(t, "127.0.0.1:0", "")
	log := &journal{}
	c := open(t, "redis://"+f.address(), Options{Timeout: generous, Retry: time.Nanosecond, Log: log.logger()})
	f.set(func(f *fakeRedis) { f.fault = "LOADING" })
	for range 5 { // each call tries again, and the outage is one
		c.Put(t.Context(), "k", []byte("v"))
	}
	assert.Equal(t, 1, log.count("evaluation_cache_down"))
	f.set(func(f *fakeRedis) { f.fault = "" })
	c.Put(t.Context(), "k", []byte("v"))
	value, ok := c.Get(t.Context(), "k")
	assert.True(t, ok)
	assert.Equal(t, "v", string(value))
	assert.Equal(t, 1, log.count("evaluation_cache_back"))
	assert.Equal(t, 1, log.count("evaluation_cache_down"))
}

func TestACallerThatGoesAwayIsNoOutage(t *testing.T) {
	f := startFake(t, "127.0.0.1:0", "")
	log := &journal{}
	c := open(t, "redis://"+f.address(), Options{Timeout: generous, Retry: time.Hour, Log: log.logger()})
	c.Put(t.Context(), "k", []byte("v"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, ok := c.Get(ctx, "k")
	assert.False(t, ok)
	_, ok = c.Get(t.Context(), "k")
	assert.True(t, ok)
	assert.Zero(t, log.count("evaluation_cache_down"))
}

func BenchmarkRedisDown(b *testing.B) {
	c, err := Open("redis://127.0.0.1:1", Options{Retry: time.Hour, Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	defer c.Close()
	ctx := context.Background()
	c.Get(ctx, "k") // finds it down
	for b.Loop() {
		c.Get(ctx, "k")
	}
}

func ExampleOpen() {
	cache, err := Open("", Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cache.Close()
	key := Key{Question: "how do I install it", Items: []string{"p1", "p2"}, IndexVersion: 7, Profile: "llm", Model: "m"}.String()
	cache.Put(context.Background(), key, []byte(`[0.9, 0.2]`))
	value, ok := cache.Get(context.Background(), key)
	fmt.Println(string(value), ok)
	// Output: [0.9, 0.2] true
}
