package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/mask"
)

// hit is a passage as `search --json` prints it.
type hit struct {
	ID        string          `json:"id"`
	Path      string          `json:"path"`
	Title     string          `json:"title"`
	StartLine int             `json:"start_line"`
	EndLine   int             `json:"end_line"`
	Score     float64         `json:"score"`
	ScoreKind index.ScoreKind `json:"score_kind"`
	Content   string          `json:"content"`
}

func newSearch(g *global, std streams) *cobra.Command {
	var (
		k      int
		tool   string
		asJSON bool
		part   scopeFlags
	)
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find passages, without an answer",
		Long: `search prints passages, the best first. Words in double quotes should stand next to each other, word* stands for all
words that begin so, and a word that no passage holds is taken for a typing error; docs/search.md tells it all.`,
		Example: `  kbagent search "log rotation"
  kbagent search '"log rotation" kube*'
  kbagent search -k 3 --tool hybrid --json "how long are logs kept"
  kbagent search --collection ops,handbook --path '**/*.md' "log rotation"`,
		Args: someArgs("a query"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if k < 1 {
				return &usageError{fmt.Errorf("-k must be at least 1, not %d", k)}
			}
			b, err := openBase(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			started := time.Now()
			if tool == "" {
				tool = b.defaultSearch()
			}
			query := strings.Join(args, " ")
			found, err := part.search(cmd.Context(), b.index, tool, query, k)
			elapsed := time.Since(started)
			var corrections []index.Correction
			if err == nil && tool != "vector" {
				corrections, err = b.index.Corrections(cmd.Context(), query, found)
			}
			hits := shown(found)
			if err = errors.Join(err, b.close()); err != nil {
				return err
			}
			if asJSON {
				return printJSON(std.out, struct {
					Hits        []hit              `json:"hits"`
					Corrections []index.Correction `json:"corrections,omitempty"`
					ElapsedMS   float64            `json:"elapsed_ms"`
				}{hits, corrections, float64(elapsed.Microseconds()) / 1000})
			}
			return errors.Join(printCorrections(std.err, corrections), printHits(std.out, hits))
		},
	}
	part.flags(cmd)
	cmd.Flags().IntVarP(&k, "limit", "k", 10, "how many passages")
	cmd.Flags().StringVar(&tool, "tool", "", "keyword, vector or hybrid (default hybrid with an embedding endpoint, else keyword)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the hits as JSON")
	return cmd
}

// defaultSearch is the best search that is configured.
func (b *base) defaultSearch() string {
	if b.embedder != nil {
		return "hybrid"
	}
	return "keyword"
}

// search searches the part of the index that the flags choose.
func (f *scopeFlags) search(ctx context.Context, ix *index.Index, tool, query string, k int) ([]index.Hit, error) {
	if err := needFiles(ctx, ix, f.scope()); err != nil {
		return nil, err
	}
	return search(ctx, within(ix, f.scope()), tool, query, k)
}

func search(ctx context.Context, ix *index.Index, tool, query string, k int) (found []index.Hit, err error) {
	switch tool {
	case "keyword":
		found, err = ix.Keyword(ctx, query, k)
	case "vector":
		found, err = ix.Vector(ctx, query, k)
	case "hybrid":
		found, err = ix.Hybrid(ctx, query, nil, k)
	default:
		return nil, &usageError{fmt.Errorf("--tool is keyword, vector or hybrid, not %q", tool)}
	}
	return found, err
}

// shown are hits as they are printed.
func shown(found []index.Hit) []hit {
	hits := make([]hit, len(found))
	for i, h := range found {
		hits[i] = hit{h.ID, h.Path, mask.Cards(h.Title), h.StartLine, h.EndLine, h.Score, h.Kind, mask.Cards(h.Content)}
	}
	return hits
}

// printCorrections says what was searched for in the place of words that no passage holds.
func printCorrections(w io.Writer, list []index.Correction) error {
	for _, c := range list {
		if _, err := fmt.Fprintf(w, "no passage holds %q: searched for %s\n", c.Word, mask.TerminalLine(strings.Join(c.Instead, ", "))); err != nil {
			return err
		}
	}
	return nil
}

func printHits(w io.Writer, hits []hit) error {
	if len(hits) == 0 {
		_, err := fmt.Fprintln(w, "nothing found")
		return err
	}
	for _, h := range hits {
		first, _, _ := strings.Cut(strings.TrimSpace(h.Content), "\n")
		if _, err := fmt.Fprintf(w, "%.3f  %s:L%d-L%d  %s\n       %s\n", h.Score, mask.TerminalLine(h.Path), h.StartLine, h.EndLine, mask.TerminalLine(h.Title), mask.TerminalLine(first)); err != nil {
			return err
		}
	}
	return nil
}
