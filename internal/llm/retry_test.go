package llm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestTemporaryStatusesAreTriedAgain(t *testing.T) {
	for _, code := range []int{408, 429, 500, 502, 503, 504, 529} {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Status(code, ""), llmtest.Text("fine"))
		text, err := newModel(t, s).Call(t.Context(), "x")
		require.NoError(t, err, "status %d", code)
		assert.Equal(t, "fine", text)
	}
}

func TestPermanentStatusesAreNotTriedAgain(t *testing.T) {
	for _, code := range []int{301, 400, 401, 403, 404, 405, 413, 422, 501} {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Status(code, ""))
		_, err := newModel(t, s).Call(t.Context(), "x")
		var status *llm.StatusError
		require.ErrorAs(t, err, &status, "status %d", code)
		assert.Equal(t, code, status.Status)
	}
}

func TestAQuotaThatIsUsedUpIsNotTriedAgain(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.StatusBody(429, "1", `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`))
	_, err := newModel(t, s).Call(t.Context(), "x")
	assert.ErrorContains(t, err, "check plan and billing")
}

func TestRetriesEndAfterMaxRetriesWithTheLastError(t *testing.T) {
	for retries, want := range map[int]int{0: 1 + llm.DefaultMaxRetries, 1: 2, -1: 1} {
		synctest.Test(t, func(t *testing.T) {
			transport := &fakeTransport{answers: answers(status(503, nil, "still loading"))}
			m := fakeModel(t, transport, func(c *llm.Config) { c.MaxRetries = retries })
			_, err := m.Call(t.Context(), "x")
			var failed *llm.StatusError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, "still loading", failed.Body)
			assert.Len(t, transport.at, want, "MaxRetries %d", retries)
		})
	}
}

func TestWaitsDoubleWithAJitterOfAHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(500, nil, ""))}
		_, err := fakeModel(t, transport).Call(t.Context(), "x")
		require.Error(t, err)
		waits := transport.waits()
		require.Len(t, waits, 3)
		for i, middle := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
			assert.InDelta(t, middle, waits[i], float64(middle)/2+1, "wait %d", i+1)
		}
	})
}

func TestRetryAfterIsHonouredInBothFormsAndCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(value string) time.Duration {
			transport := &fakeTransport{answers: answers(
				status(429, http.Header{"Retry-After": {value}}, ""), status(200, nil, goodReply),
			)}
			_, err := fakeModel(t, transport).Call(t.Context(), "x")
			require.NoError(t, err)
			return transport.waits()[0]
		}
		assert.Equal(t, 7*time.Second, ask("7"))
		assert.Equal(t, 2500*time.Millisecond, ask("2.5"))
		assert.Equal(t, 30*time.Second, ask("3600"), "no more than the cap")
		date := time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat)
		assert.InDelta(t, 9*time.Second, ask(date), float64(time.Second), "a date has whole seconds")
		for _, nonsense := range []string{"", "soon", "-5", "0", "NaN", "Mon, 01 Jan 1990 00:00:00 GMT"} {
			assert.InDelta(t, 500*time.Millisecond, ask(nonsense), float64(251*time.Millisecond), "%q is our own wait", nonsense)
		}
	})
}

func TestAWaitThatOutlastsTheCallIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		transport := &fakeTransport{answers: answers(status(429, http.Header{"Retry-After": {"20"}}, ""))}
		_, err := fakeModel(t, transport, func(c *llm.Config) { c.Timeout = 10 * time.Second }).Call(t.Context(), "x")
		var failed *llm.StatusError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, 20*time.Second, failed.RetryAfter)
		assert.Zero(t, time.Since(begin))
	})
}

func TestTheWholeCallEndsAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, err := fakeModel(t, &fakeTransport{answers: answers(silence)}).Call(t.Context(), "x")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, t.Context().Err(), "it is not the caller's deadline")
		assert.ErrorContains(t, err, "http://model.test/v1 gave no complete answer within 1m0s")
		assert.Equal(t, llm.DefaultTimeout, time.Since(begin))
	})
}

func TestAnAttemptTimeoutNoShorterThanTheTimeoutHasNoEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := fakeModel(t, &fakeTransport{answers: answers(silence)}, func(c *llm.Config) {
			c.Timeout, c.AttemptTimeout = 5*time.Second, 5*time.Second
		})
		_, err := m.Call(t.Context(), "x")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "gave no complete answer within 5s")
	})
}

func TestTheTimeoutTellsTheLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(503, nil, "loading the model"), silence)}
		_, err := fakeModel(t, transport).Call(t.Context(), "x")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var failed *llm.StatusError
		require.ErrorAs(t, err, &failed)
		assert.ErrorContains(t, err, "loading the model")
	})
}

func TestASilentAttemptIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(silence, status(200, nil, goodReply))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.AttemptTimeout = 5 * time.Second })
		text, err := m.Call(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, "fine", text)
		assert.Greater(t, transport.waits()[0], 5*time.Second)
	})
}

// drip streams a piece every few seconds, then stays silent for ever.
func drip(pieces int, every time.Duration, event string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		reader, writer := io.Pipe()
		go func() {
			for range pieces {
				time.Sleep(every) // the clock of the test's bubble
				if _, err := io.WriteString(writer, "data: "+event+"\n\n"); err != nil {
					return
				}
			}
			<-r.Context().Done()
			writer.CloseWithError(context.Cause(r.Context()))
		}()
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: reader}, nil
	}
}

func TestAStreamMayTakeLongAsLongAsItIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		transport := &fakeTransport{answers: answers(drip(6, 4*time.Second, `{"choices":[{"index":0,"delta":{"content":"x"}}]}`))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.AttemptTimeout = 5 * time.Second })
		var got collector
		_, err := ask(t, m, got.option())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "sent nothing for 5s")
		assert.Equal(t, "xxxxxx", got.text())
		assert.Equal(t, 29*time.Second, time.Since(begin))
		assert.Len(t, transport.at, 1, "after the first piece nothing is asked again")
	})
}

func TestAnEventWithoutTextIsASignOfLifeToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		transport := &fakeTransport{answers: answers(drip(6, 4*time.Second, `{"choices":[]}`))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.AttemptTimeout, c.MaxRetries = 5*time.Second, -1 })
		_, err := ask(t, m, new(collector).option())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 29*time.Second, time.Since(begin))
	})
}

func TestASlowReaderIsNotTheServersSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(200, http.Header{"Content-Type": {"text/event-stream"}},
			`data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`+"\n\n"))}
		m := fakeModel(t, transport, func(c *llm.Config) { c.AttemptTimeout = time.Second })
		_, err := ask(t, m, slowReader(20*time.Second))
		require.NoError(t, err)
	})
}

func TestConnectionFailuresAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(
			func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") },
			func(*http.Request) (*http.Response, error) { return nil, io.EOF },
			status(200, nil, goodReply),
		)}
		text, err := fakeModel(t, transport).Call(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, "fine", text)
	})
}

func TestARetryIsLoggedWithoutPromptOrKey(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.StatusBody(503, "", "busy, "+secret), llmtest.Text("fine"))
	var log bytes.Buffer
	m := newModel(t, s, func(c *llm.Config) {
		c.APIKey, c.Logger = secret, slog.New(slog.NewTextHandler(&log, nil))
	})
	_, err := m.Call(t.Context(), "a private question")
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(log.String(), "model_call_failed_trying_again"))
	assert.Contains(t, log.String(), "503")
	assert.NotContains(t, log.String(), secret)
	assert.NotContains(t, log.String(), "private")
}
