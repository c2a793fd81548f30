package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Bounds of EmbeddingConfig.BatchSize.
const (
	DefaultBatchSize = 64
	MaxBatchSize     = 2048
)

// EmbeddingConfig says which embedding model to talk to, in the OpenAI protocol. Only Model is always
// needed; a field that [Config] has too means the same here, but Timeout bounds one batch and not a
// whole [Embedder.Embed].
type EmbeddingConfig struct {
	BaseURL        string
	APIKey         string
	Model          string
	Timeout        time.Duration
	AttemptTimeout time.Duration
	MaxRetries     int
	RetryWait      time.Duration
	RatePerMinute  int
	Limit          *Limit
	Transport      http.RoundTripper
	Logger         *slog.Logger

	// BatchSize is how many texts one request carries. Default 64, at most 2048.
	BatchSize int
	// Dimensions is how long every vector must be. 0 means as long as the first one received.
	Dimensions int
}

func (c EmbeddingConfig) config() Config {
	return Config{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model,
		Timeout: c.Timeout, AttemptTimeout: c.AttemptTimeout, MaxRetries: c.MaxRetries,
		RetryWait: c.RetryWait, RatePerMinute: c.RatePerMinute, Limit: c.Limit, Transport: c.Transport, Logger: c.Logger,
	}
}

// String describes the configuration without the key.
func (c EmbeddingConfig) String() string { return c.config().String() }

// GoString is String, so that %#v hides the key too.
func (c EmbeddingConfig) GoString() string { return c.String() }

// LogValue is String, so that a logger hides the key too.
func (c EmbeddingConfig) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Embedder turns texts into vectors through POST {base}/embeddings. Make one with [NewEmbedder]; it
// is safe for concurrent use.
type Embedder struct {
	endpoint *endpoint
	batch    int

	mu         sync.Mutex
	dimensions int // 0 until known
}

// NewEmbedder checks cfg and makes an Embedder. It sends nothing.
func NewEmbedder(cfg EmbeddingConfig) (*Embedder, error) {
	base, err := cfg.config().withDefaults()
	switch {
	case err != nil:
	case cfg.Model == "":
		err = errors.New("no embedding model is named")
	case cfg.BatchSize < 0 || cfg.BatchSize > MaxBatchSize:
		err = fmt.Errorf("the batch size %d is outside 1 to %d", cfg.BatchSize, MaxBatchSize)
	case cfg.Dimensions < 0:
		err = fmt.Errorf("the number of dimensions %d is negative", cfg.Dimensions)
	}
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	if cfg.BatchSize == 0 {
		cfg.BatchSize = DefaultBatchSize
	}
	return &Embedder{endpoint: newEndpoint(base), batch: cfg.BatchSize, dimensions: cfg.Dimensions}, nil
}

// Model is the configured model's name. Vectors of different models must not be mixed.
func (e *Embedder) Model() string { return e.endpoint.cfg.Model }

// Dimensions is the length of every vector; 0 when it is not configured and none was received yet.
func (e *Embedder) Dimensions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dimensions
}

// Embed returns one vector for each text, in the order of texts: all of the same length, every
// number finite, not normalised by us. Batches go one after the other; it is all or nothing. No texts
// give no vectors and no request. A text of nothing but white space is refused, since servers are.
//
// Its errors are those of [Model.GenerateContent]; a wrong number of vectors, a wrong length or a
// number that is not finite is [ErrMalformed].
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("llm: text %d of %d is empty: nothing to embed", i+1, len(texts))
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for begin := 0; begin < len(texts); begin += e.batch {
		batch := texts[begin:min(begin+e.batch, len(texts))]
		got, err := e.embedBatch(ctx, batch)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, got...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return vectors, nil
}

func (e *Embedder) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"model": e.Model(), "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, fmt.Errorf("llm: writing the request: %w", err)
	}
	vectors, err := retry(ctx, e.endpoint, func(ctx context.Context, w *watch) ([][]float32, error) {
		return e.ask(ctx, w, body, len(texts))
	})
	if err != nil {
		return nil, err
	}
	return vectors, e.checkDimensions(vectors)
}

// ask sends one batch once.
func (e *Embedder) ask(ctx context.Context, w *watch, body []byte, want int) ([][]float32, error) {
	resp, err := e.endpoint.send(ctx, w, http.MethodPost, "/embeddings", body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // it was read as far as it matters
	raw, err := e.endpoint.readAll(ctx, resp)
	if err != nil {
		return nil, err
	}
	return e.endpoint.parseVectors(resp.StatusCode, raw, want)
}

// checkDimensions compares every vector with the known length, or learns it.
func (e *Embedder) checkDimensions(vectors [][]float32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	want := e.dimensions
	for _, vector := range vectors {
		if want == 0 {
			want = len(vector)
		}
		if len(vector) != want {
			return e.endpoint.malformed(fmt.Sprintf("a vector has %d dimensions where %d are expected", len(vector), want), nil)
		}
	}
	e.dimensions = want
	return nil
}
