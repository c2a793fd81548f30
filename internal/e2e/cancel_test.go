package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/agent"
)

// cancelLimit is what a cancelled run may take to return. The promise is 100 ms; the rest is for a machine that is busy
// with the model.
const cancelLimit = time.Second

// A run is cancelled at a random point, again and again: it returns at once with the context's error, its thread can be
// read and used afterwards, and nothing is left running.
func TestACancelAtAnyPointEndsTheRunAndLeavesTheThreadUsable(t *testing.T) {
	e := server(t)
	before := goleak.IgnoreCurrent()
	t.Run("cancels", func(t *testing.T) { cancelOften(t, e) })
	goleak.VerifyNone(t, before)
}

func cancelOften(t *testing.T, e endpoint) {
	cancels := int(number(t, "KB_AGENT_E2E_CANCELS", 200))
	seed := number(t, "KB_AGENT_E2E_SEED", rand.Uint64())
	t.Logf("KB_AGENT_E2E_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := build(t, e, options{settings: approved})

	begin := time.Now()
	r, err := w.ask(t.Context(), agent.Question{Text: "How long are old logs kept?"})
	require.NoError(t, err)
	whole(t, r)
	usual, events := time.Since(begin), r.events

	var took []time.Duration
	finished := 0
	for i := 0; len(took) < cancels; i++ {
		require.Less(t, i, 4*cancels, "most runs end before their cancel")
		thread := fmt.Sprintf("t%d", i%10)
		q := agent.Question{Text: fmt.Sprintf("How long are old logs kept, number %d?", i/10), Thread: thread}
		asked := time.Now()
		late, done := w.cancelled(t, q, point(random, i, usual, events))
		if done {
			finished++
			usual = min(usual, time.Since(asked)) // the server was busy with something else at first
		} else {
			took = append(took, late)
		}
		w.readable(t, q)
		if i%20 == 19 {
			r, err := w.ask(t.Context(), q) // goes on where it was cancelled
			require.NoError(t, err)
			whole(t, r)
		}
	}
	for i := range 10 {
		r, err := w.ask(t.Context(), agent.Question{Text: "What is the refund window?", Thread: fmt.Sprintf("t%d", i)})
		require.NoError(t, err, "the thread is usable")
		whole(t, r)
	}
	require.NotEmpty(t, took, "no run was caught in the middle")
	slices.Sort(took)
	at := func(p float64) time.Duration { return took[int(p*float64(len(took)-1))].Round(time.Microsecond) }
	t.Logf("%d runs of about %s cancelled, %d had ended before; from the cancel to the return: p50 %s, p99 %s, max %s",
		len(took), usual.Round(time.Millisecond), finished, at(0.5), at(0.99), at(1))
	assert.Less(t, at(1), cancelLimit)
}

// when is a point in a run: after a while, or at an event.
type when struct {
	after  time.Duration
	events int // 0 means after
}

// point is a random one, by turns in time and at an event: tokens come close together.
func point(random *rand.Rand, i int, usual time.Duration, events int) when {
	if i%2 == 0 {
		return when{after: time.Duration(random.Int64N(int64(usual)))}
	}
	return when{events: 1 + random.IntN(events)}
}

// cancelled cancels a question there. late is the time from the cancel to the return; done says that the answer came
// before.
func (w *world) cancelled(t *testing.T, q agent.Question, at when) (late time.Duration, done bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var since time.Time
	fired := make(chan struct{})
	stop := func() { since = time.Now(); cancel(); close(fired) }
	timer := time.AfterFunc(max(at.after, time.Duration(at.events)*time.Hour), stop)
	var failed error
	n := 0
	for e, err := range w.Ask(ctx, q) {
		failed, done = err, e.Answer != nil
		if done {
			continue // too late to cancel
		}
		if n++; n == at.events {
			stop()
		}
	}
	end := time.Now()
	if at.events == 0 && timer.Stop() || at.events > n {
		require.NoError(t, failed, "it was not cancelled yet")
		require.True(t, done)
		return 0, true
	}
	<-fired
	if done {
		return 0, true // the cancel came with the answer
	}
	require.ErrorIs(t, failed, context.Canceled)
	return end.Sub(since), false
}

// readable checks that the thread can be read after a cancel, and holds nothing half.
func (w *world) readable(t *testing.T, q agent.Question) {
	t.Helper()
	s, exists, err := w.State(t.Context(), q.Thread)
	require.NoError(t, err)
	if !exists {
		return // cancelled before the first step
	}
	wellFormed(t, s)
	require.Zero(t, len(s.Messages)%2, "a turn is there with its answer or not at all")
}
