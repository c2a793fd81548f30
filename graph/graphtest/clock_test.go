package graphtest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func TestAClockStandsStillUntilItIsMovedAndWakesThoseWhoseTimeHasCome(t *testing.T) {
	c := graphtest.NewClock(noon)
	assert.Equal(t, noon, c.Now())
	require.NoError(t, c.Wait(t.Context(), 0), "no time to wait for")
	woken := make(chan time.Duration)
	for _, d := range []time.Duration{time.Second, time.Minute} {
		go func() {
			if c.Wait(t.Context(), d) == nil {
				woken <- d
			}
		}()
	}
	require.NoError(t, c.Waiting(t.Context(), 2))
	c.Advance(time.Second)
	assert.Equal(t, time.Second, <-woken)
	c.Advance(time.Hour)
	assert.Equal(t, time.Minute, <-woken)
	assert.Equal(t, noon.Add(time.Hour+time.Second), c.Now())
}

func TestAWaitEndsWithTheCauseOfItsContext(t *testing.T) {
	c := graphtest.NewClock(noon)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	require.ErrorIs(t, c.Wait(ctx, time.Second), cause)
	require.ErrorIs(t, c.Waiting(ctx, 1), cause, "nobody waits any more")
}

// Rules 12, 32, 33: the waits between attempts go by the clock of the context, with jitter between half and all of the backoff,
// and the same on every run of the thread.
func TestTheWaitsBetweenAttemptsGoByTheClockAndAreTheSameEachTime(t *testing.T) {
	waits := func() (list []time.Duration) {
		g := graph.New[graph.Simple[int]]("retry")
		n := g.Node("n", func(context.Context, graph.Simple[int]) (int, error) { return 0, errors.New("no") },
			graph.Retry(4, nil), graph.Backoff(time.Second, 3*time.Second))
		g.Start(n)
		g.Edge(n, graph.End)
		app, err := g.Compile()
		require.NoError(t, err)
		c := &recordingClock{Clock: graphtest.NewClock(noon)}
		_, err = app.Thread("t").Invoke(graph.WithClock(t.Context(), c), 0)
		require.Error(t, err)
		return c.waits
	}
	got := waits()
	require.Len(t, got, 3)
	for i, full := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
		assert.GreaterOrEqual(t, got[i], full/2)
		assert.LessOrEqual(t, got[i], full)
	}
	assert.NotEqual(t, got[1], 2*got[0], "jitter")
	assert.Equal(t, got, waits())
}

// recordingClock notes the waits and takes no time.
type recordingClock struct {
	*graphtest.Clock
	waits []time.Duration
}

func (c *recordingClock) Wait(_ context.Context, d time.Duration) error {
	c.waits = append(c.waits, d)
	return nil
}
