package llm_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
)

func TestAConfigurationThatCannotWorkIsRefusedWithAReason(t *testing.T) {
	good := llm.Config{BaseURL: "http://localhost:11434/v1", Model: "tiny"}
	_, err := llm.New(good)
	require.NoError(t, err)
	for want, change := range map[string]func(*llm.Config){
		"no model is named":                   func(c *llm.Config) { c.Model = "" },
		"neither a base URL nor an API key":   func(c *llm.Config) { c.BaseURL = "" },
		"must look like http://host:port/v1":  func(c *llm.Config) { c.BaseURL = "localhost:11434/v1" },
		"http://host:port/v1":                 func(c *llm.Config) { c.BaseURL = "ftp://host/v1" },
		"is not a URL":                        func(c *llm.Config) { c.BaseURL = "http://[::1" },
		"must not hold a user or password":    func(c *llm.Config) { c.BaseURL = "http://me:" + secret + "@host/v1" },
		"must have no query":                  func(c *llm.Config) { c.BaseURL = "http://host/v1?key=" + secret },
		"a timeout or retry wait is negative": func(c *llm.Config) { c.Timeout = -time.Second },
		"the API key contains a line break":   func(c *llm.Config) { c.APIKey = secret + "\n" },
	} {
		cfg := good
		change(&cfg)
		_, err := llm.New(cfg)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), secret)
	}
}

func TestAConfigurationNeverPrintsItsKey(t *testing.T) {
	cfg := llm.Config{BaseURL: "http://host/v1", Model: "tiny", APIKey: secret}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("configured", "llm", cfg)
	text := log.String() + fmt.Sprintf("%v %+v %#v %s", cfg, cfg, cfg, cfg)
	assert.NotContains(t, text, secret)
	assert.Contains(t, text, "API key set")
	cfg.BaseURL = "http://me:" + secret + "@host/v1"
	assert.NotContains(t, cfg.String(), secret, "nor a password in its base URL")
}

func TestEachNegativeTimeIsRefused(t *testing.T) {
	for _, cfg := range []llm.Config{{Timeout: -1}, {AttemptTimeout: -1}, {RetryWait: -1}} {
		cfg.BaseURL, cfg.Model = "http://host/v1", "tiny"
		_, err := llm.New(cfg)
		assert.ErrorContains(t, err, "is negative")
	}
}

func TestAllReasonsAreToldAtOnce(t *testing.T) {
	_, err := llm.New(llm.Config{BaseURL: "nowhere", Timeout: -1})
	for _, want := range []string{"no model is named", "http://host:port/v1", "is negative"} {
		assert.ErrorContains(t, err, want)
	}
}

func TestUsageIsReadFromWhateverAProviderPutThere(t *testing.T) {
	info := func(prompt, completion, total any) *llms.ContentResponse {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{nil, {}, {GenerationInfo: map[string]any{
			"PromptTokens": prompt, "CompletionTokens": completion, "TotalTokens": total,
		}}}}
	}
	assert.Equal(t, llm.Usage{}, llm.UsageOf(nil))
	assert.Equal(t, llm.Usage{}, llm.UsageOf(&llms.ContentResponse{}))
	assert.Equal(t, llm.Usage{PromptTokens: 3, CompletionTokens: 4, TotalTokens: 7}, llm.UsageOf(info(3, int64(4), nil)))
	assert.Equal(t, llm.Usage{PromptTokens: 3, CompletionTokens: 4, TotalTokens: 9}, llm.UsageOf(info(3.0, 4, 9)))
	assert.Equal(t, llm.Usage{}, llm.UsageOf(info("3", nil, nil)))
}
