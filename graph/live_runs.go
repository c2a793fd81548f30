package graph

import (
	"slices"
	"sync"
	"sync/atomic"
)

// liveKey names a thread within an App.
type liveKey struct {
	store  Store
	thread string
}

// liveRuns are the detached runs of an App. The zero value is ready.
type liveRuns[S, U any] struct {
	used    atomic.Bool // there has been one
	mu      sync.Mutex
	last    map[liveKey]*feed[S, U] // that Follow finds
	running map[*feed[S, U]]struct{}
	ended   []*feed[S, U] // those of last that have ended, in that order
	closed  bool
}

func (l *liveRuns[S, U]) find(key liveKey) *feed[S, U] {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[key]
}

func (l *liveRuns[S, U]) list() []*feed[S, U] {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*feed[S, U], 0, len(l.running))
	for f := range l.running {
		list = append(list, f)
	}
	return list
}

func (l *liveRuns[S, U]) begin(f *feed[S, U]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.used.Store(true)
	if l.last == nil {
		l.last, l.running = map[liveKey]*feed[S, U]{}, map[*feed[S, U]]struct{}{}
	}
	l.drop(f.key)
	l.last[f.key] = f
	l.running[f] = struct{}{}
	return nil
}

func (l *liveRuns[S, U]) end(f *feed[S, U], keep int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, f)
	if l.last[f.key] == f {
		l.ended = append(l.ended, f)
	}
	for len(l.ended) > keep {
		l.drop(l.ended[0].key)
	}
	close(f.ended)
}

// forget drops the events of a thread on which another run has begun.
func (l *liveRuns[S, U]) forget(key liveKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(key)
}

func (l *liveRuns[S, U]) drop(key liveKey) {
	if f := l.last[key]; f != nil {
		delete(l.last, key)
		if i := slices.Index(l.ended, f); i >= 0 {
			l.ended = slices.Delete(l.ended, i, i+1)
		}
	}
}

func (l *liveRuns[S, U]) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed, l.ended = true, nil
	clear(l.last)
	for f := range l.running {
		f.cancel(ErrClosed)
	}
}
