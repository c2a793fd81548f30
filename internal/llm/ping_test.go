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
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestPingKnowsTheServersModelsByEitherName(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Models("tiny:latest", "other")
	for _, model := range []string{"tiny", "tiny:latest", "other", ""} {
		assert.NoError(t, llm.Ping(t.Context(), llm.Config{BaseURL: s.URL + "/", Model: model}))
	}
	assert.Equal(t, 4, s.Pings())
	err := llm.Ping(t.Context(), llm.Config{BaseURL: s.URL, Model: "absent"})
	require.ErrorIs(t, err, llm.ErrModelUnknown)
	assert.ErrorContains(t, err, `does not list the model "absent": check the model name (it lists tiny:latest, other)`)
}

func TestPingTellsWhatIsWrong(t *testing.T) {
	ping := func(answer func(*http.Request) (*http.Response, error)) error {
		return llm.Ping(t.Context(), llm.Config{BaseURL: "http://x.test/v1", Model: "m", Transport: &fakeTransport{answers: answers(answer)}})
	}
	var failed *llm.StatusError
	require.ErrorAs(t, ping(status(401, nil, "")), &failed)
	assert.Equal(t, 401, failed.Status)
	assert.ErrorIs(t, ping(status(200, nil, "<html>")), llm.ErrMalformed)
	assert.ErrorAs(t, ping(status(200, nil, `{"error":"no"}`)), &failed)
	assert.ErrorIs(t, ping(status(200, nil, `{"data":[]}`)), llm.ErrModelUnknown)
	s := llmtest.NewServer(t)
	s.Close()
	assert.ErrorIs(t, llm.Ping(t.Context(), llm.Config{BaseURL: s.URL}), llm.ErrUnreachable)
	assert.ErrorContains(t, llm.Ping(t.Context(), llm.Config{}), "set the base URL for a local server")
}

func TestPingAsksOnceAndNotForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(503, nil, ""))}
		require.Error(t, llm.Ping(t.Context(), llm.Config{BaseURL: "http://x.test", Transport: transport}))
		assert.Len(t, transport.at, 1)

		begin := time.Now()
		err := llm.Ping(t.Context(), llm.Config{BaseURL: "http://x.test", Transport: &fakeTransport{answers: answers(silence)}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(begin))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.Equal(t, context.Canceled, llm.Ping(ctx, llm.Config{BaseURL: "http://x.test", Transport: transport}))
	})
}
