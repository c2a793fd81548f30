package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// Subject runs scenarios against the agent.
func Subject() scenario.Subject[Given, When, Observation] { return Altered(nil) }

type subject struct {
	knowledge func(Given) nodes.Library // what stands for a knowledge base without documents; nil for emptyLibrary
}

// Start builds an agent in a world of its own. Settings that the program would refuse to start with are seen as the
// error of every turn.
func (s subject) Start(ctx context.Context, g Given) (scenario.Session[When, Observation], error) {
	w := &world{knowledge: s.knowledge, script: newScript(g), clock: &clock{tick: g.Tick}}
	cfg, refused := config.Load(config.Options{EnvFile: os.DevNull, Environ: environ(g.Env)})
	if refused != nil {
		return &world{refused: refused}, nil //nolint:nilerr // the refusal is what the scenario sees
	}
	if err := w.build(ctx, g, cfg.Settings); err != nil {
		return nil, errors.Join(err, w.cleanUp())
	}
	return w, nil
}

// Topology implements scenario.Subject.
func (subject) Topology() graph.Topology {
	a, err := agent.New(agent.Config{Nodes: nodes.Config{Audit: nodes.Discard{}, Library: emptyLibrary{}}})
	if err != nil {
		panic(err) // the same graph compiles in every test
	}
	return a.Topology()
}

// Moves implements scenario.Subject.
func (subject) Moves() []string { return moves() }

func environ(env map[string]string) []string {
	list := []string{} // not nil: that would be the environment of this process
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// world is one running scenario.
type world struct {
	knowledge func(Given) nodes.Library
	lib       nodes.Library // that the agent asks
	script    *script
	clock     *clock
	refused   error // what the program would have refused to start with
	agent     *agent.Agent
	folder    string
	db        *sqlite.DB

	reviews *reviewBook

	mu    sync.Mutex
	audit []nodes.Line
}

func (w *world) build(ctx context.Context, g Given, settings state.Settings) error {
	tooling, lib, err := w.openLibrary(ctx, g)
	if err != nil {
		return err
	}
	cfg := agent.Config{
		Nodes: nodes.Config{
			Tools: w.tools(tooling, settings), Library: lib, Audit: w, Now: w.clock.now, ToolTimeout: time.Second,
			ToolParallelism: 1, // results of the script are used up in the order of the calls
		},
		Store: graph.NewMemoryStore(), Settings: settings, NewID: counter("id"),
	}
	w.lib = lib
	w.reviews = &reviewBook{down: g.ReviewQueue == "down", newID: counter("v")}
	cfg.Nodes.Reviews = w.reviews
	cfg.Nodes.WebCooldown = cooldown
	if len(g.Components) > 0 {
		cfg.Nodes.Measure = scriptedComponents(g.Components)
	}
	if g.Cache {
		cfg.Nodes.Cache, cfg.Nodes.Library = &shelf{}, unchanging{lib}
	}
	roles := g.Roles
	if roles == nil {
		roles = w.script.roles()
	}
	if len(roles) > 0 {
		cfg.Nodes.Model = &nodes.Model{LLM: scriptedModel{w.script}, Fence: counter("FENCE-")}
		cfg.Nodes.ModelRoles = roles
	}
	w.agent, err = agent.New(cfg)
	return err
}

// tools are the real tools over the library, with the scripted ones in their places.
func (w *world) tools(lib tools.Library, settings state.Settings) tools.Set {
	var list []tools.Tool
	for _, t := range tools.Local(lib) {
		if w.script.scripts[t.Name] || lib == nil {
			t = w.script.scripted(t)
		}
		list = append(list, t)
	}
	for _, t := range []tools.Tool{tools.WebSearch(nil), tools.WebFetch(nil)} { // nothing behind them but the script
		if w.script.scripts[t.Name] || settings.WebSearch != state.WebOff {
			list = append(list, w.script.scripted(t))
		}
	}
	return tools.NewSet(list...)
}

// openLibrary indexes the documents; without any there is nothing behind the tools but the script.
func (w *world) openLibrary(ctx context.Context, g Given) (tools.Library, nodes.Library, error) {
	if len(g.Documents) == 0 {
		return nil, w.standIn(g), nil
	}
	var err error
	if w.folder, err = os.MkdirTemp("", "kbagent-scenario-*"); err != nil {
		return nil, nil, err
	}
	docs := filepath.Join(w.folder, "docs")
	for path, content := range g.Documents {
		file := filepath.Join(docs, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return nil, nil, err
		}
	}
	if w.db, err = sqlite.Open(ctx, filepath.Join(w.folder, "kbagent.db"), sqlite.Options{Synchronous: "NORMAL"}); err != nil {
		return nil, nil, err
	}
	var embedder index.Embedder
	if g.Vectors {
		embedder = wordEmbedder{}
	}
	ix, err := index.Open(ctx, w.db.Index(), embedder, index.Options{})
	if err != nil {
		return nil, nil, err
	}
	report, err := ix.Update(ctx, []string{docs}, index.UpdateOptions{})
	if err != nil {
		return nil, nil, err
	}
	if len(report.Errors) > 0 {
		return nil, nil, fmt.Errorf("document %s: %s", report.Errors[0].Path, report.Errors[0].Error)
	}
	return ix, agent.Library(ix, g.Vectors), nil
}

// standIn is the knowledge base of a world without documents.
func (w *world) standIn(g Given) nodes.Library {
	if w.knowledge != nil {
		return w.knowledge(g)
	}
	return newEmptyLibrary(g)
}

// Record implements nodes.Audit.
func (w *world) Record(l nodes.Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.audit = append(w.audit, l)
	return nil
}

// Turn asks one question and looks at what happened.
func (w *world) Turn(ctx context.Context, when When) (o Observation, trace scenario.Trace, err error) {
	if w.refused != nil {
		return Observation{Error: w.refused.Error()}, trace, nil
	}
	if when.Thread == "" {
		when.Thread = "t"
	}
	w.audit, w.script.calls = nil, nil
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.script.crash = cancel
	w.reviews.submitted = nil
	events := w.agent.Ask(ctx, agent.Question{Text: when.Ask, Thread: when.Thread, Mode: state.AnswerMode(when.Mode)})
	if d := when.Review; d != nil {
		head, err := w.agent.Thread(when.Thread).Head(ctx)
		if err != nil {
			return o, trace, err
		}
		trace.Idle = len(head.Interrupts) == 0
		events = w.agent.Resume(ctx, when.Thread, graph.Reply(nodes.ReviewDecision{
			Status: state.ReviewStatus(d.Status), Answer: d.Answer, Reviewer: d.Reviewer, Notes: d.Notes,
		}))
	}
	for event, err := range events {
		switch {
		case event.Questions != nil:
			for _, q := range event.Questions {
				o.Waits = append(o.Waits, q.Text())
			}
		case err != nil:
			o.Error = err.Error()
		case event.Restart:
			o.Tokens = ""
		case event.Token != "":
			o.Tokens += event.Token
		case event.Edge != nil:
			trace.Edges = append(trace.Edges, *event.Edge)
		case event.Answer != nil:
			o.see(*event.Answer)
			trace.Moves = append(trace.Moves, o.Transitions...)
		}
	}
	if err := errors.Join(w.script.faults...); err != nil {
		return o, trace, err
	}
	return o, trace, w.look(&o)
}

// look adds what the audit and the script saw.
func (w *world) look(o *Observation) error {
	o.ModelCalls, o.Submitted = w.script.calls, w.reviews.submitted
	for _, l := range w.audit {
		line, err := auditLine(l)
		if err != nil {
			return err
		}
		o.Audit = append(o.Audit, line)
		o.AuditActions = append(o.AuditActions, l.Action)
		if l.Action == nodes.AuditDecide {
			o.Decisions = append(o.Decisions, fmt.Sprintf("%s %s", l.Details["action"], l.Details["row"]))
		}
	}
	return nil
}

// Close implements scenario.Session.
func (w *world) Close() error {
	if w.refused != nil {
		return nil //nolint:nilerr // likewise
	}
	return errors.Join(w.script.leftovers(), w.cleanUp())
}

func (w *world) cleanUp() error {
	var errs []error
	if w.db != nil {
		errs = append(errs, w.db.Close())
	}
	if w.folder != "" {
		errs = append(errs, os.RemoveAll(w.folder))
	}
	return errors.Join(errs...)
}

// clock is a clock that moves by tick each time that it is read.
type clock struct {
	mu    sync.Mutex
	tick  time.Duration
	reads int
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(c.reads) * c.tick)
}

// counter returns prefix1, prefix2, …
func counter(prefix string) func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s%d", prefix, n)
	}
}

// wordEmbedder makes vectors of words: texts that share words are near each other.
type wordEmbedder struct{}

func (wordEmbedder) Model() string { return "words" }

func (wordEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	const dimensions = 256
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, dimensions)
		for _, term := range text.Terms(t) {
			h := uint32(2166136261)
			for _, b := range []byte(term) {
				h = (h ^ uint32(b)) * 16777619
			}
			v[h%dimensions]++
		}
		v[0]++ // no text is without a vector
		vectors[i] = v
	}
	return vectors, nil
}
