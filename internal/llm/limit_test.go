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

func TestNoMinuteHoldsMoreRequestsThanTheLimit(t *testing.T) {
	for _, perMinute := range []int{1, 2, 7, 30, 60} {
		synctest.Test(t, func(t *testing.T) {
			transport := &fakeTransport{answers: answers(status(200, nil, goodReply))}
			m := fakeModel(t, transport, func(c *llm.Config) { c.RatePerMinute, c.Timeout = perMinute, time.Hour })
			for range 3*perMinute + 1 {
				_, err := ask(t, m)
				require.NoError(t, err)
			}
			for i := perMinute; i < len(transport.at); i++ {
				span := transport.at[i].Sub(transport.at[i-perMinute])
				require.GreaterOrEqual(t, span, time.Minute-time.Microsecond, "requests %d to %d at %d a minute", i-perMinute, i, perMinute)
			}
			assert.LessOrEqual(t, transport.at[len(transport.at)-1].Sub(transport.at[0]), 5*time.Minute, "nor is it far below")
		})
	}
}

func TestRetriesCountAgainstTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(http.StatusServiceUnavailable, nil, ""), status(200, nil, goodReply))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.RatePerMinute, c.Timeout = 1, time.Hour })
		_, err := ask(t, m)
		require.NoError(t, err)
		require.Len(t, transport.waits(), 1)
		assert.InDelta(t, time.Minute.Seconds(), transport.waits()[0].Seconds(), 0.001)
	})
}

func TestACancelWhileTheLimitHoldsACallBackEndsItAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(200, nil, goodReply))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.RatePerMinute, c.Timeout = 1, time.Hour })
		_, err := ask(t, m)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		begin := time.Now()
		time.AfterFunc(time.Second, cancel)
		_, err = m.GenerateContent(ctx, question("go on"))
		require.Equal(t, context.Canceled, err)
		assert.Equal(t, time.Second, time.Since(begin))
		assert.Len(t, transport.at, 1, "it was never sent")
	})
}

func TestALimitThatOutlastsTheTimeoutIsToldAtOnceAndIsNoFaultOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(200, nil, goodReply))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.RatePerMinute, c.Timeout, c.Cooldown = 1, 10*time.Second, time.Hour })
		_, err := ask(t, m)
		require.NoError(t, err)
		begin := time.Now()
		_, err = ask(t, m)
		require.ErrorIs(t, err, llm.ErrRateLimit)
		assert.ErrorContains(t, err, "the limit of 1 requests a minute")
		assert.Zero(t, time.Since(begin))
		time.Sleep(time.Minute) // the bubble's clock
		_, err = ask(t, m)
		require.NoError(t, err, "the breaker stayed closed")
	})
}

func TestAnAttemptThatWaitsForTheLimitIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(200, nil, goodReply))}
		m := fakeModel(t, transport, func(c *llm.Config) {
			c.RatePerMinute, c.Timeout, c.AttemptTimeout = 1, time.Hour, time.Second
		})
		for range 3 {
			_, err := ask(t, m)
			require.NoError(t, err)
		}
		assert.Len(t, transport.at, 3)
	})
}

func TestModelsAndEmbeddersShareALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := llm.NewLimit(1)
		chat := &fakeTransport{answers: answers(status(200, nil, goodReply))}
		m := fakeModel(t, chat, func(c *llm.Config) { c.Limit = limit })
		vectors := &fakeTransport{answers: answers(status(200, nil, `{"data":[{"index":0,"embedding":[1,2]}]}`))}
		e, err := llm.NewEmbedder(llm.EmbeddingConfig{BaseURL: "http://model.test/v1", Model: "embed", Transport: vectors, Limit: limit, Timeout: time.Hour})
		require.NoError(t, err)
		_, err = ask(t, m)
		require.NoError(t, err)
		_, err = e.Embed(t.Context(), []string{"text"})
		require.NoError(t, err)
		assert.InDelta(t, time.Minute.Seconds(), vectors.at[0].Sub(chat.at[0]).Seconds(), 0.001)
	})
}

func TestALimitThatMakesNoSenseIsRefused(t *testing.T) {
	for _, cfg := range []llm.Config{{RatePerMinute: -1}, {RatePerMinute: 1, Limit: llm.NewLimit(1)}} {
		cfg.BaseURL, cfg.Model = "http://host/v1", "tiny"
		_, err := llm.New(cfg)
		require.ErrorContains(t, err, "the rate per minute is negative, or stands beside a shared limit")
	}
}
