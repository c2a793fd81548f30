package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/state"
)

// chatted is a chat without a terminal that gets these lines.
func chatted(t *testing.T, dir string, server *llmtest.Server, env []string, lines ...string) (code int, stdout, stderr string) {
	cmd := kbagent(t, dir, server, "chat", "--thread", "t")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	return finish(t, cmd)
}

func TestAnotherModelAnswersFromTheNextQuestionOn(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	server.Models("test", "big")
	run := []llmtest.Reply{routed, planned, graded, llmtest.Text("Old logs are kept for seven days [1]."), held}
	server.Reply(append(append([]llmtest.Reply{}, run...), run...)...)
	code, stdout, stderr := chatted(t, dir, server, nil, "/model", question, "/model big", "/retry", "/model bgi", "/model none", "/retry", "/model")
	assert.Equal(t, exitError, code, "one line has failed")
	assert.Contains(t, stderr, `does not list the model "bgi"`)
	assert.Contains(t, stdout, "Model: test\n")
	assert.Contains(t, stdout, "Model: big\n")
	assert.Equal(t, 2, strings.Count(stdout, "No model: answers quote the documents.\n"))
	assert.Contains(t, stdout, "note: no model wrote this answer")
	requests := server.Requests()
	require.Len(t, requests, 2*len(run), "the third answer asks no model")
	assert.Equal(t, "test", requests[0].Model)
	assert.Equal(t, "big", requests[len(run)].Model)
	assert.Equal(t, "big", requests[2*len(run)-1].Model)
}

func TestAReviewIsDecidedInTheChat(t *testing.T) {
	dir := newBase(t)
	env := append(doubtful(state.ReviewProvisional), "KB_AGENT_REVIEWER=ada")
	code, stdout, stderr := chatted(t, dir, nil, env, question, "/review")
	require.Zero(t, code, stderr)
	row := regexp.MustCompile(`(?m)^([a-z0-9]{8,})  +\w+ +pending `).FindStringSubmatch(stdout)
	require.NotNil(t, row, stdout)
	id := row[1]

	code, stdout, stderr = chatted(t, dir, nil, env, "/review "+id[:6], "/review correct "+id+" Logs are kept for nine days.", "/review", "/resume")
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "\nQuestion\n  "+question)
	assert.Contains(t, stdout, id+" is corrected by ada\n")
	assert.Contains(t, stdout, "no reviews\n")
	assert.Contains(t, stdout, "Logs are kept for nine days.", "the conversation has the decision")

	code, _, stderr = chatted(t, dir, nil, env, "/review reject "+id+" it is old", "/review approve nosuch")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "corrected by ada at ")
	assert.Contains(t, stderr, "there is no such review")
}
