package llm

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxPing bounds Ping, however patient the configuration is.
const maxPing = 10 * time.Second

// Ping asks the provider for its list of models (GET {base}/models), once, for at most 10 seconds: is the server there, does it take the
// key, does it list cfg.Model (not asked when Model is empty)? It works for chat and for embedding
// endpoints. nil means yes to all.
//
// Errors: those of a configuration that cannot work, ctx.Err() when ctx is done, a
// [context.DeadlineExceeded], [ErrUnreachable], a *[StatusError] (404 or 405 where a server has no
// list: it is there, though), [ErrMalformed], and [ErrModelUnknown] with the names that it lists;
// behind a gateway the last is only a hint.
func Ping(ctx context.Context, cfg Config) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return fmt.Errorf("llm: %w", err)
	}
	cfg.MaxRetries = -1
	cfg.Timeout = min(cfg.Timeout, maxPing)
	e := newEndpoint(cfg)
	names, err := retry(ctx, e, e.models)
	if err != nil || cfg.Model == "" || lists(names, cfg.Model) {
		return err
	}
	return &failure{kind: ErrModelUnknown, text: fmt.Sprintf("%s does not list the model %q: check the model name (it lists %s)",
		cfg.BaseURL, cfg.Model, some(names))}
}

func (e *endpoint) models(ctx context.Context, w *watch) ([]string, error) {
	path := "/models"
	if e.cfg.Provider == ProviderAnthropic {
		path = "/v1/models?limit=1000"
	}
	resp, err := e.send(ctx, w, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // it was read as far as it matters
	raw, err := e.readAll(ctx, resp)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
		Error *wireError `json:"error"`
	}
	if err := e.decode(raw, &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, e.replyError(answer.Error, resp.StatusCode, raw)
	}
	names := make([]string, len(answer.Data))
	for i, row := range answer.Data {
		names[i] = row.ID
	}
	return names, nil
}

// lists also knows that Ollama lists "llama3" as "llama3:latest", and that Anthropic lists an alias
// like "claude-x-latest" under its dates only.
func lists(names []string, model string) bool {
	alias, dated := strings.CutSuffix(model, "-latest")
	return slices.Contains(names, model) || slices.Contains(names, model+":latest") ||
		dated && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, alias+"-") })
}

// some quotes the first few names.
func some(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	const limit = 8
	more := ""
	if len(names) > limit {
		more = fmt.Sprintf(" and %d more", len(names)-limit)
		names = names[:limit]
	}
	return clip(oneLine(strings.Join(names, ", ")), 300) + more
}
