package llmtest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// post sends a chat request and reads the answer to its end.
func post(t *testing.T, s *llmtest.Server, body string) (status int, answer string, err error) {
	t.Helper()
	resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

const (
	whole    = `{"model":"tiny","messages":[{"role":"user","content":"one two"}]}`
	streamed = `{"model":"tiny","messages":[{"role":"user","content":[{"type":"text","text":"one two"}]}],"stream":true,"stream_options":{"include_usage":true}}`
)

func TestRepliesComeInTheOrderOfTheScript(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("first"), llmtest.Status(429, "7"), llmtest.Length("third"))
	_, answer, err := post(t, s, whole)
	require.NoError(t, err)
	assert.Contains(t, answer, `"content":"first"`)
	assert.Contains(t, answer, `"total_tokens":3`)
	code, _, err := post(t, s, whole)
	require.NoError(t, err)
	assert.Equal(t, 429, code)
	_, answer, err = post(t, s, whole)
	require.NoError(t, err)
	assert.Contains(t, answer, `"finish_reason":"length"`)
	assert.Len(t, s.Requests(), 3)
}

func TestAStreamIsTheProtocolOfChunksUpToDone(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("hello world"))
	_, answer, err := post(t, s, streamed)
	require.NoError(t, err)
	var text, reason string
	var total int
	lines := strings.Split(strings.TrimSpace(answer), "\n\n")
	for _, line := range lines[:len(lines)-1] {
		var chunk struct {
			Choices []struct {
				Delta        struct{ Content string }
				FinishReason string `json:"finish_reason"`
			}
			Usage *struct {
				Total int `json:"total_tokens"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &chunk), line)
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
			reason += choice.FinishReason
		}
		if chunk.Usage != nil {
			total = chunk.Usage.Total
		}
	}
	assert.Equal(t, "hello world", text)
	assert.Equal(t, "stop", reason)
	assert.Equal(t, 4, total)
	assert.Equal(t, "data: [DONE]", lines[len(lines)-1])
}

func TestACutReplyBreaksTheConnectionInBothForms(t *testing.T) {
	for _, request := range []string{whole, streamed} {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Cut("half a"))
		_, answer, err := post(t, s, request)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Contains(t, answer, "half")
	}
}

func TestAStalledStreamWaitsForItsGate(t *testing.T) {
	s := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	s.Reply(llmtest.Stall(gate, "before ", "after"))
	resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(streamed))
	require.NoError(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "before") {
	}
	<-gate.Arrived()
	gate.Open()
	gate.Open()
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text())
	}
	assert.Contains(t, rest.String(), "after")
	assert.Contains(t, rest.String(), "[DONE]")
}

func TestAGateThatNobodyOpensDoesNotHoldUpTheEndOfATest(t *testing.T) {
	s := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	s.Reply(llmtest.Slow(gate, llmtest.Text("never")))
	done := make(chan struct{})
	go func() {
		defer close(done)
		resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(whole))
		if err == nil {
			resp.Body.Close()
		}
	}()
	<-gate.Arrived()
	s.Close()
	<-done
}

func TestAHandlerDecidesByTheRequest(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Handle(func(r llmtest.Request) llmtest.Reply {
		return llmtest.Text(fmt.Sprintf("%s %s %d", r.Model, r.Last(), len(r.Tools)))
	})
	for _, request := range []string{whole, strings.Replace(streamed, `"stream":true`, `"stream":false`, 1)} {
		_, answer, err := post(t, s, request)
		require.NoError(t, err)
		assert.Contains(t, answer, "tiny one two 0")
	}
	assert.True(t, s.Requests()[0].Sent("messages"))
	assert.False(t, s.Requests()[0].Sent("top_p"))
}

func TestToolCallsOfAStreamTakeTurns(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.ToolCalls(llmtest.Call("a", "f", `{"x":1}`), llmtest.Call("b", "g", `{"y":2}`)))
	_, answer, err := post(t, s, streamed)
	require.NoError(t, err)
	var order []int
	for line := range strings.SplitSeq(answer, "\n\n") {
		var chunk struct {
			Choices []struct {
				Delta struct {
					Calls []struct {
						Index    int
						Function struct{ Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &chunk) != nil {
			continue // the end mark
		}
		for _, choice := range chunk.Choices {
			for _, call := range choice.Delta.Calls {
				if call.Function.Arguments != "" {
					order = append(order, call.Index)
				}
			}
		}
	}
	assert.Equal(t, []int{0, 1, 0, 1}, order)
	assert.Contains(t, answer, `"finish_reason":"tool_calls"`)
}

// recorder is a testing.TB whose failures can be read.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.errors) > 0
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) end() {
	for _, f := range r.cleanups {
		f()
	}
}

func TestARequestBeyondTheScriptFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	s := llmtest.NewServer(r)
	code, _, err := post(t, s, whole)
	require.NoError(t, err)
	assert.Equal(t, http.StatusTeapot, code, "a status that nobody retries")
	r.end()
	assert.Equal(t, []string{"llmtest: no reply is scripted for chat request 1"}, r.errors)
}

func TestAReplyThatNobodyAskedForFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	s := llmtest.NewServer(r)
	s.Reply(llmtest.Text("a"), llmtest.Text("b"))
	s.ReplyEmbeddings(llmtest.Status(500, ""))
	_, _, err := post(t, s, whole)
	require.NoError(t, err)
	r.end()
	assert.Equal(t, []string{"llmtest: 2 scripted replies were never asked for"}, r.errors)
}

func TestAnUnreadableRequestFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	s := llmtest.NewServer(r)
	code, _, err := post(t, s, `{"model":7}`)
	require.NoError(t, err)
	assert.Equal(t, 400, code)
	r.end()
	require.Len(t, r.errors, 1)
	assert.Contains(t, r.errors[0], "an unreadable request")
}

func TestTextsThatShareWordsAreSimilar(t *testing.T) {
	cosine := func(a, b string) (sum float64) {
		x, y := llmtest.Embed(a), llmtest.Embed(b)
		for i := range x {
			sum += float64(x[i]) * float64(y[i])
		}
		return sum
	}
	const text = "the graph stores a checkpoint after every superstep"
	assert.InDelta(t, 1, cosine(text, text), 1e-5)
	assert.InDelta(t, 1, cosine(text, "The GRAPH stores a checkpoint, after every superstep!"), 1e-5, "case and punctuation do not count")
	near := cosine(text, "a checkpoint is stored after the superstep")
	far := cosine(text, "bananas ripen faster beside apples")
	assert.Greater(t, near, 0.4)
	assert.Less(t, far, 0.3)
	assert.InDelta(t, 1, cosine("", "?!"), 1e-5, "no words, yet a unit vector")
}
