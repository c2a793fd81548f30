package main

import (
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/near"
)

// preset is a kind of model server that init knows.
type preset struct {
	name      string
	about     string
	provider  string // the protocol, when it is not OpenAI's
	baseURL   string // "" has to be asked for
	model     string // a name that is known to work; "" has to be asked for
	key       bool   // the server wants a key
	embedding string // its model for embeddings, when it serves some
}

// noModel is the preset without a server.
const noModel = "none"

// presets in the order of the list that is shown.
var presets = []preset{
	{name: noModel, about: "no model: answers quote the documents"},
	{name: "ollama", about: "Ollama on this machine", baseURL: "http://localhost:11434/v1", model: "llama3.1", embedding: "nomic-embed-text"},
	{name: "llamacpp", about: "llama-server of llama.cpp on this machine", baseURL: "http://localhost:8080/v1", model: "default"},
	{name: "vllm", about: "vLLM on this machine", baseURL: "http://localhost:8000/v1"},
	{name: "openai", about: "OpenAI", baseURL: "https://api.openai.com/v1", model: "gpt-4o-mini", key: true, embedding: "text-embedding-3-small"},
	{name: "anthropic", about: "Anthropic", provider: "anthropic", baseURL: "https://api.anthropic.com/v1", key: true},
	{name: "other", about: "another server that speaks OpenAI's protocol"},
}

// findPreset finds one by its name.
func findPreset(name string) (preset, error) {
	var names []string
	for _, p := range presets {
		if p.name == name {
			return p, nil
		}
		names = append(names, p.name)
	}
	hint := ""
	if n := near.Nearest(name, names, 2); n != "" {
		hint = fmt.Sprintf("; did you mean %q?", n)
	}
	return preset{}, &usageError{fmt.Errorf("there is no model server %q, only %s%s", name, strings.Join(names, ", "), hint)}
}

// presetOf is the name of the preset that settings come from.
func presetOf(now config.LLM) string {
	if now.Model == "" {
		return noModel
	}
	for _, p := range presets {
		if p.baseURL == now.BaseURL {
			return p.name
		}
	}
	return presets[len(presets)-1].name
}

// presetNames are the names in their order.
func presetNames() (names []string) {
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}
