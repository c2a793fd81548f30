package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/state"
)

// These tests run the program as a process of its own against a server that speaks the OpenAI protocol.

const question = "How long are old logs kept?"

// The replies of a whole run with a model.
var (
	routed  = llmtest.Text(`{"route":"search","confidence":0.9,"category":"other","query":"How long are old logs kept?","sub_queries":[],"keywords":["logs"]}`)
	planned = llmtest.ToolCalls(llmtest.Call("1", "keyword_search", `{"query":"old logs kept"}`))
	graded  = llmtest.Text(`{"scores":[0.9,0.8,0.1]}`)
	held    = llmtest.Text(`{"verdicts":[{"claim":1,"verdict":"SUPPORTED","passage":1,"quote":"Old logs are kept for seven days.","reasoning":"it says so"}],"suggested_corrections":[]}`)
)

// newBase is a folder with an indexed knowledge base of three passages about logs.
func newBase(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"logs.md":  "# Logs\n\nOld logs are kept for seven days.\n",
		"disk.md":  "# Disk\n\nLogs that are kept too long fill the disk.\n",
		"other.md": "# Other\n\nThe logs of the oven are kept in the kitchen.\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "kb"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kb", name), []byte(text), 0o644))
	}
	code, _, stderr := finish(t, kbagent(t, dir, nil, "index", "-q", "kb"))
	require.Zero(t, code, stderr)
	return dir
}

// kbagent is the program in a folder, ready to start.
func kbagent(t *testing.T, dir string, server *llmtest.Server, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := &exec.Cmd{Path: exe, Args: append([]string{"kbagent"}, args...), Dir: dir, Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "KB_AGENT_DATA_DIR=data", "GORACE=" + os.Getenv("GORACE")}
	if server != nil {
		cmd.Env = append(cmd.Env, "KB_AGENT_LLM_BASE_URL="+server.URL, "KB_AGENT_LLM_MODEL=test")
	}
	return cmd
}

// finish runs or waits for the program and returns what came of it.
func finish(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	if cmd.Process == nil {
		require.NoError(t, cmd.Start())
	}
	_ = cmd.Wait() // the exit code is looked at
	return cmd.ProcessState.ExitCode(), cmd.Stdout.(*bytes.Buffer).String(), cmd.Stderr.(*bytes.Buffer).String()
}

func readAnswer(t *testing.T, stdout string) agent.Answer {
	var a agent.Answer
	require.NoError(t, json.Unmarshal([]byte(stdout), &a), stdout)
	return a
}

func TestAModelAnswersThroughItsRealWire(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	server.Reply(routed, planned, graded, llmtest.Text("Old logs are kept for seven days [1]."), held)
	code, stdout, stderr := finish(t, kbagent(t, dir, server, "ask", "--json", question))
	require.Zero(t, code, stderr)
	a := readAnswer(t, stdout)
	assert.Equal(t, state.StatusPass, a.Status)
	assert.Equal(t, 1.0, a.Verification.Confidence)
	assert.Equal(t, "Old logs are kept for seven days [1].", a.Answer)
	assert.Equal(t, []agent.Citation{{N: 1, Path: "logs.md", StartLine: 3, EndLine: 3, Quote: "Old logs are kept for seven days."}}, a.Citations)
	assert.Equal(t, "llm", a.GradeSource)
	assert.Equal(t, []float64{0.9, 0.8, 0.1}, a.EvidenceScores)
	assert.Equal(t, 5, a.Usage.LLMCalls)
	assert.Positive(t, a.Usage.TotalTokens)
	assert.Empty(t, a.Warnings)

	requests := server.Requests()
	require.Len(t, requests, 5)
	for i, streams := range []bool{false, false, false, true, false} {
		assert.Equal(t, streams, requests[i].Stream, "only the answer streams (request %d)", i)
	}
	assert.NotEmpty(t, requests[1].Tools, "the planner is offered the tools")
	assert.NotNil(t, requests[2].ResponseFormat, "the grader asks for its schema")
}

func TestACutAnswerIsReplacedByQuotationsAndSaysSo(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	server.Reply(routed, planned, graded, llmtest.Cut("Old logs are"), held)
	code, stdout, stderr := finish(t, kbagent(t, dir, server, "ask", "--json", question))
	require.Zero(t, code, stderr)
	a := readAnswer(t, stdout)
	assert.Contains(t, a.Answer, "seven days")
	require.NotEmpty(t, a.Warnings)
	assert.Contains(t, a.Warnings[0], "the model failed as synthesizer")
}

func TestMalformedGradesAreRepairedOverTheWire(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	server.Reply(routed, planned, llmtest.Text("all fine!"), graded, llmtest.Text("Old logs are kept for seven days [1]."), held)
	code, stdout, stderr := finish(t, kbagent(t, dir, server, "ask", "--json", question))
	require.Zero(t, code, stderr)
	assert.Equal(t, "llm", readAnswer(t, stdout).GradeSource)
	assert.Contains(t, server.Requests()[3].Messages[3].Text(), "could not be used")
}

// A process that is killed in the middle of a run loses nothing that was committed: the same question on the same thread
// goes on, and the router and the planner are not asked again.
func TestAKilledProcessIsContinuedByTheSameQuestion(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	gate := llmtest.NewGate()
	server.Reply(routed, planned, llmtest.Slow(gate, graded))
	cmd := kbagent(t, dir, server, "ask", "--thread", "t", question)
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	require.NoError(t, cmd.Process.Kill())
	code, stdout, _ := finish(t, cmd)
	require.Equal(t, -1, code, "killed, not ended")
	require.Empty(t, stdout)

	server.Reply(graded, llmtest.Text("Old logs are kept for seven days [1]."), held)
	code, stdout, stderr := finish(t, kbagent(t, dir, server, "ask", "--thread", "t", "--json", question))
	require.Zero(t, code, stderr)
	a := readAnswer(t, stdout)
	assert.Equal(t, []string{"analyze_and_route", "plan", "tool_call", "grade_evidence", "synthesize", "verify_answer", "decide"}, a.Path)
	assert.Contains(t, a.Warnings, "an unfinished run of this question was resumed")
	assert.Len(t, server.Requests(), 6, "router, planner, grader (killed), grader, synthesizer, verifier")
}

func TestCtrlCEndsAQuestionAndTheThreadGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupt signal for child processes")
	}
	dir, server := newBase(t), llmtest.NewServer(t)
	gate := llmtest.NewGate()
	server.Reply(llmtest.Slow(gate, routed))
	cmd := kbagent(t, dir, server, "ask", "--thread", "t", question)
	require.NoError(t, cmd.Start())
	<-gate.Arrived()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	code, _, stderr := finish(t, cmd)
	assert.Equal(t, exitError, code)
	assert.Equal(t, "kbagent: interrupted\n", stderr)

	server.Reply(routed, planned, graded, llmtest.Text("Old logs are kept for seven days [1]."), held)
	code, _, stderr = finish(t, kbagent(t, dir, server, "ask", "--thread", "t", question))
	assert.Zero(t, code, stderr)
}

func TestEmbeddingsMakeTheSearchHybrid(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	embedding := func(cmd *exec.Cmd) *exec.Cmd {
		cmd.Env = append(cmd.Env, "KB_AGENT_EMBEDDING_BASE_URL="+server.URL, "KB_AGENT_EMBEDDING_MODEL=embed")
		return cmd
	}
	code, _, stderr := finish(t, embedding(kbagent(t, dir, nil, "index", "kb")))
	require.Zero(t, code, stderr)
	code, stdout, stderr := finish(t, embedding(kbagent(t, dir, nil, "search", "--tool", "vector", "--json", "old logs")))
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, `"score_kind": "cosine"`)
	code, stdout, stderr = finish(t, embedding(kbagent(t, dir, nil, "ask", "--json", question)))
	require.Zero(t, code, stderr)
	a := readAnswer(t, stdout)
	assert.Contains(t, a.Answer, "seven days")
	assert.True(t, a.VectorSearch)
	assert.Equal(t, []string{"analyze_and_route", "plan", "tool_call", "grade_evidence", "synthesize"}, a.Path)

	code, stdout, stderr = finish(t, kbagent(t, dir, nil, "ask", "--json", question))
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, `"vector_search": false`, "words alone are no secret")
}
