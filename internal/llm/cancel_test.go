package llm_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

// langchaingo answers about half of these with a nil error and a cut text.
func TestACancelledStreamIsAlwaysTheErrorOfItsContext(t *testing.T) {
	s := llmtest.NewServer(t)
	m := newModel(t, s)
	for range 40 {
		gate := llmtest.NewGate()
		s.Reply(llmtest.Stall(gate, "begun ", "never seen"))
		ctx, cancel := context.WithCancel(t.Context())
		var text string
		resp, err := m.GenerateContent(ctx, question("go on"), llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
			text += string(piece)
			cancel()
			return nil
		}))
		cancel()
		require.Equal(t, context.Canceled, err)
		require.Nil(t, resp)
		require.Equal(t, "begun ", text)
	}
	assert.Len(t, s.Requests(), 40)
}

func TestACancelAtTheLastPieceIsStillTheErrorOfItsContext(t *testing.T) {
	s := llmtest.NewServer(t)
	m := newModel(t, s)
	for range 40 {
		s.Reply(llmtest.Text("all of it"))
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := m.GenerateContent(ctx, question("go on"), llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
			if string(piece) == "it" {
				cancel()
			}
			return nil
		}))
		cancel()
		require.Equal(t, context.Canceled, err)
		require.Nil(t, resp)
	}
}

func TestACancelWhileTheServerThinksEndsTheCall(t *testing.T) {
	for name, options := range map[string][]llms.CallOption{"whole": nil, "streamed": {new(collector).option()}} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			m := newModel(t, s)
			for range 20 {
				gate := llmtest.NewGate()
				s.Reply(llmtest.Slow(gate, llmtest.Text("too late")))
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					<-gate.Arrived()
					cancel()
				}()
				_, err := m.GenerateContent(ctx, question("go on"), options...)
				require.Equal(t, context.Canceled, err)
			}
			assert.Len(t, s.Requests(), 20, "a cancelled call is not tried again")
		})
	}
}

func TestADeadlineOfTheCallerIsDeadlineExceededStreamedOrNot(t *testing.T) {
	for name, options := range map[string][]llms.CallOption{"whole": nil, "streamed": {new(collector).option()}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := fakeModel(t, &fakeTransport{answers: answers(silence)})
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				_, err := m.GenerateContent(ctx, question("go on"), options...)
				require.Equal(t, context.DeadlineExceeded, err)
			})
		})
	}
}

func TestADoneContextSendsNothing(t *testing.T) {
	s := llmtest.NewServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newModel(t, s).GenerateContent(ctx, question("go on"))
	require.Equal(t, context.Canceled, err)
	assert.Empty(t, s.Requests())
}

func TestACancelDuringTheWaitForTheNextAttemptEndsTheCallAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &fakeTransport{answers: answers(status(http.StatusServiceUnavailable, http.Header{"Retry-After": {"20"}}, ""))}
		m := fakeModel(t, transport)
		ctx, cancel := context.WithCancel(t.Context())
		begin := time.Now()
		time.AfterFunc(3*time.Second, cancel)
		_, err := m.GenerateContent(ctx, question("go on"))
		require.Equal(t, context.Canceled, err)
		assert.Equal(t, 3*time.Second, time.Since(begin))
		assert.Empty(t, transport.waits())
	})
}

func fakeModel(t *testing.T, transport *fakeTransport, change ...func(*llm.Config)) *llm.Model {
	t.Helper()
	cfg := llm.Config{BaseURL: "http://model.test/v1", Model: "tiny", Transport: transport}
	for _, f := range change {
		f(&cfg)
	}
	m, err := llm.New(cfg)
	require.NoError(t, err)
	return m
}

func answers(list ...func(*http.Request) (*http.Response, error)) []func(*http.Request) (*http.Response, error) {
	return list
}
