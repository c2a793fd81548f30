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
	"sync"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-colorable"
	"github.com/mattn/go-isatty"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/load"
	"github.com/kbagent/kbagent/internal/audit"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/evalcache"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// base is what every command that touches data works with: the settings, the database file, the index.
type base struct {
	cfg      config.Config
	log      *slog.Logger
	db       *sqlite.DB
	server   *postgres.DB // conversations and reviews; nil when they are in db
	index    *index.Index
	embedder *llm.Embedder // nil without an embedding endpoint
	rerank   *llm.Reranker // nil without a re-ranking endpoint
	ranker   *nodes.Model  // that orders the hits of searches; nil when none does
	limit    *llm.Limit    // of the requests to all models together; nil for none
	traffic  *tape         // what passes to and from model servers and the web is recorded, or replayed; nil for neither
}

// databaseFile is the name of the file in the data directory that holds everything.
const databaseFile = "kbagent.db"

// vectorFile is the name of the file in the data directory that holds a copy of the vectors; it may be deleted.
const vectorFile = "vectors.bin"

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
	return openConfigured(ctx, cfg, newLogger(cfg, std.err), g.tape)
}

// openConfigured opens the database and the index that the settings name.
func openConfigured(ctx context.Context, cfg config.Config, log *slog.Logger, files tapeFiles) (b *base, err error) {
	traffic, err := openTape(files, cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, traffic.close())
		}
	}()
	b = &base{cfg: cfg, log: log, traffic: traffic}
	if cfg.LLM.RatePerMinute > 0 {
		b.limit = llm.NewLimit(cfg.LLM.RatePerMinute)
	}
	if e := cfg.Embedding; e.Model != "" {
		b.embedder, err = llm.NewEmbedder(llm.EmbeddingConfig{BaseURL: e.BaseURL, APIKey: e.APIKey, Model: e.Model, Timeout: cfg.LLM.Timeout, Logger: b.log, Limit: b.limit, Transport: b.traffic.transport()})
		if err != nil {
			return nil, err
		}
	}
	if b.db, err = sqlite.Open(ctx, filepath.Join(cfg.DataDir, databaseFile), sqlite.Options{Notice: func(what string) { log.Warn("an older database", "note", what) }}); err != nil {
		return nil, err
	}
	opened := b // b is nil when an error is returned
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.closeStores())
		}
	}()
	if cfg.DatabaseURL != "" {
		if b.server, err = postgres.Open(ctx, cfg.DatabaseURL, postgres.Options{}); err != nil {
			return nil, fmt.Errorf("KB_AGENT_DATABASE_URL: %w", err)
		}
	}
	var embedder index.Embedder
	if b.embedder != nil {
		embedder = b.embedder
	}
	loader, err := load.New(load.Options{TextField: cfg.Passages.JSONTextField})
	if err != nil {
		return nil, err
	}
	opts := index.Options{
		Loader:           loader,
		Split:            index.SplitOptions{TargetWords: cfg.Passages.Words, MaxWords: cfg.Passages.MaxWords},
		VectorFile:       filepath.Join(cfg.DataDir, vectorFile),
		VectorFileFailed: func(err error) { b.log.Warn("vector_file_failed", "error", err) },
		Degraded:         func(err error) { b.log.Warn("vector_search_unavailable", "error", err) },
	}
	if err := b.searchOptions(&opts); err != nil {
		return nil, err
	}
	b.index, err = index.Open(ctx, b.indexStore(), embedder, opts)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (b *base) close() error { return errors.Join(b.closeStores(), b.traffic.close()) }

func (b *base) closeStores() error {
	if b.server == nil {
		return b.db.Close()
	}
	return errors.Join(b.server.Close(), b.db.Close())
}

// indexStore is where passages and vectors are kept.
func (b *base) indexStore() index.Store {
	if b.cfg.IndexStore == "postgres" {
		return b.server.Index()
	}
	return b.db.Index()
}

// checkpoints is where conversations are kept.
func (b *base) checkpoints() graph.Store {
	if b.server != nil {
		return b.server.Checkpoints()
	}
	return b.db.Checkpoints()
}

// reviews is where reviews are kept.
func (b *base) reviews() review.Store {
	if b.server != nil {
		return b.server.Reviews()
	}
	return b.db.Reviews()
}

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
	watch *watch          // metrics and traces; nil for neither
	cache evalcache.Cache // nil without a model
	queue *review.Queue   // also where nobody is asked any more: a run keeps the settings that it started with
	agent *agent.Agent

	sending sync.WaitGroup // of notifications, beside the run whose review they are about
}

// openAssistant opens everything that answering questions needs. The caller closes it.
func openAssistant(ctx context.Context, g *global, std streams) (*assistant, error) {
	b, err := openBase(ctx, g, std)
	if err != nil {
		return nil, err
	}
	a := &assistant{base: b}
	if a.watch, err = openWatch(ctx, g.watch, b.cfg, b.log); err == nil {
		err = a.build()
	}
	if err != nil {
		return nil, errors.Join(err, a.close(ctx))
	}
	return a, nil
}

func (a *assistant) build() error {
	var err error
	if a.audit, err = audit.Open(a.cfg.AuditLog, audit.WithSecrets(a.cfg.Secrets()...)); err != nil {
		return err
	}
	n, err := a.nodes()
	if err != nil {
		return err
	}
	a.agent, err = agent.New(agent.Config{Nodes: n, Store: a.checkpoints(), Settings: a.cfg.Settings, Observer: a.watch.observer()})
	return err
}

// nodes is what the agent works with.
func (a *assistant) nodes() (n nodes.Config, err error) {
	n = nodes.Config{Library: agent.Library(a.index, a.embedder != nil), Audit: a.watch.audit(auditor{a.audit}), WebCooldown: cooldown(a.cfg.Web.Cooldown)}
	web, err := webTools(a.cfg, a.traffic)
	if err != nil {
		return n, err
	}
	n.Tools = tools.NewSet(append(tools.Local(a.index), web...)...)
	if n.Prompts, err = loadPrompts(a.cfg.Prompts); err != nil {
		return n, err
	}
	if n.Synonyms, err = loadSynonyms(a.cfg.Synonyms); err != nil {
		return n, err
	}
	if a.queue, err = reviewQueue(a.base); err != nil {
		return n, err
	}
	n.Reviews = desk{a.queue, a.send}
	if a.cache, err = gradeCache(a.cfg, a.traffic, a.log); err != nil {
		return n, err
	}
	if a.cache != nil {
		n.Cache = a.cache
	}
	if n.Model, err = a.model(a.cfg.LLM.Model); err != nil {
		return n, err
	}
	if n.FastModel, err = a.model(a.cfg.LLM.FastModel); err != nil {
		return n, err
	}
	if a.ranker != nil {
		a.ranker.LLM = a.watch.model(a.ranker.LLM, a.cfg.LLM.Provider, a.ranker.Name)
	}
	if a.rerank != nil {
		n.Reranker = nodes.RerankTexts(a.rerank.Rerank)
	}
	return n, nil
}

// modelCooldown is how long a model's server that was found to be down is left alone; the built-in roles do the work.
const modelCooldown = 30 * time.Second

// model is the model of that name at the configured endpoint, watched; nil for no name.
func (a *assistant) model(name string) (*nodes.Model, error) {
	m, err := a.base.model(name)
	if m != nil {
		m.LLM = a.watch.model(m.LLM, a.cfg.LLM.Provider, name)
	}
	return m, err
}

// model is the model of that name at the configured endpoint; nil for no name.
func (b *base) model(name string) (*nodes.Model, error) {
	if name == "" {
		return nil, nil
	}
	c := b.cfg.LLM
	m, err := llm.New(llm.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, APIKey: c.APIKey, Model: name, Timeout: c.Timeout, Limit: b.limit,
		Cooldown: modelCooldown, Logger: b.log, Transport: b.traffic.transport(),
	})
	if err != nil {
		return nil, err
	}
	return &nodes.Model{LLM: m, Name: name, Schema: llm.Schema, Fence: b.traffic.fence()}, nil
}

// finish shows what has come of a question, unless err says that nothing has, and closes a. What is shown does not wait for
// notifications; a recording that is not whole shows nothing.
func (a *assistant) finish(ctx context.Context, err error, show func() error) error {
	if err = errors.Join(err, a.traffic.close()); err == nil {
		err = show()
	}
	a.traffic = nil
	closed := a.close(ctx)
	if code := exitCode(0); closed != nil && errors.As(err, &code) {
		return closed // an outcome that is no error is no reason to keep one back
	}
	return errors.Join(err, closed)
}

// close sends the notifications that are due first; those that ctx interrupts are sent by a later command.
func (a *assistant) close(ctx context.Context) error {
	a.sending.Wait()
	if a.queue != nil && ctx.Err() == nil {
		deliverReviews(ctx, a.base, a.queue)
	}
	a.watch.close()
	if a.audit == nil {
		return a.base.close()
	}
	return errors.Join(a.audit.Close(), a.base.close())
}

// needDocuments refuses to answer from an empty knowledge base, or from a part of it that holds nothing.
func (a *assistant) needDocuments(ctx context.Context, scope state.Scope) error {
	stats, err := a.index.Stats(ctx)
	if err != nil {
		return err
	}
	if stats.Passages == 0 {
		return a.emptyError()
	}
	return needFiles(ctx, a.index, scope)
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
