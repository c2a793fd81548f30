package index_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// rerankFunc is a Reranker that is a function.
type rerankFunc func(query string, texts []string) ([]float64, error)

func (f rerankFunc) Rerank(_ context.Context, query string, texts []string) ([]float64, error) {
	return f(query, texts)
}

func TestARerankerOrdersTheHitsOfEverySearch(t *testing.T) {
	store, e := newStore(t), &wordEmbedder{model: "m", dim: 64}
	update(t, open(t, store, e, index.Options{}), folder(t, map[string]string{"a.md": "alpha", "b.md": "alpha beta", "c.md": "alpha gold delta epsilon"}))
	gold := rerankFunc(func(query string, texts []string) ([]float64, error) {
		assert.Equal(t, "alpha", query)
		scores := make([]float64, len(texts))
		for i, s := range texts {
			if strings.Contains(s, "gold") {
				scores[i] = 0.75
			}
		}
		return scores, nil
	})
	x := open(t, store, e, index.Options{Reranker: gold})
	for name, search := range map[string]func() ([]index.Hit, error){
		"keyword": func() ([]index.Hit, error) { return x.Keyword(t.Context(), "alpha", 1) },
		"vector":  func() ([]index.Hit, error) { return x.Vector(t.Context(), "alpha", 1) },
		"hybrid":  func() ([]index.Hit, error) { return x.Hybrid(t.Context(), "alpha", nil, 1) },
	} {
		hits, err := search()
		require.NoError(t, err, name)
		require.Len(t, hits, 1)
		assert.Equal(t, "c.md", hits[0].Path, name)
		assert.Equal(t, index.KindRerank, hits[0].Kind)
		assert.InDelta(t, 0.75, hits[0].Score, 0)
	}
}

func TestARerankerThatFailsLeavesTheOrderAndIsTold(t *testing.T) {
	store := newStore(t)
	update(t, open(t, store, nil, index.Options{}), folder(t, map[string]string{"a.md": "alpha", "b.md": "alpha beta"}))
	plain, err := open(t, store, nil, index.Options{}).Keyword(t.Context(), "alpha", 10)
	require.NoError(t, err)
	for want, answer := range map[string]rerankFunc{
		"connection refused": func(string, []string) ([]float64, error) { return nil, errDown },
		"there are 1 scores": func(string, []string) ([]float64, error) { return []float64{1}, nil },
		"score NaN":          func(string, []string) ([]float64, error) { return []float64{1, math.NaN()}, nil },
		"score 1.5":          func(string, []string) ([]float64, error) { return []float64{1.5, 0}, nil },
	} {
		var told []error
		x := open(t, store, nil, index.Options{Reranker: answer, RerankFailed: func(err error) { told = append(told, err) }})
		hits, err := x.Keyword(t.Context(), "alpha", 10)
		require.NoError(t, err)
		assert.Equal(t, plain, hits)
		require.Len(t, told, 1)
		require.ErrorContains(t, told[0], want)

		_, err = open(t, store, nil, index.Options{Reranker: answer}).Keyword(t.Context(), "alpha", 10)
		require.ErrorContains(t, err, want)
	}
}

func TestACancelledRerankingEndsTheSearch(t *testing.T) {
	store := newStore(t)
	update(t, open(t, store, nil, index.Options{}), folder(t, map[string]string{"a.md": "alpha", "b.md": "alpha beta"}))
	ctx, cancel := context.WithCancel(t.Context())
	stopped := rerankFunc(func(string, []string) ([]float64, error) {
		cancel()
		return nil, errors.New("cut off")
	})
	x := open(t, store, nil, index.Options{Reranker: stopped, RerankFailed: func(err error) { t.Error(err) }})
	_, err := x.Keyword(ctx, "alpha", 10)
	require.ErrorIs(t, err, context.Canceled)
}

// waits is a Reranker that only its context ends.
type waits struct{}

func (waits) Rerank(ctx context.Context, _ string, _ []string) ([]float64, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestARerankerThatTakesTooLongCostsTheOrderOnly(t *testing.T) {
	store := newStore(t)
	update(t, open(t, store, nil, index.Options{}), folder(t, map[string]string{"a.md": "alpha", "b.md": "alpha beta"}))
	var told []error
	x := open(t, store, nil, index.Options{Reranker: waits{}, RerankFailed: func(err error) { told = append(told, err) }})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	hits, err := x.Keyword(ctx, "alpha", 10)
	require.NoError(t, err)
	assert.Len(t, hits, 2)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], context.DeadlineExceeded)
}

func TestARerankerReadsMoreThanIsAskedFor(t *testing.T) {
	store := newStore(t)
	files := map[string]string{}
	for i := range 40 {
		files[string(rune('a'+i%26))+string(rune('a'+i/26))+".md"] = "alpha " + strings.Repeat("beta ", i)
	}
	update(t, open(t, store, nil, index.Options{}), folder(t, files))
	var read []int
	count := rerankFunc(func(_ string, texts []string) ([]float64, error) {
		read = append(read, len(texts))
		return make([]float64, len(texts)), nil
	})
	x := open(t, store, nil, index.Options{Reranker: count})
	for _, k := range []int{1, 30} {
		hits, err := x.Keyword(t.Context(), "alpha", k)
		require.NoError(t, err)
		assert.Len(t, hits, k)
	}
	assert.True(t, slices.Equal([]int{index.DefaultRerankDepth, 30}, read), read)
}
