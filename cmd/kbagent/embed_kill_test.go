package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestAKillWhileTextsAreEmbeddedCostsTheBatchInFlight(t *testing.T) {
	dir, server := t.TempDir(), llmtest.NewServer(t)
	const files, batch = 150, 64
	require.NoError(t, os.Mkdir(filepath.Join(dir, "kb"), 0o755))
	for i := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kb", fmt.Sprintf("%03d.md", i)), fmt.Appendf(nil, "Text number %d.", i), 0o600))
	}
	endpoint := []string{"KB_AGENT_EMBEDDING_BASE_URL=" + server.URL, "KB_AGENT_EMBEDDING_MODEL=embed"}
	gate := llmtest.NewGate()
	second := llmtest.Slow(gate, llmtest.Status(500, ""))
	server.HandleEmbeddings(func(r llmtest.EmbeddingRequest) llmtest.Reply {
		if len(server.EmbeddingRequests()) == 2 {
			return second
		}
		return llmtest.Vectors(r.Input)
	})
	cmd := withEnv(kbagent(t, dir, nil, "index", "kb"), endpoint...)
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	require.NoError(t, cmd.Process.Kill())
	_, _, _ = finish(t, cmd)

	code, _, stderr := finish(t, withEnv(kbagent(t, dir, nil, "index", "kb"), endpoint...))
	require.Zero(t, code, stderr)
	sent := map[string]int{}
	for _, r := range server.EmbeddingRequests() {
		for _, text := range r.Input {
			sent[text]++
		}
	}
	assert.Len(t, sent, files)
	twice := 0
	for _, n := range sent {
		if assert.LessOrEqual(t, n, 2) && n == 2 {
			twice++
		}
	}
	assert.Equal(t, batch, twice, "those of the batch that was in flight, and no others")
}
