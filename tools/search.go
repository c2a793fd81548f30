package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
)

//go:embed keyword_search.md
var keywordSearchDoc string

//go:embed vector_search.md
var vectorSearchDoc string

//go:embed hybrid_search.md
var hybridSearchDoc string

// SearchArgs are the arguments of keyword_search and vector_search.
type SearchArgs struct {
	Query string `json:"query" jsonschema:"what to look for"`
	K     int    `json:"k,omitempty" jsonschema:"how many passages, 1 to 50, default 8"`
}

// HybridArgs are the arguments of hybrid_search.
type HybridArgs struct {
	Query    string   `json:"query" jsonschema:"what to look for, as a sentence"`
	Keywords []string `json:"keywords,omitempty" jsonschema:"exact words that the passage should hold"`
	K        int      `json:"k,omitempty" jsonschema:"how many passages, 1 to 50, default 8"`
}

// KeywordSearch is keyword_search: BM25 over titles, sections and text.
func KeywordSearch(lib Library) Tool {
	const name = "keyword_search"
	return New(name, keywordSearchDoc, state.ScoreBM25, func(ctx context.Context, a SearchArgs) (Result, error) {
		hits, err := lib.Keyword(ctx, a.Query, clampK(a.K))
		if err != nil {
			return Result{}, err
		}
		return found(name, hits, fmt.Sprintf("no passage holds a word of %q; try other words, or list_files", a.Query)), nil
	})
}

// VectorSearch is vector_search: cosine similarity of embeddings. Without an embedding endpoint a call is refused
// with UNAVAILABLE.
func VectorSearch(lib Library) Tool {
	const name = "vector_search"
	return New(name, vectorSearchDoc, state.ScoreCosine, func(ctx context.Context, a SearchArgs) (Result, error) {
		hits, err := lib.Vector(ctx, a.Query, clampK(a.K))
		if errors.Is(err, index.ErrNoEmbedder) {
			return Result{}, &Error{Code: CodeUnavailable, Message: err.Error()}
		}
		if err != nil {
			return Result{}, err
		}
		return found(name, hits, fmt.Sprintf("no passage is near %q; try keyword_search", a.Query)), nil
	})
}

// HybridSearch is hybrid_search: keyword and vector search in parallel, fused by rank.
func HybridSearch(lib Library) Tool {
	const name = "hybrid_search"
	return New(name, hybridSearchDoc, state.ScoreRRF, func(ctx context.Context, a HybridArgs) (Result, error) {
		hits, err := lib.Hybrid(ctx, a.Query, a.Keywords, clampK(a.K))
		if err != nil {
			return Result{}, err
		}
		return found(name, hits, fmt.Sprintf("nothing is like %q; try other words, or list_files", a.Query)), nil
	})
}
