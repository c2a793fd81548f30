package graph

import (
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// A nodeCache holds the results of one node, for all runs of an App.
type nodeCache[S any] struct {
	key   func(*S, any) string
	ttl   time.Duration
	size  int
	mu    sync.Mutex
	byKey map[string]*list.Element
	used  list.List // of *cacheEntry, the latest first
}

type cacheEntry struct {
	key  string
	data []byte
	at   time.Time
}

// newCache is the cache of a node that has passed checkCaches, nil when it has none.
func newCache[S any](o *cacheOptions) *nodeCache[S] {
	if o.key == nil {
		return nil
	}
	size := o.size
	if size == 0 {
		size = defaultCacheSize
	}
	return &nodeCache[S]{key: o.key.(func(*S, any) string), ttl: o.ttl, size: size, byKey: map[string]*list.Element{}}
}

// get returns what is kept under key and has not expired, nil otherwise.
func (c *nodeCache[S]) get(key string, now time.Time) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.byKey[key]
	if found == nil {
		return nil
	}
	entry := found.Value.(*cacheEntry)
	if c.ttl > 0 && now.Sub(entry.at) >= c.ttl {
		c.remove(found)
		return nil
	}
	c.used.MoveToFront(found)
	return entry.data
}

// put keeps data, which belongs to the cache from here on.
func (c *nodeCache[S]) put(key string, data []byte, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.byKey[key]; old != nil {
		c.remove(old)
	}
	c.byKey[key] = c.used.PushFront(&cacheEntry{key, data, now})
	if len(c.byKey) > c.size {
		c.remove(c.used.Back())
	}
}

func (c *nodeCache[S]) remove(e *list.Element) {
	delete(c.byKey, e.Value.(*cacheEntry).key)
	c.used.Remove(e)
}

// cacheUse is what the task of a node with a cache has to do with it.
type cacheUse struct {
	key string
	hit bool
}

// hit says whether a result comes from a cache.
func (r *result[U]) hit() bool { return r.cache != nil && r.cache.hit }

// cached is what a cache keeps of a task. Its route is not part of it.
type cached[U any] struct {
	Update U        `json:"update"`
	Goto   []string `json:"goto,omitempty"`
	Sends  []Task   `json:"sends,omitempty"`
}

// callCached takes the result of task i from the cache, or calls the node.
func (r *run[S, U]) callCached(ctx context.Context, n *body[S, U], i int, state *S) error {
	t, res := &r.pos.Next[i], &r.results[i]
	arg, err := n.argument(t)
	if err != nil {
		return err
	}
	key := n.cache.key(state, arg)
	if key == "" || r.journals.lookup(t.ID()) != nil {
		return r.callNode(ctx, n, i, state)
	}
	data := n.cache.get(key, r.clock.Now())
	res.cache = &cacheUse{key: key, hit: data != nil}
	if data == nil {
		return r.callNode(ctx, n, i, state)
	}
	var kept cached[U]
	if err := json.Unmarshal(data, &kept); err != nil {
		return fmt.Errorf("decode the cached result: %w", err)
	}
	res.update = kept.Update
	r.outcomes[i] = Outcome{Goto: kept.Goto, Sends: kept.Sends}
	return nil
}

// remember keeps the result of task i, which has succeeded.
func (r *run[S, U]) remember(n *body[S, U], i int) error {
	res, o := &r.results[i], &r.outcomes[i]
	if res.cache == nil || res.cache.hit || r.journals.lookup(r.pos.Next[i].ID()) != nil {
		return nil
	}
	kept := cached[U]{Update: res.update, Goto: o.Goto}
	for _, t := range o.Sends {
		if t.Arg == nil {
			arg, err := json.Marshal(t.arg)
			if err != nil {
				return fmt.Errorf("encode the argument of a Send to %s for the cache: %w", t.Node, err)
			}
			t.Arg = arg
		}
		kept.Sends = append(kept.Sends, t)
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("encode the result for the cache: %w", err)
	}
	n.cache.put(res.cache.key, data, r.clock.Now())
	return nil
}
