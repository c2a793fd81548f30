package main

import (
	"context"
	"sync"
)

// ordered works on items at the same time and hands the results on in the order of the items.
type ordered[T, R any] struct {
	// most is how many items are worked on at once, at least 1. Four times as many may wait for one before them.
	most int
	// key names what items have in common that must be worked on one after the other; "" is nothing.
	key func(T) string
	// work is safe for concurrent use. ok is false for an item that came to no result because ctx has ended.
	work func(ctx context.Context, item T) (result R, ok bool)
	// emit is called from one goroutine. Its error ends everything.
	emit func(R) error
}

// job is an item on its way. Its result may be read when done is closed.
type job[T, R any] struct {
	item   T
	result R
	ok     bool
	after  <-chan struct{} // closed when the item before it with the same key is done; nil for none
	done   chan struct{}
}

// run works until items is closed or ctx ends, and returns the error of emit. Results that were there when ctx ended are
// handed on. All work has ended when it returns.
func (o ordered[T, R]) run(ctx context.Context, items <-chan T) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan *job[T, R], 4*o.most)
	var working sync.WaitGroup
	working.Go(func() {
		defer close(queue)
		o.feed(ctx, items, queue, &working)
	})
	var failed error
	for j := range queue {
		<-j.done
		if failed != nil || !j.ok {
			continue
		}
		if failed = o.emit(j.result); failed != nil {
			cancel()
		}
	}
	working.Wait()
	return failed
}

// feed starts a job for each item as soon as there is a place for it.
func (o ordered[T, R]) feed(ctx context.Context, items <-chan T, queue chan<- *job[T, R], working *sync.WaitGroup) {
	places := make(chan struct{}, o.most)
	last := map[string]<-chan struct{}{}
	for {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		var j *job[T, R]
		select {
		case item, open := <-items:
			if !open {
				return
			}
			j = &job[T, R]{item: item, done: make(chan struct{})}
		case <-ctx.Done():
			return
		}
		if key := o.key(j.item); key != "" {
			j.after = last[key]
			last[key] = j.done
		}
		select {
		case queue <- j:
		case <-ctx.Done():
			return
		}
		working.Go(func() {
			defer func() { <-places }()
			defer close(j.done)
			if j.after != nil {
				<-j.after
			}
			j.result, j.ok = o.work(ctx, j.item)
		})
	}
}
