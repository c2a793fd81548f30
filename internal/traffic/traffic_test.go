package traffic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/internal/traffic"
)

// talk is a conversation with everything in it that can happen; its questions differ by their fence.
func talk(t *testing.T, base string, transport http.RoundTripper, fence func() string) []heard {
	m := model(t, base, transport)
	ctx := t.Context()
	tool := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}}
	result := []heard{
		hear(ctx, m, "whole", false),
		hear(ctx, m, "streamed "+fence(), true),
		hear(ctx, m, "grades", false, llm.Schema("grades", json.RawMessage(`{"type":"object"}`))),
		hear(ctx, m, "tools", false, llms.WithTools([]llms.Tool{tool})),
		hear(ctx, m, "cut", true),
		hear(ctx, m, "error in mid-stream", true),
		hear(ctx, m, "busy at first", false),
		hear(ctx, m, "refused", false),
		hear(ctx, m, "again", false),
		hear(ctx, m, "again", false),
	}
	e, err := llm.NewEmbedder(llm.EmbeddingConfig{BaseURL: base, APIKey: secret, Model: "embed", Transport: transport})
	require.NoError(t, err)
	vectors, err := e.Embed(ctx, []string{"one text", "another"})
	require.NoError(t, err)
	return append(result, heard{Error: fmt.Sprint(vectors)})
}

func TestARecordedConversationReplaysByteForByteWithItsFailures(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("all of it"), llmtest.Text("word by word, naïve 中文"), llmtest.Text(`{"scores":[1]}`),
		llmtest.ToolCalls(llmtest.Call("a", "f", `{}`)), llmtest.Cut("half an "), llmtest.MidStreamError("half ", "overloaded"),
		llmtest.Status(429, "0.001"), llmtest.Text("now"), llmtest.StatusBody(401, "", `{"error":{"message":"bad key `+secret+`"}}`),
		llmtest.Text("first"), llmtest.Text("second"))
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	r, err := traffic.Create(path, traffic.Options{})
	require.NoError(t, err)
	want := talk(t, s.URL, r, r.Fence)
	require.NoError(t, r.Close())
	s.Close()

	p, err := traffic.Open(path, traffic.Options{})
	require.NoError(t, err)
	got := talk(t, s.URL, p, p.Fence)
	assert.Equal(t, want, got)
	assert.Greater(t, len(want[1].Pieces), 3, "it was streamed in pieces")
	assert.Contains(t, want[4].Error, "was cut")
	require.NoError(t, p.Err())
	assert.Zero(t, p.Left())

	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), secret)
	assert.NotContains(t, string(raw), "127.0.0.1", "hosts are not recorded")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	_, err = traffic.Create(path, traffic.Options{})
	require.ErrorIs(t, err, os.ErrExist, "a recording is never overwritten")
}

func TestABodyComesBackInThePiecesInWhichItCame(t *testing.T) {
	list := []string{"data: {\"a\"", ":1}\n", "\xc3", "\xa4 half a character", "<&>"}
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, errors.New("connection reset by peer")} {
		file := record(t, scripted(answer(200, end, list...)), func(r *traffic.Recorder) {
			_, _, err := post(t, r, `{}`)
			if !errors.Is(end, io.EOF) {
				require.Error(t, err)
			}
		})
		status, got, err := post(t, replay(t, file), `{}`)
		assert.Equal(t, 200, status)
		assert.Equal(t, list, got)
		if errors.Is(end, io.EOF) {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, end.Error())
		assert.Equal(t, errors.Is(end, io.ErrUnexpectedEOF), errors.Is(err, io.ErrUnexpectedEOF))
	}
}

func TestRequestsAreEqualInWhateverFormTheyAreWrittenAndEqualOnesTakeTurns(t *testing.T) {
	file := record(t, scripted(answer(200, io.EOF, "1"), answer(200, io.EOF, "2"), answer(200, io.EOF, "3"), answer(200, io.EOF, "not JSON")), func(r *traffic.Recorder) {
		for _, body := range []string{`{"x":1,"y":[2]}`, `{"z":1.50}`, `{"y":[2],"x":1}`, `plain`} {
			_, _, err := post(t, r, body)
			require.NoError(t, err)
		}
	})
	p := replay(t, file)
	for _, row := range [][2]string{{`plain`, "not JSON"}, {`{ "y": [2], "x": 1 }`, "1"}, {`{"z":1.50}`, "2"}, {`{"x":1,"y":[2]}`, "3"}} {
		_, got, err := post(t, p, row[0])
		require.NoError(t, err)
		assert.Equal(t, []string{row[1]}, got)
	}
	assert.Zero(t, p.Left())
	_, _, err := post(t, p, `{"x":1,"y":[2]}`)
	var miss *traffic.MissError
	require.ErrorAs(t, err, &miss)
	require.EqualError(t, err, "POST /v1/chat/completions is not in the recording rec.jsonl once more: all its answers have been given (the last is on line 4)")
	assert.ErrorIs(t, p.Err(), err)
}

func TestRandomFencesDoNotMatterAndASeedMakesThemAgain(t *testing.T) {
	var recorded []string
	file := record(t, scripted(answer(200, io.EOF, "1")), func(r *traffic.Recorder) {
		recorded = []string{r.Fence(), r.Fence()}
		_, _, err := post(t, r, `{"p":"`+recorded[0]+" x "+recorded[1]+" "+recorded[0]+`"}`)
		require.NoError(t, err)
	})
	assert.NotEqual(t, recorded[0], recorded[1])
	assert.NotContains(t, file, recorded[0])
	p := replay(t, file)
	assert.Equal(t, recorded, []string{p.Fence(), p.Fence()})
	_, _, err := post(t, p, `{"p":"AAAAAAAAAAAAAAAAAAAAAAAAAA x BBBBBBBBBBBBBBBBBBBBBBBBBB BBBBBBBBBBBBBBBBBBBBBBBBBB"}`)
	require.Error(t, err, "which fence stands where does matter")
	_, _, err = post(t, p, `{"p":"AAAAAAAAAAAAAAAAAAAAAAAAAA x BBBBBBBBBBBBBBBBBBBBBBBBBB AAAAAAAAAAAAAAAAAAAAAAAAAA"}`)
	require.NoError(t, err)
	other := record(t, traffic.Options{}, func(r *traffic.Recorder) { assert.NotEqual(t, recorded[0], r.Fence()) })
	assert.NotContains(t, other, recorded[0])
}

func TestTheCallerSaysWhatElseDiffersFromRunToRun(t *testing.T) {
	opts := traffic.Options{Normalize: func(body []byte) []byte { return []byte(strings.ReplaceAll(string(body), "Monday", "DAY")) }}
	opts.Transport = &script{[]func(*http.Request) (*http.Response, error){answer(200, io.EOF, "1")}}
	file := record(t, opts, func(r *traffic.Recorder) { post(t, r, `{"today":"Monday"}`) })
	p, err := traffic.NewReplayer(strings.NewReader(file), "x", traffic.Options{
		Normalize: func(body []byte) []byte { return []byte(strings.ReplaceAll(string(body), "Friday", "DAY")) },
	})
	require.NoError(t, err)
	_, _, err = post(t, p, `{"today":"Friday"}`)
	require.NoError(t, err)
}

func TestNoSecretIsRecordedWhereverItStands(t *testing.T) {
	const other = "another-secret"
	opts := scripted(answer(401, io.EOF, "bad key "+secret[:10], secret[10:]+"!"), fails(errors.New("proxy refuses "+other)), answer(200, io.EOF, "fine"))
	opts.Secrets = []string{other, "short"}
	file := record(t, opts, func(r *traffic.Recorder) {
		for _, header := range [][2]string{{"Authorization", "Bearer " + secret}, {"X-Api-Key", secret}, {"X-Api-Key", secret}} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://me.test/v1/x?key="+secret, strings.NewReader(`{"p":"`+other+` is a short one"}`))
			require.NoError(t, err)
			req.Header.Set(header[0], header[1])
			resp, err := r.RoundTrip(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				require.NoError(t, err)
			}
		}
	})
	assert.NotContains(t, file, secret)
	assert.NotContains(t, file, other)
	assert.Contains(t, file, "bad key [API key]!")
	assert.Contains(t, file, "is a short one", "a short text is a word, no secret")
}

func TestParallelRequestsAreRecordedWhole(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Handle(func(r llmtest.Request) llmtest.Reply { return llmtest.Text("answer to " + r.Last()) })
	ask := func(base string, transport http.RoundTripper) {
		m := model(t, base, transport)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				h := hear(t.Context(), m, fmt.Sprintf("question %d", i), i%2 == 0)
				if assert.Empty(t, h.Error) {
					assert.Equal(t, fmt.Sprintf("answer to question %d", i), h.Answer.Choices[0].Content)
				}
			})
		}
		all.Wait()
	}
	file := record(t, traffic.Options{}, func(r *traffic.Recorder) { ask(s.URL, r) })
	p := replay(t, file)
	ask("http://elsewhere.test/v1", p)
	assert.Zero(t, p.Left())
}
