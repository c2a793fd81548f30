package traffic_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/traffic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-very-secret-0123456789"

// model is a model over a transport that retries without losing time.
func model(t *testing.T, base string, transport http.RoundTripper) *llm.Model {
	t.Helper()
	m, err := llm.New(llm.Config{BaseURL: base, APIKey: secret, Model: "tiny", RetryWait: time.Microsecond, Transport: transport})
	require.NoError(t, err)
	return m
}

// record makes a recording in memory of what do does with the transport.
func record(t *testing.T, opts traffic.Options, do func(*traffic.Recorder)) string {
	t.Helper()
	var file bytes.Buffer
	r, err := traffic.NewRecorder(&file, opts)
	require.NoError(t, err)
	do(r)
	require.NoError(t, r.Close())
	return file.String()
}

// replay opens a recording in memory.
func replay(t *testing.T, file string) *traffic.Replayer {
	t.Helper()
	p, err := traffic.NewReplayer(strings.NewReader(file), "rec.jsonl", traffic.Options{})
	require.NoError(t, err)
	return p
}

// post sends a body and reads the answer; everything that can be seen of it is returned.
func post(t *testing.T, transport http.RoundTripper, body string) (status int, pieces []string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	for buffer := make([]byte, 4096); ; {
		n, err := resp.Body.Read(buffer)
		if n > 0 {
			pieces = append(pieces, string(buffer[:n]))
		}
		if err == io.EOF {
			return resp.StatusCode, pieces, nil
		}
		if err != nil {
			return resp.StatusCode, pieces, err
		}
	}
}

// pieces is a body that comes in these pieces, and then fails with err.
type pieces struct {
	list []string
	err  error
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.list) == 0 {
		return 0, p.err
	}
	n := copy(b, p.list[0])
	p.list = p.list[1:]
	return n, nil
}

func (p *pieces) Close() error { return nil }

// script is a transport that answers from a list.
type script struct {
	answers []func(*http.Request) (*http.Response, error)
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer(r)
}

func scripted(answers ...func(*http.Request) (*http.Response, error)) traffic.Options {
	return traffic.Options{Transport: &script{answers}}
}

func answer(status int, end error, list ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Set-Cookie": {secret}}, Request: r, Body: &pieces{list, end}}, nil
	}
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func question(text string) []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, text)}
}

// heard is what came of one call: what was streamed, the answer or the error.
type heard struct {
	Pieces []string
	Answer *llms.ContentResponse
	Error  string
}

func hear(ctx context.Context, m *llm.Model, text string, stream bool, options ...llms.CallOption) heard {
	var h heard
	if stream {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
			h.Pieces = append(h.Pieces, string(piece))
			return nil
		}))
	}
	answer, err := m.GenerateContent(ctx, question(text), options...)
	h.Answer = answer
	if err != nil {
		h.Error = err.Error()
	}
	return h
}
