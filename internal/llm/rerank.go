package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"
)

// rerankBatch is how many texts one request carries; a server of the kind that takes no model refuses more by default.
const rerankBatch = 32

// RerankConfig says which re-ranking model to talk to. BaseURL is needed; requests go to POST {BaseURL}/rerank. A field that
// [Config] has too means the same here, but Timeout bounds one batch of 32 texts.
type RerankConfig struct {
	BaseURL string
	APIKey  string
	// Model chooses the form of the request: with a name it is that of Cohere, Jina, vLLM and llama.cpp (model, query,
	// documents), without one that of text-embeddings-inference (query, texts).
	Model      string
	Timeout    time.Duration
	MaxRetries int
	RetryWait  time.Duration
	Limit      *Limit
	Transport  http.RoundTripper
	Logger     *slog.Logger
}

func (c RerankConfig) config() Config {
	return Config{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, Timeout: c.Timeout, MaxRetries: c.MaxRetries,
		RetryWait: c.RetryWait, Limit: c.Limit, Transport: c.Transport, Logger: c.Logger,
	}
}

// String describes the configuration without the key.
func (c RerankConfig) String() string { return c.config().String() }

// GoString is String, so that %#v hides the key too.
func (c RerankConfig) GoString() string { return c.String() }

// LogValue is String, so that a logger hides the key too.
func (c RerankConfig) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Reranker asks a re-ranking model how well texts answer a query. Make one with [NewReranker]; it is safe for concurrent use.
type Reranker struct{ endpoint *endpoint }

// NewReranker checks cfg and makes a Reranker. It sends nothing.
func NewReranker(cfg RerankConfig) (*Reranker, error) {
	base, err := cfg.config().withDefaults()
	if err == nil && cfg.BaseURL == "" {
		err = errors.New("no base URL is set")
	}
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	e := newEndpoint(base)
	e.protocol = "re-ranking"
	return &Reranker{e}, nil
}

// String says where it is, without the key.
func (r *Reranker) String() string { return r.endpoint.cfg.String() }

// Rerank returns a score from 0 to 1 for each text, in the order of texts. A server that answers with logits, which are not
// from 0 to 1, has them all put through the logistic function. No texts give no scores and no request.
//
// Its errors are those of [Model.GenerateContent]; scores that are missing, there twice or not finite are [ErrMalformed].
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	scores := make([]float64, 0, len(texts))
	for begin := 0; begin < len(texts); begin += rerankBatch {
		batch, err := r.batch(ctx, query, texts[begin:min(begin+rerankBatch, len(texts))])
		if err != nil {
			return nil, err
		}
		scores = append(scores, batch...)
	}
	return toUnit(scores), nil
}

// toUnit leaves scores from 0 to 1 as they are and squeezes others in between, all alike, so that their order stays.
func toUnit(scores []float64) []float64 {
	for _, s := range scores {
		if s < 0 || s > 1 {
			for i, s := range scores {
				scores[i] = 1 / (1 + math.Exp(-s))
			}
			return scores
		}
	}
	return scores
}

// rerankRequest holds documents or texts.
type rerankRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents,omitempty"`
	Texts     []string `json:"texts,omitempty"`
	Truncate  bool     `json:"truncate,omitempty"` // of texts: cut what is too long instead of refusing it
}

func (r *Reranker) batch(ctx context.Context, query string, texts []string) ([]float64, error) {
	request := rerankRequest{Query: query, Texts: texts, Truncate: true}
	if model := r.endpoint.cfg.Model; model != "" {
		request = rerankRequest{Model: model, Query: query, Documents: texts}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("llm: writing the request: %w", err)
	}
	return retry(ctx, r.endpoint, func(ctx context.Context, w *watch) ([]float64, error) {
		resp, err := r.endpoint.send(ctx, w, http.MethodPost, "/rerank", body)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close() // it was read as far as it matters
		raw, err := r.endpoint.readAll(ctx, resp)
		if err != nil {
			return nil, err
		}
		return r.endpoint.parseRanks(resp.StatusCode, raw, len(texts))
	})
}

// rank is one entry of an answer, in both forms.
type rank struct {
	Index          *int     `json:"index"`
	RelevanceScore *float64 `json:"relevance_score"`
	Score          *float64 `json:"score"`
}

// parseRanks reads the answer to want texts: {"results": [rank…]} or [rank…], in any order.
func (e *endpoint) parseRanks(status int, raw []byte, want int) ([]float64, error) {
	var answer struct {
		Results []rank     `json:"results"`
		Error   *wireError `json:"error"`
	}
	into := any(&answer)
	if bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")) {
		into = &answer.Results
	}
	if err := e.decode(raw, into); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, e.replyError(answer.Error, status, raw)
	}
	scores, seen := make([]float64, want), make([]bool, want)
	for _, r := range answer.Results {
		score := r.RelevanceScore
		if score == nil {
			score = r.Score
		}
		switch {
		case r.Index == nil || *r.Index < 0 || *r.Index >= want || seen[*r.Index]:
			return nil, e.malformed("the index of a score is missing, out of range or there twice", nil)
		case score == nil:
			return nil, e.malformed(fmt.Sprintf("entry %d has no score", *r.Index), nil)
		}
		scores[*r.Index], seen[*r.Index] = *score, true
	}
	if len(answer.Results) != want {
		return nil, e.malformed(fmt.Sprintf("it holds %d scores for %d texts", len(answer.Results), want), nil)
	}
	return scores, nil
}
