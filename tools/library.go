package tools

import (
	"context"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
)

// Library is the part of the index that the tools need; *index.Index is one.
type Library interface {
	Keyword(ctx context.Context, query string, k int) ([]index.Hit, error)
	Vector(ctx context.Context, query string, k int) ([]index.Hit, error)
	Hybrid(ctx context.Context, query string, keywords []string, k int) ([]index.Hit, error)
	Grep(ctx context.Context, pattern string, limit int) ([]index.Hit, error)
	Files(ctx context.Context, pattern string) ([]index.File, error)
	Roots(ctx context.Context) ([]string, error)
	Text(ctx context.Context, root, path string) (index.Text, error)
}

// Local is the tools over a knowledge base, each call within the scope of its context (see [WithScope]).
func Local(lib Library) []Tool {
	lib = scoped{lib}
	return []Tool{
		KeywordSearch(lib), VectorSearch(lib), HybridSearch(lib), Grep(lib), ReadFile(lib), ListFiles(lib),
	}
}

// DefaultK is how many passages a search returns unless the call says otherwise; MaxK is the most.
const (
	DefaultK = 8
	MaxK     = 50
)

func clampK(k int) int {
	if k <= 0 {
		return DefaultK
	}
	return min(k, MaxK)
}

// evidence turns hits into evidence items found by tool.
func evidence(tool string, hits []index.Hit) []state.Evidence {
	items := make([]state.Evidence, len(hits))
	for i, h := range hits {
		items[i] = state.Evidence{
			ID: h.ID, Tool: tool, Path: h.Path, Title: h.Title, Section: h.Section,
			StartLine: h.StartLine, EndLine: h.EndLine, StartByte: h.StartByte, EndByte: h.EndByte,
			Content: h.Content, RetrievalScore: h.Score, ScoreKind: state.ScoreKind(h.Kind), Language: h.Language,
		}
	}
	return items
}

// found is the result of a search; nothing found is a hint, never an error.
func found(tool string, hits []index.Hit, hint string) Result {
	if len(hits) == 0 {
		return Result{Note: "no_results: " + hint}
	}
	return Result{Items: evidence(tool, hits)}
}
