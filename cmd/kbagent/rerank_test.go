package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

// threeDoors is a base of which a search for "door" finds three files.
func threeDoors(t *testing.T) string {
	t.Helper()
	dir := newBase(t)
	for name, text := range map[string]string{"red.md": "The door door door is red.", "blue.md": "The door is blue.", "gold.md": "Behind many words there is a golden door, they say."} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kb", name), []byte(text), 0o600))
	}
	code, _, stderr := finish(t, kbagent(t, dir, nil, "index", "kb"))
	require.Zero(t, code, stderr)
	return dir
}

// goldFirst is a re-ranking server that knows what is best, or is down.
func goldFirst(t *testing.T, down bool) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Texts []string }
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&request)) || down {
			http.Error(w, "no such model", http.StatusNotFound)
			return
		}
		type rank struct {
			Index int     `json:"index"`
			Score float64 `json:"score"`
		}
		var list []rank
		for i, text := range request.Texts {
			list = append(list, rank{i, map[bool]float64{true: 0.9, false: 0.1}[strings.Contains(text, "golden") || strings.Contains(text, "thirty")]})
		}
		assert.NoError(t, json.NewEncoder(w).Encode(list))
	}))
	t.Cleanup(s.Close)
	return s
}

func withEnv(cmd *exec.Cmd, pairs ...string) *exec.Cmd {
	cmd.Env = append(cmd.Env, pairs...)
	return cmd
}

// found is the paths and the kinds of scores of a search as JSON.
func found(t *testing.T, stdout string) (paths, kinds []string) {
	t.Helper()
	var result struct{ Hits []hit }
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	for _, h := range result.Hits {
		paths, kinds = append(paths, h.Path), append(kinds, string(h.ScoreKind))
	}
	return paths, kinds
}

func TestAReRankingServerOrdersWhatSearchesFind(t *testing.T) {
	dir := threeDoors(t)
	search := func(pairs ...string) (paths, kinds []string, stderr string) {
		code, stdout, stderr := finish(t, withEnv(kbagent(t, dir, nil, "search", "--json", "door"), pairs...))
		require.Zero(t, code, stderr)
		paths, kinds = found(t, stdout)
		return paths, kinds, stderr
	}
	plain, _, _ := search()
	require.Len(t, plain, 3)
	require.NotEqual(t, "gold.md", plain[0])

	paths, kinds, stderr := search("KB_AGENT_RERANK=endpoint", "KB_AGENT_RERANK_BASE_URL="+goldFirst(t, false).URL)
	assert.Equal(t, []string{"gold.md", plain[0]}, paths[:2], "and the others keep their order")
	assert.Equal(t, "rerank", kinds[0])
	assert.Empty(t, stderr)

	paths, kinds, stderr = search("KB_AGENT_RERANK=endpoint", "KB_AGENT_RERANK_BASE_URL="+goldFirst(t, true).URL)
	assert.Equal(t, plain, paths, "one that is down costs the order only")
	assert.Equal(t, "bm25", kinds[0])
	assert.Contains(t, stderr, "rerank_failed")
	assert.Contains(t, stderr, "no such model")
}

func TestTheFastModelOrdersWhatSearchesFind(t *testing.T) {
	dir, server := threeDoors(t), llmtest.NewServer(t)
	server.Reply(llmtest.Text("[0.2, 0.1, 0.9]"))
	code, stdout, stderr := finish(t, withEnv(kbagent(t, dir, server, "search", "--json", "door"), "KB_AGENT_RERANK=model"))
	require.Zero(t, code, stderr)
	paths, kinds := found(t, stdout)
	assert.Equal(t, "gold.md", paths[0])
	assert.Equal(t, "rerank", kinds[0])
}

func TestTheDoctorAsksTheReRankingServer(t *testing.T) {
	dir := newBase(t)
	endpoint := []string{"KB_AGENT_RERANK=endpoint", "KB_AGENT_RERANK_BASE_URL=" + goldFirst(t, false).URL}
	code, stdout, stderr := finish(t, withEnv(kbagent(t, dir, nil, "doctor", "--live"), endpoint...))
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "re-ranking: two texts: the text that answers got 0.90, another one 0.10")

	_, stdout, _ = finish(t, kbagent(t, dir, nil, "doctor"))
	assert.Contains(t, stdout, "off     re-ranking: searches keep their own order")

	endpoint[1] = "KB_AGENT_RERANK_BASE_URL=" + goldFirst(t, true).URL
	code, stdout, _ = finish(t, withEnv(kbagent(t, dir, nil, "doctor", "--live"), endpoint...))
	assert.Equal(t, exitError, code)
	assert.Contains(t, stdout, "no such model")
}
