package evalcache

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, url string, o Options) Cache {
	t.Helper()
	c, err := Open(url, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// conform is what every cache does, wherever it keeps its values.
func conform(t *testing.T, c Cache) {
	ctx := t.Context()
	_, ok := c.Get(ctx, "nothing")
	assert.False(t, ok)

	value := []byte(`{"scores":[0.7,1]}`)
	c.Put(ctx, "k", value)
	value[0] = 'X'
	got, ok := c.Get(ctx, "k")
	require.True(t, ok)
	assert.Equal(t, `{"scores":[0.7,1]}`, string(got), "the cache has its own copy")
	got[0] = 'Y'
	got, ok = c.Get(ctx, "k")
	require.True(t, ok)
	assert.Equal(t, `{"scores":[0.7,1]}`, string(got), "the caller has its own copy, too")

	c.Put(ctx, "k", []byte("new"))
	got, _ = c.Get(ctx, "k")
	assert.Equal(t, "new", string(got))

	c.Put(ctx, "empty", nil)
	got, ok = c.Get(ctx, "empty")
	assert.True(t, ok)
	assert.Empty(t, got)

	c.Put(ctx, "binary", []byte("a\r\n\x00b"))
	got, _ = c.Get(ctx, "binary")
	assert.Equal(t, "a\r\n\x00b", string(got))

	c.Put(ctx, "large", make([]byte, 64<<10+1))
	_, ok = c.Get(ctx, "large")
	assert.False(t, ok, "large values are not kept")

	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			key := fmt.Sprint("parallel", i)
			c.Put(ctx, key, []byte(key))
			got, ok := c.Get(ctx, key)
			assert.True(t, ok)
			assert.Equal(t, key, string(got))
		})
	}
	wait.Wait()
}

func TestACacheInThisProcess(t *testing.T) { conform(t, open(t, "", Options{})) }

func TestAValueIsGoneAfterItsTime(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	c := open(t, "", Options{Now: func() time.Time { return now }})
	c.Put(t.Context(), "k", []byte("v"))
	now = now.Add(time.Hour - 1)
	_, ok := c.Get(t.Context(), "k")
	assert.True(t, ok)
	now = now.Add(1)
	_, ok = c.Get(t.Context(), "k")
	assert.False(t, ok, "an hour after it was put; reading does not prolong it")
	assert.Empty(t, c.(*memory).byKey, "and its memory is free")
}

func TestTheValueNotUsedForLongestGoesFirst(t *testing.T) {
	c := open(t, "", Options{MaxEntries: 2})
	ctx := t.Context()
	c.Put(ctx, "a", []byte("a"))
	c.Put(ctx, "b", []byte("b"))
	c.Get(ctx, "a")
	c.Put(ctx, "c", []byte("c"))
	_, ok := c.Get(ctx, "b")
	assert.False(t, ok)
	for _, key := range []string{"a", "c"} {
		_, ok := c.Get(ctx, key)
		assert.True(t, ok, key)
	}
	c.Put(ctx, "c", []byte("c2"))
	_, ok = c.Get(ctx, "a")
	assert.True(t, ok, "a value put again takes its own place")
}

func TestURLsThatAreNoCacheAreRefusedWithoutTheirPassword(t *testing.T) {
	for _, url := range []string{"http://x", "localhost:6379", "redis://:secret@x:y/0", "redis://:secret@x/zero", "redis://x/0?max_rabbits=3", "memcached://:secret@x", "redis://:secret@x\x00", "redis://x/0/1"} {
		_, err := Open(url, Options{})
		require.Error(t, err, url)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err := Open("", Options{TTL: -1})
	require.Error(t, err)
}

func TestAKeyDependsOnAllThatTheEvaluationDependsOn(t *testing.T) {
	base := Key{Question: "q", Items: []string{"a", "b"}, Index: "i", IndexVersion: 1, Profile: "p", Model: "m"}
	seen := map[string]string{base.String(): "base"}
	for claim, change := range map[string]func(*Key){
		"the question":           func(k *Key) { k.Question = "Q" },
		"the items":              func(k *Key) { k.Items = []string{"a", "c"} },
		"the order of the items": func(k *Key) { k.Items = []string{"b", "a"} },
		"where an item ends":     func(k *Key) { k.Items = []string{"ab"} },
		"how many items":         func(k *Key) { k.Items = []string{"a", "b", ""} },
		"which field is which":   func(k *Key) { k.Profile, k.Model = "m", "p" },
		"where a field ends":     func(k *Key) { k.Profile, k.Model = "pm", "" },
		"the index":              func(k *Key) { k.Index = "j" },
		"the index's version":    func(k *Key) { k.IndexVersion = 2 },
		"the profile":            func(k *Key) { k.Profile = "p2" },
		"the model":              func(k *Key) { k.Model = "m2" },
	} {
		k := base
		change(&k)
		hash := k.String()
		assert.Empty(t, seen[hash], claim)
		seen[hash] = claim
		assert.Len(t, hash, 64)
		assert.Equal(t, "", strings.Trim(hash, "0123456789abcdef"))
	}
	assert.Equal(t, base.String(), Key{Question: "q", Items: []string{"a", "b"}, Index: "i", IndexVersion: 1, Profile: "p", Model: "m"}.String())
}

func BenchmarkInProcess(b *testing.B) {
	c, err := Open("", Options{})
	require.NoError(b, err)
	ctx := context.Background()
	c.Put(ctx, "k", make([]byte, 200))
	for b.Loop() {
		c.Get(ctx, "k")
	}
}

func BenchmarkKey(b *testing.B) {
	k := Key{Question: "how do I install it on Windows", Profile: "llm", Model: "m"}
	for i := range 20 {
		k.Items = append(k.Items, fmt.Sprintf("%024d", i))
	}
	for b.Loop() {
		_ = k.String()
	}
}
