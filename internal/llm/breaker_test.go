package llm_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm"
)

// dead is a transport to a server that is not there.
type dead struct{ tries int }

func (d *dead) RoundTrip(*http.Request) (*http.Response, error) {
	d.tries++
	return nil, assert.AnError
}

func TestAServerThatIsDownIsLeftAloneForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dead{}
		m, err := llm.New(llm.Config{BaseURL: "http://nowhere.test/v1", Model: "m", MaxRetries: 1, Cooldown: 30 * time.Second, Transport: d})
		require.NoError(t, err)
		_, err = m.Call(t.Context(), "x")
		require.ErrorIs(t, err, llm.ErrUnreachable)
		require.Equal(t, 2, d.tries, "with its retry")

		_, err = m.Call(t.Context(), "x")
		require.ErrorIs(t, err, llm.ErrUnreachable, "the error says what is wrong, not that a breaker is open")
		assert.Equal(t, 2, d.tries, "it was not asked again")

		time.Sleep(31 * time.Second) // the bubble's clock
		_, err = m.Call(t.Context(), "x")
		require.ErrorIs(t, err, llm.ErrUnreachable)
		assert.Equal(t, 4, d.tries, "after the cooldown it is tried")
	})
}

func TestACallerThatGoesAwayIsNoFaultOfTheServer(t *testing.T) {
	d := &dead{}
	m, err := llm.New(llm.Config{BaseURL: "http://nowhere.test/v1", Model: "m", MaxRetries: -1, Cooldown: time.Hour, Transport: d})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Call(ctx, "x")
	require.ErrorIs(t, err, ctx.Err())
	_, err = m.Call(t.Context(), "x")
	require.ErrorIs(t, err, llm.ErrUnreachable)
	assert.Equal(t, 1, d.tries)
}

func TestADeadlineOfTheCallerOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dead{}
		m, err := llm.New(llm.Config{BaseURL: "http://nowhere.test/v1", Model: "m", Cooldown: time.Hour, Transport: d})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // ends while the call waits for a retry
		defer cancel()
		_, err = m.Call(ctx, "x")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		before := d.tries
		_, err = m.Call(t.Context(), "x")
		require.ErrorIs(t, err, llm.ErrUnreachable)
		assert.Greater(t, d.tries, before, "the next caller's question is asked")
	})
}
