package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// Two machines with a database server between them: a conversation that one began goes on at the other, and so does a review.
func TestConversationsAndReviewsAreSharedOverPostgreSQL(t *testing.T) {
	url := pgtest.Start(t)
	one, two := newBase(t), newBase(t)
	at := func(dir string, args ...string) (int, string, string) {
		cmd := kbagent(t, dir, nil, args...)
		cmd.Env = append(cmd.Env, "KB_AGENT_DATABASE_URL="+url, "KB_AGENT_REVIEW=provisional", "KB_AGENT_CONFIDENCE=on", "KB_AGENT_CONFIDENCE_PASS=1")
		return finish(t, cmd)
	}
	code, stdout, stderr := at(one, "ask", "--thread", "shared", question)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "seven days")
	_, stdout, _ = at(two, "threads")
	assert.Contains(t, stdout, "shared")
	_, stdout, _ = at(two, "state", "shared", "--json")
	assert.Contains(t, stdout, "seven days")

	_, stdout, stderr = at(two, "review", "list", "--json")
	assert.Contains(t, stdout, question, stderr)
	_, stdout, _ = at(one, "doctor")
	assert.Contains(t, stdout, "PostgreSQL keeps conversations and reviews")
	_, err := os.Stat(filepath.Join(one, "data", databaseFile))
	require.NoError(t, err, "the index stays in the data directory")

	cmd := kbagent(t, one, nil, "threads")
	cmd.Env = append(cmd.Env, "KB_AGENT_DATABASE_URL=postgres://u:secret@127.0.0.1:1/d")
	code, _, stderr = finish(t, cmd)
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "KB_AGENT_DATABASE_URL")
	assert.NotContains(t, stderr, "secret")
}

// One machine indexes, the other one searches and answers.
func TestTheIndexIsSharedOverPostgreSQL(t *testing.T) {
	url, server := pgtest.Start(t), llmtest.NewServer(t)
	env := []string{
		"KB_AGENT_DATABASE_URL=" + url, "KB_AGENT_INDEX_STORE=postgres",
		"KB_AGENT_EMBEDDING_BASE_URL=" + server.URL, "KB_AGENT_EMBEDDING_MODEL=embed",
	}
	one, two := newBase(t), t.TempDir()
	code, _, stderr := finish(t, withEnv(kbagent(t, one, nil, "index", "kb"), env...))
	require.Zero(t, code, stderr)
	for _, tool := range []string{"keyword", "vector", "hybrid"} {
		code, stdout, stderr := finish(t, withEnv(kbagent(t, two, nil, "search", "--json", "--tool", tool, "how long are old logs kept"), env...))
		require.Zero(t, code, stderr)
		paths, _ := found(t, stdout)
		require.NotEmpty(t, paths, tool)
		assert.Equal(t, "logs.md", paths[0], tool)
	}
	_, err := os.Stat(filepath.Join(two, "data", vectorFile))
	require.NoError(t, err, "a copy of the server's vectors")
	code, stdout, stderr := finish(t, withEnv(kbagent(t, two, nil, "ask", question), env...))
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "seven days")
	_, stdout, _ = finish(t, withEnv(kbagent(t, two, nil, "doctor"), env...))
	assert.Contains(t, stdout, "PostgreSQL keeps conversations, reviews, passages and vectors")
}
