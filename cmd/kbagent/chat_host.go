package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/repl"
	"github.com/kbagent/kbagent/state"
)

// chatHost is the program around a chat; it implements [repl.Host].
type chatHost struct {
	with    *assistant
	std     streams
	start   config.Config     // as the program read it
	changes map[string]string // of this conversation, by the names of variables
	files   map[string]index.File
	version int64       // of the index, when files was read
	scope   state.Scope // of every question
}

func newChatHost(a *assistant, std streams, scope state.Scope) *chatHost {
	return &chatHost{with: a, std: std, start: a.cfg, changes: map[string]string{}, scope: scope}
}

// ask adds the settings and the scope of this conversation to a question.
func (h *chatHost) ask(q agent.Question) agent.Question {
	q.Scope = h.scope
	if len(h.changes) > 0 {
		q.Settings = &h.with.cfg.Settings
	}
	return q
}

// Index implements repl.Host.
func (h *chatHost) Index(ctx context.Context, path string, tell func(string)) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	report, err := refresh(ctx, h.with.index, []string{abs}, index.UpdateOptions{Progress: func(p index.Progress) {
		tell(fmt.Sprintf("%s %d of %d…", p.Phase, p.Done, p.Total))
	}})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := printReport(&b, report); err != nil {
		return "", err
	}
	for _, e := range report.Errors {
		fmt.Fprintf(&b, "error: %s: %s\n", e.Path, e.Error)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// Locate implements repl.Host.
func (h *chatHost) Locate(ctx context.Context, path string) (string, error) {
	f, ok, err := h.file(ctx, path)
	if err != nil || !ok || !filepath.IsAbs(f.Root) {
		return "", err
	}
	return filepath.Join(f.Root, filepath.FromSlash(f.Path)), nil
}

// Text implements repl.Host.
func (h *chatHost) Text(ctx context.Context, path string) (string, bool, error) {
	f, ok, err := h.file(ctx, path)
	if err != nil || !ok {
		return "", false, err
	}
	text, err := h.with.index.Text(ctx, f.Root, f.Path)
	if errors.Is(err, index.ErrNotIndexed) { // removed meanwhile
		return "", false, nil
	}
	return text.Content, err == nil, err
}

// file is the indexed file that the path of a citation stands for. The list of files is kept while the index stays as it is.
func (h *chatHost) file(ctx context.Context, path string) (index.File, bool, error) {
	version, err := h.with.index.Version(ctx)
	if err != nil {
		return index.File{}, false, err
	}
	if h.files == nil || h.version != version {
		list, err := h.with.index.Files(ctx, "")
		if err != nil {
			return index.File{}, false, err
		}
		h.version, h.files = version, make(map[string]index.File, len(list))
		for _, f := range list {
			if _, taken := h.files[f.Path]; !taken { // of two roots the first counts, as for the tools
				h.files[f.Path] = f
			}
		}
	}
	f, ok := h.files[path]
	return f, ok, nil
}

// Model implements repl.Host.
func (h *chatHost) Model() string { return h.with.cfg.LLM.Model }

// UseModel implements repl.Host. The server is asked whether it knows the name; one that has no list is believed.
func (h *chatHost) UseModel(ctx context.Context, name string) error {
	changes := maps.Clone(h.changes)
	for _, variable := range modelVariables {
		delete(changes, variable)
		if name == "" {
			changes[variable] = ""
		}
	}
	if name != "" {
		changes[modelVariable] = name
	}
	cfg, err := h.configured(changes)
	if err != nil {
		return err
	}
	if c := cfg.LLM; name != "" && h.with.traffic == nil {
		err := llm.Ping(ctx, llm.Config{Provider: c.Provider, BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, Timeout: c.Timeout})
		if status := new(llm.StatusError); err != nil && !errors.As(err, &status) {
			return err
		}
	}
	if err := h.with.reconfigure(cfg); err != nil {
		return err
	}
	h.changes = changes
	return nil
}

// modelVariable names the model; modelVariables mean nothing without one.
const modelVariable = "KB_AGENT_LLM_MODEL"

var modelVariables = []string{modelVariable, "KB_AGENT_LLM_BASE_URL", "KB_AGENT_LLM_API_KEY", "KB_AGENT_LLM_FAST_MODEL"}

// About implements repl.Host.
func (h *chatHost) About(ctx context.Context) ([]string, error) {
	stats, err := h.with.index.Stats(ctx)
	if err != nil {
		return nil, err
	}
	search := "by words"
	if h.with.embedder != nil {
		search = "by words and by meaning, with " + h.with.cfg.Embedding.Model
	}
	return []string{
		fmt.Sprintf("documents: %d files, %d passages", stats.Files, stats.Passages),
		"search: " + search,
		"data: " + h.with.cfg.DataDir,
	}, nil
}

var _ repl.Host = (*chatHost)(nil)
