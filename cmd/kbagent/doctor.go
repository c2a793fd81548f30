package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/audit"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm"
)

// check is one thing that doctor looks at. State is "ok", "off" (not configured, with what would switch it on) or
// "failed" (configured and not working).
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

const (
	stateOK     = "ok"
	stateOff    = "off"
	stateFailed = "failed"
)

func newDoctor(g *global, std streams) *cobra.Command {
	var asJSON, live bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is on, what is off and why, and what does not work",
		Long: `doctor reads the settings, opens the database, looks at the knowledge base and asks each configured endpoint whether
it is there; with --live it makes a small request of every kind. The exit code is 1 when something that is configured does not work.`,
		Example: `  kbagent doctor
  kbagent doctor --live
  kbagent doctor --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(g)
			if err != nil {
				return err
			}
			checks := examine(cmd.Context(), cfg, live)
			if asJSON {
				err = printJSON(std.out, map[string]any{"checks": checks, "settings": cfg.Values()})
			} else {
				err = printChecks(std.out, checks, cfg.Values())
			}
			if err != nil {
				return err
			}
			for _, c := range checks {
				if c.State == stateFailed {
					return exitCode(exitError)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "make small requests of every kind to each configured endpoint (a few hundred tokens)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

func examine(ctx context.Context, cfg config.Config, live bool) []check {
	checks := []check{checkData(cfg)}
	checks = append(checks, checkIndex(ctx, cfg)...)
	checks = append(checks, checkModel(ctx, cfg, "model", cfg.LLM.Model))
	if cfg.LLM.FastModel != "" {
		checks = append(checks, checkModel(ctx, cfg, "fast model", cfg.LLM.FastModel))
	}
	checks = append(checks, checkEmbedding(ctx, cfg), checkRerank(cfg), checkAudit(cfg))
	checks = append(checks, checkStages(ctx, cfg, live)...)
	if live {
		checks = append(checks, liveChecks(ctx, cfg)...)
	}
	return checks
}

// checkData says whether the data directory can be written to.
func checkData(cfg config.Config) check {
	c := check{Name: "data directory", State: stateFailed}
	if err := os.MkdirAll(cfg.DataDir, 0o755); err != nil {
		c.Detail = err.Error()
		return c
	}
	probe, err := os.CreateTemp(cfg.DataDir, ".doctor-*")
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		c.Detail = err.Error()
		return c
	}
	c.State, c.Detail = stateOK, cfg.DataDir+" can be written"
	return c
}

// checkIndex opens the database and counts what it holds.
func checkIndex(ctx context.Context, cfg config.Config) []check {
	b, err := openConfigured(ctx, cfg, slog.New(slog.DiscardHandler), tapeFiles{})
	if err != nil {
		return []check{{"database", stateFailed, err.Error()}}
	}
	defer b.close() //nolint:errcheck // only read from
	if err := b.db.Check(ctx); err != nil {
		return []check{{"database", stateFailed, err.Error()}}
	}
	checks := []check{{"database", stateOK, b.db.Path()}}
	if b.server != nil {
		keeps := "PostgreSQL keeps conversations and reviews"
		if cfg.IndexStore == "postgres" {
			keeps = "PostgreSQL keeps conversations, reviews, passages and vectors"
		}
		checks = append(checks, check{"database server", stateOK, keeps})
	}
	stats, err := b.index.Stats(ctx)
	roots, rootsErr := b.index.Roots(ctx)
	if err = errors.Join(err, rootsErr); err != nil {
		return append(checks, check{"knowledge base", stateFailed, err.Error()})
	}
	if stats.Passages == 0 {
		return append(checks, check{"knowledge base", stateOff, "empty: `kbagent index PATH` fills it"})
	}
	for _, root := range roots {
		if _, err := os.Stat(root); err != nil {
			checks = append(checks, check{"folder", stateFailed, fmt.Sprintf("%v: its passages are still found, its files cannot be read", err)})
		}
	}
	return append(checks, check{"knowledge base", stateOK, fmt.Sprintf("%d files, %d passages, %d vectors", stats.Files, stats.Passages, stats.Vectors)})
}

func checkModel(ctx context.Context, cfg config.Config, name, model string) check {
	c := check{Name: name, State: stateOff, Detail: "answers quote the documents; set KB_AGENT_LLM_BASE_URL and KB_AGENT_LLM_MODEL to have them written"}
	if model == "" {
		return c
	}
	return ping(ctx, name, llm.Config{Provider: cfg.LLM.Provider, BaseURL: cfg.LLM.BaseURL, APIKey: cfg.LLM.APIKey, Model: model})
}

func checkEmbedding(ctx context.Context, cfg config.Config) check {
	if cfg.Embedding.Model == "" {
		return check{"embeddings", stateOff, "search is by words only; set KB_AGENT_EMBEDDING_BASE_URL and KB_AGENT_EMBEDDING_MODEL for search by meaning"}
	}
	return ping(ctx, "embeddings", llm.Config{BaseURL: cfg.Embedding.BaseURL, APIKey: cfg.Embedding.APIKey, Model: cfg.Embedding.Model})
}

// checkRerank says who orders what searches find. A re-ranking server is asked by --live only: it has no list of models.
func checkRerank(cfg config.Config) check {
	const name = "re-ranking"
	switch cfg.Search.Rerank {
	case "model":
		return check{name, stateOK, "one call of " + cmp.Or(cfg.LLM.FastModel, cfg.LLM.Model) + " for each search"}
	case "endpoint":
		r, err := newReranker(cfg, llm.RerankConfig{})
		if err != nil {
			return check{name, stateFailed, err.Error()}
		}
		return check{name, stateOK, r.String() + "; `doctor --live` asks it"}
	default:
		return check{name, stateOff, "searches keep their own order; KB_AGENT_RERANK=model or endpoint changes it"}
	}
}

// ping asks an endpoint whether it is there.
func ping(ctx context.Context, name string, settings llm.Config) check {
	if err := llm.Ping(ctx, settings); err != nil {
		return check{name, stateFailed, err.Error()}
	}
	return check{name, stateOK, settings.String()}
}

func checkAudit(cfg config.Config) check {
	log, err := audit.Open(cfg.AuditLog)
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		return check{"audit log", stateFailed, err.Error()}
	}
	return check{"audit log", stateOK, filepath.Clean(cfg.AuditLog)}
}

func printChecks(w io.Writer, checks []check, values []config.Value) error {
	for _, c := range checks {
		if _, err := fmt.Fprintf(w, "%-7s %s: %s\n", c.State, c.Name, c.Detail); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "\nsettings that differ from their defaults:")
	none := true
	for _, v := range values {
		if v.Source != "default" {
			none = false
			fmt.Fprintf(w, "  %s=%s (%s)\n", v.Name, v.Value, v.Source)
		}
	}
	if none {
		fmt.Fprintln(w, "  none")
	}
	return nil
}
