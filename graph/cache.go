package graph

import (
	"errors"
	"fmt"
	"reflect"
	"time"
)

// defaultCacheSize is the default of [CacheSize].
const defaultCacheSize = 1000

// ErrCache reports a [Cache] or [CacheWork] that does not fit its node.
var ErrCache = errors.New("bad cache")

// Cache keeps what a node of [Graph.Node] or [Graph.Dynamic] returns under the key that key makes of the state, for ttl by
// the [Clock] of the run; ttl 0 keeps it for as long as there is room. A later task with the same key gets the kept update
// and the same Goto and Sends, and the node does not run; routes are asked anew. In a stream its [TaskEnd] has Cached set.
//
// key must be pure, and name everything that the result depends on; an empty key is neither looked up nor kept. It may be
// called by several tasks at once; a panic is a failure of the node. Results are kept as JSON, so that no two tasks share
// memory; one that cannot be encoded fails its task.
//
// Failures are never kept, nor is a task that has used [Ask] or [Once]: the answer and the effect belong to that task alone.
// What the node would [Charge], [Say] or [Emit] does not happen on a hit. Two tasks that run at the same time with the same
// new key both run; the later result stays. The cache belongs to the [App], is shared by all its runs and threads, and dies
// with it. [CacheSize] limits it.
//
// ttl < 0 is an [ErrLimit]. A key of another state type, and a node of another kind, are an [ErrCache].
func Cache[S any](key func(S) string, ttl time.Duration) NodeOption {
	if key == nil {
		return caching(nil, nil, ttl)
	}
	return caching(func(s *S, _ any) string { return key(*s) }, nil, ttl)
}

// CacheWork is [Cache] for a [Work] node: its key also sees the argument of the Send.
func CacheWork[S, Arg any](key func(S, Arg) string, ttl time.Duration) NodeOption {
	if key == nil {
		return caching(nil, nil, ttl)
	}
	return caching(func(s *S, arg any) string { return key(*s, typed[Arg](arg)) }, reflect.TypeFor[Arg](), ttl)
}

// CacheSize limits how many results the [Cache] of a node keeps (n ≥ 1); the least recently used ones go first.
// The default is 1,000.
func CacheSize(n int) NodeOption {
	return func(o *nodeOptions) error {
		o.caching.size = n
		return positive("CacheSize", n)
	}
}

// cacheOptions are those of one node.
type cacheOptions struct {
	key  any          // func(*S, any) string; nil = no cache
	arg  reflect.Type // of CacheWork
	ttl  time.Duration
	size int // 0 = defaultCacheSize
}

func caching(key any, arg reflect.Type, ttl time.Duration) NodeOption {
	return func(o *nodeOptions) error {
		switch {
		case key == nil:
			return fmt.Errorf("%w: %w", ErrCache, ErrNilFunc)
		case ttl < 0:
			return fmt.Errorf("%w: Cache(%v)", ErrLimit, ttl)
		}
		o.caching.key, o.caching.arg, o.caching.ttl = key, arg, ttl
		return nil
	}
}

// checkCaches refuses caches that do not fit their nodes.
func (g *Graph[S, U]) checkCaches() []error {
	var mistakes []error
	for i := range g.nodes {
		b := &g.nodes[i]
		o := &b.caching
		if o.key == nil {
			continue
		}
		var why string
		switch _, fits := o.key.(func(*S, any) string); {
		case b.sub:
			why = "it is a sub-graph: cache its nodes"
		case b.arg == nil && o.arg != nil:
			why = "CacheWork is for Work nodes"
		case b.arg != nil && o.arg == nil:
			why = "a Work node needs CacheWork, whose key sees the argument"
		case o.arg != b.arg:
			why = fmt.Sprintf("its key takes the argument %v instead of %v", o.arg, b.arg)
		case !fits:
			why = fmt.Sprintf("its key is a %v, which does not take the state %v", reflect.TypeOf(o.key), reflect.TypeFor[S]())
		default:
			continue
		}
		mistakes = append(mistakes, fmt.Errorf("%w: node %q: %s", ErrCache, b.ref.name, why))
	}
	return mistakes
}
