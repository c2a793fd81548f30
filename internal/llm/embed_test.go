package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func newEmbedder(t *testing.T, s *llmtest.Server, change ...func(*llm.EmbeddingConfig)) *llm.Embedder {
	t.Helper()
	cfg := llm.EmbeddingConfig{BaseURL: s.URL, Model: "tiny-embed", RetryWait: time.Microsecond}
	for _, f := range change {
		f(&cfg)
	}
	e, err := llm.NewEmbedder(cfg)
	require.NoError(t, err)
	return e
}

func TestTextsGoOutInBatchesAndVectorsComeBackInOrder(t *testing.T) {
	texts := make([]string, 150)
	for i := range texts {
		texts[i] = fmt.Sprintf("passage number%d", i)
	}
	s := llmtest.NewServer(t)
	e := newEmbedder(t, s)
	assert.Zero(t, e.Dimensions())
	vectors, err := e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, vectors, len(texts))
	for i, text := range texts {
		require.Equal(t, llmtest.Embed(text), vectors[i])
	}
	var sizes []int
	for _, r := range s.EmbeddingRequests() {
		sizes = append(sizes, len(r.Input))
		assert.Equal(t, "tiny-embed", r.Model)
		assert.Equal(t, "float", r.EncodingFormat)
	}
	assert.Equal(t, []int{64, 64, 22}, sizes)
	assert.Equal(t, "tiny-embed", e.Model())
	assert.Equal(t, llmtest.Dimensions, e.Dimensions())
}

func TestNoTextsGiveNoVectorsAndNoRequest(t *testing.T) {
	s := llmtest.NewServer(t)
	vectors, err := newEmbedder(t, s).Embed(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, vectors)
	assert.Empty(t, s.EmbeddingRequests())
}

func TestAnEmptyTextIsRefusedBeforeTheWire(t *testing.T) {
	s := llmtest.NewServer(t)
	_, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", " \n"})
	assert.ErrorContains(t, err, "text 2 of 2 is empty")
	assert.Empty(t, s.EmbeddingRequests())
}

func vectorsOf(body string) llmtest.Reply {
	return llmtest.Raw("application/json", `{"data":[`+body+`]}`)
}

func TestTheOrderIsRestoredByIndex(t *testing.T) {
	s := llmtest.NewServer(t)
	s.ReplyEmbeddings(vectorsOf(`{"index":1,"embedding":[1,1]},{"index":0,"embedding":[0,0.5]}`))
	vectors, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{0, 0.5}, {1, 1}}, vectors)
}

func TestVectorsWithoutAnIndexComeInTheOrderOfTheReply(t *testing.T) {
	s := llmtest.NewServer(t)
	s.ReplyEmbeddings(vectorsOf(`{"embedding":[1,2]},{"embedding":[3,4]}`))
	vectors, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{1, 2}, {3, 4}}, vectors)
}

func TestAReplyThatDoesNotFitTheTextsIsMalformed(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"too few":                 {`{"index":0,"embedding":[1,2]}`, "1 vectors for 2 texts"},
		"too many":                {`{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}`, "3 vectors for 2 texts"},
		"none":                    {``, "0 vectors for 2 texts"},
		"an index twice":          {`{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}`, "there twice"},
		"an index out of range":   {`{"index":0,"embedding":[1,2]},{"index":2,"embedding":[1,2]}`, "out of range"},
		"a negative index":        {`{"index":-1,"embedding":[1,2]},{"index":0,"embedding":[1,2]}`, "out of range"},
		"different lengths":       {`{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}`, "3 dimensions where 2"},
		"an empty vector":         {`{"index":0,"embedding":[1,2]},{"index":1,"embedding":[]}`, "vector 1: it is empty"},
		"no vector":               {`{"index":0,"embedding":[1,2]},{"index":1}`, "vector 1"},
		"null for NaN":            {`{"index":0,"embedding":[1,null]},{"index":1,"embedding":[1,2]}`, "vector 0: it holds null"},
		"a bare NaN":              {`{"index":0,"embedding":[1,NaN]},{"index":1,"embedding":[1,2]}`, "not what the OpenAI protocol says"},
		"a number beyond float":   {`{"index":0,"embedding":[1,1e999]},{"index":1,"embedding":[1,2]}`, "vector 0"},
		"beyond float32":          {`{"index":0,"embedding":[1,1e39]},{"index":1,"embedding":[1,2]}`, "vector 0"},
		"text in place of floats": {`{"index":0,"embedding":"AACAPw=="},{"index":1,"embedding":[1,2]}`, "vector 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.ReplyEmbeddings(vectorsOf(c.body))
			vectors, err := newEmbedder(t, s).Embed(t.Context(), []string{"a", "b"})
			require.ErrorIs(t, err, llm.ErrMalformed)
			assert.ErrorContains(t, err, c.want)
			assert.Nil(t, vectors)
		})
	}
}

func TestALengthOtherThanConfiguredOrSeenBeforeIsMalformed(t *testing.T) {
	s := llmtest.NewServer(t)
	s.ReplyEmbeddings(vectorsOf(`{"embedding":[1,2]}`), vectorsOf(`{"embedding":[1,2]}`), vectorsOf(`{"embedding":[1,2,3]}`))
	_, err := newEmbedder(t, s, func(c *llm.EmbeddingConfig) { c.Dimensions = 3 }).Embed(t.Context(), []string{"a"})
	require.ErrorIs(t, err, llm.ErrMalformed)
	e := newEmbedder(t, s)
	_, err = e.Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
	_, err = e.Embed(t.Context(), []string{"a"})
	require.ErrorIs(t, err, llm.ErrMalformed)
	assert.Equal(t, 2, e.Dimensions())
}

func TestEmbeddingsAreTriedAgainAndFailTyped(t *testing.T) {
	s := llmtest.NewServer(t)
	s.ReplyEmbeddings(llmtest.Status(503, ""), llmtest.Raw("application/json", `{"data":[{"emb`), llmtest.Status(429, "0"))
	e := newEmbedder(t, s, func(c *llm.EmbeddingConfig) { c.APIKey = secret })
	vectors, err := e.Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
	assert.Len(t, vectors, 1)
	assert.Equal(t, "Bearer "+secret, s.EmbeddingRequests()[3].Header.Get("Authorization"))

	s.ReplyEmbeddings(llmtest.StatusBody(401, "", "bad key "+secret), llmtest.Raw("application/json", `{"error":"no such model"}`))
	var status *llm.StatusError
	_, err = e.Embed(t.Context(), []string{"a"})
	require.ErrorAs(t, err, &status)
	assert.NotContains(t, err.Error(), secret)
	_, err = e.Embed(t.Context(), []string{"a"})
	assert.ErrorContains(t, err, "no such model")

	s.Close()
	_, err = e.Embed(t.Context(), []string{"a"})
	require.ErrorIs(t, err, llm.ErrUnreachable)
}

func TestEmbeddingsEndWithTheirContext(t *testing.T) {
	s := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	s.ReplyEmbeddings(llmtest.Slow(gate, llmtest.Status(http.StatusOK, "")))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-gate.Arrived()
		cancel()
	}()
	_, err := newEmbedder(t, s).Embed(ctx, []string{"a"})
	require.Equal(t, context.Canceled, err)
	_, err = newEmbedder(t, s).Embed(ctx, []string{"a"})
	require.Equal(t, context.Canceled, err)
}

func TestOneEmbedderServesManyGoroutinesAtOnce(t *testing.T) {
	s := llmtest.NewServer(t)
	e := newEmbedder(t, s)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			text := strings.Repeat("word ", i+1)
			vectors, err := e.Embed(t.Context(), []string{text})
			assert.NoError(t, err)
			assert.Equal(t, [][]float32{llmtest.Embed(text)}, vectors)
		})
	}
	wg.Wait()
}

func TestAnEmbeddingConfigurationThatCannotWorkIsRefused(t *testing.T) {
	good := llm.EmbeddingConfig{BaseURL: "http://x/v1", Model: "m"}
	for want, change := range map[string]func(*llm.EmbeddingConfig){
		"no embedding model is named": func(c *llm.EmbeddingConfig) { c.Model = "" },
		"outside 1 to 2048":           func(c *llm.EmbeddingConfig) { c.BatchSize = 2049 },
		"dimensions -1 is negative":   func(c *llm.EmbeddingConfig) { c.Dimensions = -1 },
		"http://host:port/v1":         func(c *llm.EmbeddingConfig) { c.BaseURL = "localhost:11434" },
	} {
		cfg := good
		change(&cfg)
		_, err := llm.NewEmbedder(cfg)
		assert.ErrorContains(t, err, want)
	}
	good.APIKey = secret
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", good, good, good), secret)
}

func TestARefusalOfTheTextsIsToldFromAServerThatIsDown(t *testing.T) {
	s := llmtest.NewServer(t)
	for status, refused := range map[int]bool{400: true, 413: true, 422: true, 401: false, 404: false, 429: false} {
		s.ReplyEmbeddings(llmtest.StatusBody(status, "", "no"))
		_, err := newEmbedder(t, s, func(c *llm.EmbeddingConfig) { c.MaxRetries = -1 }).Embed(t.Context(), []string{"a"})
		var answer *llm.StatusError
		require.ErrorAs(t, err, &answer)
		assert.Equal(t, refused, answer.Refused(), status)
	}
	assert.False(t, (&llm.StatusError{Status: 400, Body: "your credit balance is too low"}).Refused())
}
