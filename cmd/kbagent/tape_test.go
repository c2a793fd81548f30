package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/state"
)

func TestAQuestionThatSearchedTheWebIsReplayedWithoutTheWeb(t *testing.T) {
	dir := newBase(t)
	searches := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		searches++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"results":[{"title":"Chess Olympiad","url":"https://example.org/chess","content":"Uzbekistan won the Chess Olympiad of 2022 in Chennai (search %d)."}]}`, searches)
	}))
	defer engine.Close()
	ask := func(args ...string) (int, string, string) {
		cmd := kbagent(t, dir, nil, append([]string{"ask", "--json"}, append(args, "Who won the Chess Olympiad of 2022?")...)...)
		cmd.Env = append(cmd.Env, "KB_AGENT_WEB_SEARCH=incorrect", "KB_AGENT_SEARXNG_URL="+engine.URL)
		return finish(t, cmd)
	}
	code, stdout, stderr := ask("--record", "tape.jsonl")
	require.Zero(t, code, stderr)
	want := readAnswer(t, stdout)
	require.Contains(t, want.Answer, "Uzbekistan")
	require.Positive(t, searches)
	raw, err := os.ReadFile(filepath.Join(dir, "tape.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(raw), "/search?")

	engine.Close()
	code, stdout, stderr = ask("--replay", "tape.jsonl")
	require.Zero(t, code, stderr)
	got := readAnswer(t, stdout)
	assert.Equal(t, want.Answer, got.Answer)
	assert.Equal(t, want.Citations, got.Citations)
	assert.Equal(t, want.Path, got.Path)
}

func TestAReplayNotifiesNobody(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	var told atomic.Int32
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told.Add(1) }))
	defer hook.Close()
	ask := func(flag string) {
		cmd := kbagent(t, dir, server, "ask", "--thread", flag, "--"+flag, "tape.jsonl", question)
		cmd.Env = append(append(cmd.Env, doubtful(state.ReviewProvisional)...), "KB_AGENT_REVIEW_WEBHOOK_URL="+hook.URL)
		code, _, stderr := finish(t, cmd)
		require.Zero(t, code, stderr)
	}
	server.Reply(routed, planned, graded, llmtest.Text("Old logs are kept for seven days [1]."), held)
	ask("record")
	require.EqualValues(t, 1, told.Load())
	ask("replay")
	assert.EqualValues(t, 1, told.Load(), "the replay has told somebody")
	code, stdout, stderr := finish(t, kbagent(t, dir, nil, "review", "list", "--json"))
	require.Zero(t, code, stderr)
	assert.Equal(t, 2, strings.Count(stdout, `"thread"`), "both have their review")
}
