package index

import (
	"context"
	"iter"
	"sync"
)

// inOrder applies do to items in parallel and yields the results in the items' order. It works at most 2·workers+1
// results ahead. When ctx is done it starts no more and ends after those under way; it can be ranged over again.
func inOrder[T, R any](ctx context.Context, workers int, items []T, do func(T) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		queue := make(chan chan R, workers)
		slots := make(chan struct{}, workers)
		running.Go(func() {
			defer close(queue)
			for _, item := range items {
				result := make(chan R, 1)
				select {
				case queue <- result:
				case <-ctx.Done():
					return
				}
				slots <- struct{}{}
				running.Go(func() {
					result <- do(item)
					<-slots
				})
			}
		})
		for result := range queue {
			if !yield(<-result) {
				return
			}
		}
	}
}
