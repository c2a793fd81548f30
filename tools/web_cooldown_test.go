package tools

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTheWebIsReadyAgainAfterTheCooldown(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	c := NewCooldown(0)
	assert.True(t, c.Ready(now), "nobody used it yet")
	assert.True(t, c.Use(now))
	assert.False(t, c.Ready(now.Add(DefaultCooldown-1)))
	assert.False(t, c.Use(now.Add(DefaultCooldown-1)), "a use in vain does not prolong it")
	assert.True(t, c.Ready(now.Add(DefaultCooldown)))
	assert.True(t, c.Use(now.Add(DefaultCooldown)))
	assert.False(t, c.Ready(now.Add(DefaultCooldown)))
}

func TestWithoutACooldownTheWebIsAlwaysReady(t *testing.T) {
	now := time.Now()
	c := NewCooldown(-1)
	assert.True(t, c.Use(now))
	assert.True(t, c.Use(now))
}

func TestOfSeveralRunsAtOnceOneGetsTheWeb(t *testing.T) {
	now := time.Now()
	c := NewCooldown(time.Second)
	var got atomic.Int32
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if c.Ready(now) && c.Use(now) {
				got.Add(1)
			}
		})
	}
	wait.Wait()
	assert.EqualValues(t, 1, got.Load())
}
