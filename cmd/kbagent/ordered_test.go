package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// item is work that takes a while.
type item struct {
	name  string
	key   string
	takes time.Duration
}

// sender closes the channel behind the items.
func sender(items ...item) <-chan item {
	c := make(chan item, len(items))
	for _, i := range items {
		c <- i
	}
	close(c)
	return c
}

// work waits as long as an item takes, unless ctx ends before.
func work(ctx context.Context, i item) (string, bool) {
	select {
	case <-time.After(i.takes):
		return i.name, true
	case <-ctx.Done():
		return "", false
	}
}

func newOrdered(most int, got *[]string) ordered[item, string] {
	return ordered[item, string]{
		most: most, key: func(i item) string { return i.key }, work: work,
		emit: func(name string) error { *got = append(*got, name); return nil },
	}
}

func TestResultsComeInTheOrderOfTheItemsWhoeverIsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		start := time.Now()
		require.NoError(t, newOrdered(3, &got).run(t.Context(), sender(
			item{name: "a", takes: 3 * time.Second}, item{name: "b", takes: time.Second}, item{name: "c", takes: 2 * time.Second})))
		assert.Equal(t, []string{"a", "b", "c"}, got)
		assert.Equal(t, 3*time.Second, time.Since(start), "all three at once")
	})
}

func TestNoMoreThanTheBoundAreWorkedOnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		var now, most atomic.Int32
		o := newOrdered(2, &got)
		o.work = func(ctx context.Context, i item) (string, bool) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			return work(ctx, i)
		}
		second := item{name: "x", takes: time.Second}
		start := time.Now()
		require.NoError(t, o.run(t.Context(), sender(second, second, second, second, second)))
		assert.EqualValues(t, 2, most.Load())
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Len(t, got, 5)
	})
}

func TestItemsOfOneKeyFollowOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		start := time.Now()
		require.NoError(t, newOrdered(4, &got).run(t.Context(), sender(
			item{name: "a1", key: "a", takes: time.Second}, item{name: "a2", key: "a", takes: time.Second},
			item{name: "b1", key: "b", takes: time.Second}, item{name: "free", takes: time.Second})))
		assert.Equal(t, []string{"a1", "a2", "b1", "free"}, got)
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestWhatIsDoneIsHandedOnWhenTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		open := make(chan item, 3) // never closed, like a terminal
		open <- item{name: "slow", takes: time.Hour}
		open <- item{name: "fast", takes: time.Second}
		open <- item{name: "later", takes: time.Second}
		require.NoError(t, newOrdered(2, &got).run(ctx, open))
		assert.Equal(t, []string{"fast", "later"}, got, "what was slow came to nothing")
	})
}

func TestWhenNobodyTakesTheResultsTheWorkEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		o := newOrdered(2, &got)
		gone := errors.New("gone")
		o.emit = func(name string) error {
			got = append(got, name)
			return gone
		}
		start := time.Now()
		err := o.run(t.Context(), sender(item{name: "a", takes: time.Second}, item{name: "b", takes: time.Hour}, item{name: "c", takes: time.Hour}))
		assert.ErrorIs(t, err, gone)
		assert.Equal(t, []string{"a"}, got)
		assert.Equal(t, time.Second, time.Since(start))
	})
}
