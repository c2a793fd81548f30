package tools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/kbagent/kbagent/state"
)

//go:embed web_search.md
var webSearchDoc string

// DefaultWebK is how many results web_search returns unless the call says otherwise; MaxWebK is the most.
const (
	DefaultWebK = 5
	MaxWebK     = 20
)

// WebLanguage is the language of evidence from the web: it tells such items from those of the knowledge base.
const WebLanguage = "web"

// SearchProvider is a search engine of the web, safe for concurrent use.
type SearchProvider interface {
	// Name is the provider as people know it, for messages.
	Name() string
	// Search returns up to k results, best first; none at all is no error. Failures are an *Error, or ctx.Err().
	Search(ctx context.Context, query string, k int) ([]SearchResult, error)
}

// SearchResult is one page that a search engine found.
type SearchResult struct {
	URL       string
	Title     string
	Content   string    // an excerpt as the engine gives it
	Score     float64   // the engine's own; its scale differs from engine to engine
	Published time.Time // zero when unknown
}

// WebSearchArgs are the arguments of web_search.
type WebSearchArgs struct {
	Query string `json:"query" jsonschema:"what to look for, in a few words"`
	K     int    `json:"k,omitempty" jsonschema:"how many results, 1 to 20, default 5"`
}

// WebSearch is web_search. A result becomes one item: its path is the page's URL, its content the engine's excerpt with
// lines counted from 1. Results of one page collapse. The items have no score: engines rank on scales of their
// own, which no threshold here reads; the order is the engine's.
func WebSearch(p SearchProvider) Tool {
	const name = "web_search"
	return New(name, webSearchDoc, state.ScoreNone, func(ctx context.Context, a WebSearchArgs) (Result, error) {
		query := strings.Join(strings.Fields(a.Query), " ")
		if query == "" {
			return Result{}, &Error{Code: CodeBadArguments, Message: "web_search: query is empty"}
		}
		k := DefaultWebK
		if a.K > 0 {
			k = min(a.K, MaxWebK)
		}
		results, err := p.Search(ctx, query, k)
		if err != nil {
			return Result{}, err
		}
		items, bare := webItems(name, results, k)
		switch {
		case len(items) > 0:
			return Result{Items: items}, nil
		case len(bare) > 0:
			return Result{Note: "no_results: the pages found come without an excerpt; web_fetch reads them: " + strings.Join(bare, " ")}, nil
		default:
			return Result{Note: fmt.Sprintf("no_results: %s finds nothing for %q; try fewer or other words", p.Name(), query)}, nil
		}
	})
}

// webItems makes evidence of the first k different pages. bare are the URLs of those that have no excerpt.
func webItems(tool string, results []SearchResult, k int) (items []state.Evidence, bare []string) {
	seen := make(map[string]bool, len(results))
	for _, r := range results {
		key, ok := canonicalURL(r.URL)
		if !ok || seen[key] || len(seen) == k {
			continue
		}
		seen[key] = true
		address := strings.TrimSpace(r.URL)
		content := snippet(r.Content)
		if content == "" {
			bare = append(bare, address)
			continue
		}
		items = append(items, state.Evidence{
			ID: state.EvidenceID(address, 0, len(content), content), Tool: tool, Path: address,
			Title: strings.Join(strings.Fields(r.Title), " "), StartLine: 1, EndLine: 1 + strings.Count(content, "\n"),
			EndByte: len(content), Content: content, ScoreKind: state.ScoreNone, Language: WebLanguage,
		})
	}
	return items, bare
}

// snippet is an excerpt with one kind of line break, without control characters and blank ends.
func snippet(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "�"))
	return strings.TrimSpace(s)
}
