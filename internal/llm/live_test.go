package llm_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/llm"
)

// TestAgainstARealServer runs against whatever server the environment names, for example Ollama:
// KB_AGENT_E2E_LLM_BASE_URL=http://localhost:11434/v1 KB_AGENT_E2E_LLM_MODEL=llama3.2
// and, where they are needed, KB_AGENT_E2E_PROVIDER, KB_AGENT_E2E_API_KEY and KB_AGENT_E2E_EMBEDDING_MODEL.
func TestAgainstARealServer(t *testing.T) {
	cfg := llm.Config{
		Provider: os.Getenv("KB_AGENT_E2E_PROVIDER"),
		BaseURL:  os.Getenv("KB_AGENT_E2E_LLM_BASE_URL"),
		APIKey:   os.Getenv("KB_AGENT_E2E_API_KEY"),
		Model:    os.Getenv("KB_AGENT_E2E_LLM_MODEL"),
	}
	if cfg.BaseURL == "" || cfg.Model == "" {
		t.Skip("KB_AGENT_E2E_LLM_BASE_URL and KB_AGENT_E2E_LLM_MODEL name no server")
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	m, err := llm.New(cfg)
	require.NoError(t, err)
	limit := llms.WithMaxTokens(64)

	t.Run("ping", func(t *testing.T) { require.NoError(t, llm.Ping(t.Context(), cfg)) })
	t.Run("whole", func(t *testing.T) {
		resp, err := ask(t, m, limit)
		require.NoError(t, err)
		assert.NotEmpty(t, resp.Choices[0].StopReason)
		assert.LessOrEqual(t, llm.UsageOf(resp).CompletionTokens, 64, "the token limit reached the server")
	})
	t.Run("streamed", func(t *testing.T) {
		var got collector
		resp, err := ask(t, m, limit, got.option())
		require.NoError(t, err)
		assert.Equal(t, resp.Choices[0].Content, got.text())
		assert.Positive(t, llm.UsageOf(resp).TotalTokens)
	})
	t.Run("an unknown model", func(t *testing.T) {
		_, err := ask(t, m, llms.WithModel("no-such-model"))
		var status *llm.StatusError
		require.ErrorAs(t, err, &status)
	})
	t.Run("cancelled", func(t *testing.T) {
		for range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := m.GenerateContent(ctx, question("write a long story"), llms.WithMaxTokens(512),
				llms.WithStreamingFunc(func(context.Context, []byte) error { cancel(); return nil }))
			cancel()
			require.Equal(t, context.Canceled, err)
		}
	})
	t.Run("embeddings", func(t *testing.T) {
		model := os.Getenv("KB_AGENT_E2E_EMBEDDING_MODEL")
		if model == "" {
			t.Skip("KB_AGENT_E2E_EMBEDDING_MODEL names no model")
		}
		e, err := llm.NewEmbedder(llm.EmbeddingConfig{BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Model: model})
		require.NoError(t, err)
		vectors, err := e.Embed(t.Context(), []string{"one text", "another text"})
		require.NoError(t, err)
		assert.Len(t, vectors, 2)
	})
}
