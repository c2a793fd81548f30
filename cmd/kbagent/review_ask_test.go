package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

func TestAnAnswerDoesNotWaitForANotification(t *testing.T) {
	shown := make(chan struct{})
	late := make(chan bool, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-shown:
			late <- false
		case <-r.Context().Done(): // the program has given up
			late <- true
		}
	}))
	defer hook.Close()
	cmd := kbagent(t, newBase(t), nil, "ask", question)
	cmd.Env = append(append(cmd.Env, doubtful(state.ReviewProvisional)...), "KB_AGENT_REVIEW_WEBHOOK_URL="+hook.URL)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	assert.Equal(t, "Old logs are kept for seven days. [1]", lines.Text())
	close(shown)
	assert.False(t, <-late)
	for lines.Scan() {
		continue
	}
	require.NoError(t, cmd.Wait())
}

func TestAReviewOfAConversationIsToldWhileItGoesOn(t *testing.T) {
	told := make(chan struct{}, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told <- struct{}{} }))
	defer hook.Close()
	cmd := kbagent(t, newBase(t), nil, "chat")
	cmd.Env = append(append(cmd.Env, doubtful(state.ReviewProvisional)...), "KB_AGENT_REVIEW_WEBHOOK_URL="+hook.URL)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = in.Write([]byte(question + "\n"))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case <-told:
	case <-ctx.Done():
		t.Error("nobody was told before the end of the conversation")
	}
	require.NoError(t, in.Close())
	code, _, stderr := finish(t, cmd)
	require.Zero(t, code, stderr)
}

func TestOnlyTheQueueDecidesAReview(t *testing.T) {
	dir := newBase(t)
	code, stdout, _ := program(t, dir, doubtful(state.ReviewBlocking), "ask", "--thread", "t", question)
	id := openReview(t, dir)
	assert.Equal(t, exitWaiting, code)
	assert.Equal(t, "the answer waits for a person: review "+id+": kbagent review show "+id+"\n  kbagent resume t shows it then\n", stdout)

	_, stdout, _ = program(t, dir, nil, "resume", "t", "--json")
	_, rest, ok := strings.Cut(stdout, `"id": "`)
	require.True(t, ok, stdout)
	question, _, _ := strings.Cut(rest, `"`)
	code, _, stderr := program(t, dir, nil, "resume", "t", "--answer", question+`={"status":"approved"}`)
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, "kbagent: thread t waits for a person: only `kbagent review` decides\n", stderr)
	cmd := kbagent(t, dir, nil, "chat", "--thread", "t")
	cmd.Stdin = strings.NewReader(`/resume {"status":"approved"}` + "\n")
	_, _, stderr = finish(t, cmd)
	assert.Contains(t, stderr, "only `kbagent review` decides")
	assert.Equal(t, id, openReview(t, dir))

	code, _, stderr = program(t, dir, nil, "review", "approve", id, "--as", "ada")
	require.Zero(t, code, stderr)
	code, stdout, _ = program(t, dir, nil, "resume", "t")
	assert.Zero(t, code)
	assert.Contains(t, stdout, "\napproved by ada — PASS\n")
}

func TestAChatHearsOfADecisionThatHasNotReachedItsRun(t *testing.T) {
	dir := newBase(t)
	_, _, _ = program(t, dir, doubtful(state.ReviewBlocking), "ask", "--thread", "original", question)
	code, _, stderr := program(t, dir, nil, "threads", "copy", "original", "t")
	require.Zero(t, code, stderr)
	cmd := kbagent(t, dir, nil, "chat", "--thread", "t")
	cmd.Stdin = strings.NewReader("/resume\n")
	_, stdout, _ := finish(t, cmd)
	assert.Contains(t, stdout, "The agent asks: review ")
	decideOpen(t, dir)
	cmd = kbagent(t, dir, nil, "chat", "--thread", "t")
	cmd.Stdin = strings.NewReader("/resume\n")
	_, stdout, stderr = finish(t, cmd)
	assert.Contains(t, stdout, "Nine days.", stderr)
}
