package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-colorable"
	"github.com/mattn/go-isatty"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/audit"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// base is what every command that touches data works with: the settings, the database file, the index.
type base struct {
	cfg      config.Config
	log      *slog.Logger
	db       *sqlite.DB
	index    *index.Index
	embedder *llm.Embedder // nil without an embedding endpoint
}

// databaseFile is the name of the file in the data directory that holds everything.
const databaseFile = "kbagent.db"

func loadConfig(g *global) (config.Config, error) {
	flags := map[string]string{}
	if g.dataDir != "" {
		flags["KB_AGENT_DATA_DIR"] = g.dataDir
	}
	return config.Load(config.Options{EnvFile: g.envFile, Flags: flags})
}

// openBase reads the settings and opens the database. The caller closes it.
func openBase(ctx context.Context, g *global, std streams) (*base, error) {
	cfg, err := loadConfig(g)
	if err != nil {
		return nil, err
	}
	return openConfigured(ctx, cfg, newLogger(cfg, std.err))
}

// openConfigured opens the database and the index that the settings name.
func openConfigured(ctx context.Context, cfg config.Config, log *slog.Logger) (b *base, err error) {
	b = &base{cfg: cfg, log: log}
	if e := cfg.Embedding; e.Model != "" {
		b.embedder, err = llm.NewEmbedder(llm.EmbeddingConfig{BaseURL: e.BaseURL, APIKey: e.APIKey, Model: e.Model, Timeout: cfg.LLM.Timeout, Logger: b.log})
		if err != nil {
			return nil, err
		}
	}
	if b.db, err = sqlite.Open(ctx, filepath.Join(cfg.DataDir, databaseFile), sqlite.Options{}); err != nil {
		return nil, err
	}
	var embedder index.Embedder
	if b.embedder != nil {
		embedder = b.embedder
	}
	b.index, err = index.Open(ctx, b.db.Index(), embedder, index.Options{Degraded: func(err error) {
		b.log.Warn("vector_search_unavailable", "error", err)
	}})
	if err != nil {
		return nil, errors.Join(err, b.db.Close())
	}
	return b, nil
}

func (b *base) close() error { return b.db.Close() }

// newLogger writes for people on a terminal, as JSON when the settings say so.
func newLogger(cfg config.Config, w *os.File) *slog.Logger {
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: cfg.LogLevel}))
	}
	return slog.New(tint.NewTextHandler(colorable.NewColorable(w), &tint.Options{Level: cfg.LogLevel, NoColor: !colored(w)}))
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

func colored(f *os.File) bool { return os.Getenv("NO_COLOR") == "" && isTerminal(f) }

// assistant is a base with an agent on top.
type assistant struct {
	*base
	audit *audit.Log
	agent *agent.Agent
}

// openAssistant opens everything that answering questions needs. The caller closes it.
func openAssistant(ctx context.Context, g *global, std streams) (*assistant, error) {
	b, err := openBase(ctx, g, std)
	if err != nil {
		return nil, err
	}
	a := &assistant{base: b}
	if err := a.build(); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *assistant) build() error {
	var err error
	if a.audit, err = audit.Open(a.cfg.AuditLog, audit.WithSecrets(a.cfg.Secrets()...)); err != nil {
		return err
	}
	n := nodes.Config{
		Tools:   tools.NewSet(tools.Local(a.index)...),
		Library: agent.Library(a.index, a.embedder != nil),
		Audit:   auditor{a.audit},
	}
	if n.Model, err = a.model(a.cfg.LLM.Model); err != nil {
		return err
	}
	if n.FastModel, err = a.model(a.cfg.LLM.FastModel); err != nil {
		return err
	}
	a.agent, err = agent.New(agent.Config{Nodes: n, Store: a.db.Checkpoints(), Settings: a.cfg.Settings})
	return err
}

// modelCooldown is how long a model's server that was found to be down is left alone; the built-in roles do the work.
const modelCooldown = 30 * time.Second

// model is the model of that name at the configured endpoint; nil for no name.
func (a *assistant) model(name string) (*nodes.Model, error) {
	if name == "" {
		return nil, nil
	}
	c := a.cfg.LLM
	m, err := llm.New(llm.Config{BaseURL: c.BaseURL, APIKey: c.APIKey, Model: name, Timeout: c.Timeout, Cooldown: modelCooldown, Logger: a.log})
	if err != nil {
		return nil, err
	}
	return &nodes.Model{LLM: m, Schema: llm.Schema}, nil
}

func (a *assistant) close() error {
	if a.audit == nil {
		return a.base.close()
	}
	return errors.Join(a.audit.Close(), a.base.close())
}

// needDocuments refuses to answer from an empty knowledge base.
func (a *assistant) needDocuments(ctx context.Context) error {
	stats, err := a.index.Stats(ctx)
	if err != nil {
		return err
	}
	if stats.Passages == 0 {
		return fmt.Errorf("the knowledge base in %s is empty: run `kbagent index PATH` first, or `kbagent chat` to talk to the built-in manual", a.cfg.DataDir)
	}
	return nil
}

// auditor writes the lines of the nodes into the audit log.
type auditor struct{ log *audit.Log }

// Record implements nodes.Audit.
func (a auditor) Record(l nodes.Line) error {
	return a.log.Write(audit.Entry{Time: l.Time, Thread: l.Thread, Run: l.Run, Step: l.Step, Action: l.Action, Details: l.Details})
}

// printJSON writes v indented, as all commands with --json do.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
