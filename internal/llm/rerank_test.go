package llm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm"
)

// rankServer answers re-ranking requests with a script, then with 503.
type rankServer struct {
	*httptest.Server
	mu       sync.Mutex
	script   []string // bodies of replies
	requests []string // bodies
	headers  []http.Header
}

func newRankServer(t *testing.T, script ...string) *rankServer {
	t.Helper()
	s := &rankServer{script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/rerank", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests, s.headers = append(s.requests, string(body)), append(s.headers, r.Header)
		if len(s.script) == 0 {
			http.Error(w, "overloaded", http.StatusServiceUnavailable)
			return
		}
		_, err = io.WriteString(w, s.script[0])
		assert.NoError(t, err)
		s.script = s.script[1:]
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *rankServer) reranker(t *testing.T, model string) *llm.Reranker {
	t.Helper()
	r, err := llm.NewReranker(llm.RerankConfig{BaseURL: s.URL + "/v1/", APIKey: secret, Model: model, RetryWait: time.Microsecond, MaxRetries: 1})
	require.NoError(t, err)
	return r
}

func TestARerankerSpeaksBothForms(t *testing.T) {
	for _, c := range []struct{ model, reply, request string }{
		{"m", `{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.2}]}`, `{"model":"m","query":"q","documents":["a","b"]}`},
		{"", ` [{"index":1,"score":0.9},{"index":0,"score":0.2}]`, `{"query":"q","texts":["a","b"],"truncate":true}`},
	} {
		s := newRankServer(t, c.reply)
		scores, err := s.reranker(t, c.model).Rerank(t.Context(), "q", []string{"a", "b"})
		require.NoError(t, err)
		assert.Equal(t, []float64{0.2, 0.9}, scores, "in the order of the texts")
		assert.JSONEq(t, c.request, s.requests[0])
		assert.Equal(t, "Bearer "+secret, s.headers[0].Get("Authorization"))
	}
}

func TestLogitsBecomeScoresInTheSameOrder(t *testing.T) {
	s := newRankServer(t, `{"results":[{"index":0,"relevance_score":-4},{"index":1,"relevance_score":0.5},{"index":2,"relevance_score":7}]}`)
	scores, err := s.reranker(t, "m").Rerank(t.Context(), "q", []string{"a", "b", "c"})
	require.NoError(t, err)
	assert.True(t, slices.IsSorted(scores), scores)
	assert.InDelta(t, 0.018, scores[0], 0.001)
	assert.InDelta(t, 0.999, scores[2], 0.001)
}

func TestManyTextsGoInBatches(t *testing.T) {
	reply := func(n int, score float64) string {
		var list []map[string]any
		for i := range n {
			list = append(list, map[string]any{"index": i, "score": score})
		}
		b, err := json.Marshal(list)
		require.NoError(t, err)
		return string(b)
	}
	s := newRankServer(t, reply(32, 0.25), reply(8, 0.75))
	scores, err := s.reranker(t, "").Rerank(t.Context(), "q", make([]string, 40))
	require.NoError(t, err)
	require.Len(t, scores, 40)
	assert.Equal(t, []float64{0.25, 0.75}, []float64{scores[31], scores[32]})

	scores, err = s.reranker(t, "").Rerank(t.Context(), "q", nil)
	require.NoError(t, err)
	assert.Empty(t, scores)
	assert.Len(t, s.requests, 2)
}

func TestScoresThatDoNotFitTheTextsAreMalformed(t *testing.T) {
	for name, c := range map[string]struct{ reply, want string }{
		"too few":         {`[{"index":0,"score":0.5}]`, "1 scores for 2 texts"},
		"none":            {`{}`, "0 scores for 2 texts"},
		"one twice":       {`[{"index":0,"score":0.5},{"index":0,"score":0.5}]`, "there twice"},
		"out of range":    {`[{"index":0,"score":0.5},{"index":2,"score":0.5}]`, "out of range"},
		"without a place": {`[{"index":0,"score":0.5},{"score":0.5}]`, "index of a score is missing"},
		"without a score": {`[{"index":0,"score":0.5},{"index":1}]`, "entry 1 has no score"},
		"a page":          {`<html>`, "not what the re-ranking protocol says"},
		"an error":        {`{"error":"no such model"}`, "no such model"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newRankServer(t, c.reply).reranker(t, "m").Rerank(t.Context(), "q", []string{"a", "b"})
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func TestARerankerTriesAgainAndFailsTyped(t *testing.T) {
	s := newRankServer(t)
	_, err := s.reranker(t, "m").Rerank(t.Context(), "q", []string{"a"})
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Len(t, s.requests, 2)
}

func TestARerankerThatCannotWorkIsRefused(t *testing.T) {
	for want, cfg := range map[string]llm.RerankConfig{
		"no base URL":         {APIKey: "k"},
		"http://host:port/v1": {BaseURL: "localhost:80"},
	} {
		_, err := llm.NewReranker(cfg)
		require.ErrorContains(t, err, want)
	}
	cfg := llm.RerankConfig{BaseURL: "http://h", APIKey: secret}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", cfg, cfg, cfg), secret)
}
