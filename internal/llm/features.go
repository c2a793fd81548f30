package llm

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
)

// feature is a part of a request that some servers refuse.
type feature string

const (
	tokenLimit    feature = "token limit" // the other of the two fields is sent then
	temperature   feature = "temperature"
	streamOptions feature = "stream_options"
)

// schemaFeature is the schema of that name: a server may refuse one and take another.
func schemaFeature(name string) feature { return feature("response_format " + name) }

// features is a set.
type features map[feature]bool

// refused finds the feature that a server's refusal is about, "" if none that was not tried. A
// schema is also suspected when the server does not say what it dislikes: whether it was the reason
// shows when the request works without it.
func (c *call) refused(err error, tried features) feature {
	var status *StatusError
	if !errors.As(err, &status) {
		return ""
	}
	names := func(field string) bool { return strings.Contains(status.Body, field) }
	switch status.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return c.named(names, tried)
	case http.StatusInternalServerError: // some servers fail over a grammar instead of refusing it
		if names("schema") || names("grammar") || names("response_format") {
			return c.untriedSchema(tried)
		}
	}
	return ""
}

func (c *call) named(names func(string) bool, tried features) feature {
	// Out of this range the caller is wrong, not the server: that must stay an error.
	sensible := c.opts.Temperature >= 0 && c.opts.Temperature <= 2
	openAI := c.provider == ProviderOpenAI // the other has one token limit, and usage in every stream
	switch {
	case openAI && c.opts.MaxTokens > 0 && !tried[tokenLimit] && names(c.limitField()):
		return tokenLimit
	case sensible && !tried[temperature] && names("temperature"):
		return temperature
	case openAI && c.out.wanted() && !tried[streamOptions] && names("stream_options"):
		return streamOptions
	}
	return c.untriedSchema(tried)
}

func (c *call) untriedSchema(tried features) feature {
	if c.schema == nil || tried[schemaFeature(c.schema.name)] {
		return ""
	}
	return schemaFeature(c.schema.name)
}

// memory holds, by model, what the server refused. It is safe for concurrent use.
type memory struct {
	mu      sync.Mutex
	byModel map[string]features
}

func (m *memory) recall(model string) features {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := maps.Clone(m.byModel[model])
	if known == nil {
		known = features{}
	}
	return known
}

// learn adds what is new and returns it.
func (m *memory) learn(model string, without features) []feature {
	m.mu.Lock()
	defer m.mu.Unlock()
	var fresh []feature
	for f := range without {
		if m.byModel[model][f] {
			continue
		}
		if m.byModel == nil {
			m.byModel = map[string]features{}
		}
		if m.byModel[model] == nil {
			m.byModel[model] = features{}
		}
		m.byModel[model][f] = true
		fresh = append(fresh, f)
	}
	return fresh
}
