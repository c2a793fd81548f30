package llm_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-very-secret-0123456789"

// newModel makes a model on that server which retries without losing time.
func newModel(t *testing.T, s *llmtest.Server, change ...func(*llm.Config)) *llm.Model {
	t.Helper()
	cfg := llm.Config{BaseURL: s.URL, Model: "tiny", RetryWait: time.Microsecond}
	for _, f := range change {
		f(&cfg)
	}
	m, err := llm.New(cfg)
	require.NoError(t, err)
	return m
}

func question(text string) []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, text)}
}

func ask(t *testing.T, m *llm.Model, options ...llms.CallOption) (*llms.ContentResponse, error) {
	t.Helper()
	return m.GenerateContent(t.Context(), question("how does it work"), options...)
}

// collector gathers what a streaming function gets.
type collector struct {
	pieces []string
	fail   error
}

func (c *collector) option() llms.CallOption {
	return llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		c.pieces = append(c.pieces, string(piece))
		return c.fail
	})
}

func (c *collector) text() string { return strings.Join(c.pieces, "") }

var errStop = errors.New("the reader has seen enough")

// fakeTransport answers from a list without a network, so that tests can run on a fake clock.
type fakeTransport struct {
	mu      sync.Mutex
	answers []func(*http.Request) (*http.Response, error)
	at      []time.Time
	hosts   []string
}

func (f *fakeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.at = append(f.at, time.Now())
	f.hosts = append(f.hosts, r.URL.Host)
	answer := f.answers[min(len(f.at), len(f.answers))-1]
	f.mu.Unlock()
	return answer(r)
}

// waits are the times between the attempts.
func (f *fakeTransport) waits() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var waits []time.Duration
	for i := 1; i < len(f.at); i++ {
		waits = append(waits, f.at[i].Sub(f.at[i-1]))
	}
	return waits
}

func status(code int, header http.Header, body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := header.Clone()
		if h == nil {
			h = http.Header{}
		}
		if h.Get("Content-Type") == "" {
			h.Set("Content-Type", "application/json")
		}
		return &http.Response{StatusCode: code, Header: h, Request: r, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

const goodReply = `{"choices":[{"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}]}`

// silence never answers.
func silence(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// slowReader takes that long for each piece; only for a test on a fake clock.
func slowReader(d time.Duration) llms.CallOption {
	return llms.WithStreamingFunc(func(context.Context, []byte) error {
		time.Sleep(d)
		return nil
	})
}
