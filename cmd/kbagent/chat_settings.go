package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/repl"
)

// variablePrefix is in front of every variable.
const variablePrefix = "KB_AGENT_"

// Settings implements repl.Host.
func (h *chatHost) Settings() []repl.Setting {
	names := config.OfQuestion()
	var list []repl.Setting
	for _, v := range h.with.cfg.Values() {
		if slices.Contains(names, v.Name) {
			_, changed := h.changes[v.Name]
			list = append(list, repl.Setting{
				Name: strings.ToLower(strings.TrimPrefix(v.Name, variablePrefix)), Value: v.Value, Default: v.Default, Help: v.Description,
				Changed: changed,
			})
		}
	}
	return list
}

// Set implements repl.Host.
func (h *chatHost) Set(name, value string) error {
	changes := maps.Clone(h.changes)
	changes[variablePrefix+strings.ToUpper(name)] = value
	cfg, err := h.configured(changes)
	if err != nil {
		return err
	}
	h.changes, h.with.cfg = changes, cfg
	return nil
}

// configured is the configuration with the changes of this conversation. Faults are told without the heading that they have
// at the start of a program.
func (h *chatHost) configured(changes map[string]string) (config.Config, error) {
	cfg, err := h.start.With(changes)
	var faults *config.FaultsError
	if errors.As(err, &faults) {
		lines := make([]string, len(faults.Faults))
		for i, f := range faults.Faults {
			lines[i] = f.Name + ": " + f.Reason
		}
		return cfg, errors.New(strings.Join(lines, "; "))
	}
	return cfg, err
}

// reconfigure has the assistant answer with other settings from the next question on. Where that fails it stays as it is.
func (a *assistant) reconfigure(cfg config.Config) error {
	a.sending.Wait() // they use the queue that is replaced
	old, queue, cache := a.cfg, a.queue, a.cache
	a.cfg = cfg
	n, err := a.nodes()
	var next *agent.Agent
	if err == nil {
		next, err = agent.New(agent.Config{Nodes: n, Store: a.checkpoints(), Settings: a.cfg.Settings, Observer: a.watch.observer()})
	}
	if err != nil {
		a.cfg, a.queue, a.cache = old, queue, cache
		return err
	}
	a.agent = next
	return nil
}
