package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestCtrlCEndsABatchWithWhatIsDone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupt signal for child processes")
	}
	dir, server := newBase(t), llmtest.NewServer(t)
	gate := llmtest.NewGate()
	server.Reply(routed, planned, graded, llmtest.Text("Old logs are kept for seven days [1]."), held, llmtest.Slow(gate, routed))
	cmd := kbagent(t, dir, server, "ask", "--jsonl", "--concurrency", "1")
	in, err := cmd.StdinPipe() // stays open: more could come
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	fmt.Fprintln(in, question)
	fmt.Fprintln(in, question)
	fmt.Fprintln(in, question)
	<-gate.Arrived()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	code, stdout, stderr := finish(t, cmd)
	assert.Equal(t, exitError, code)
	assert.Equal(t, "kbagent: interrupted; answered: 1\n", stderr)
	assert.Equal(t, 1, strings.Count(stdout, "\n"), stdout)
	assert.Contains(t, stdout, `{"id":1,"question":"How long are old logs kept?","answer":"Old logs are kept for seven days [1]."`)
}

func TestAReaderThatHasGoneEndsABatch(t *testing.T) {
	cmd := kbagent(t, newBase(t), nil, "ask", "--jsonl")
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	fmt.Fprintln(in, question)
	first, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "an answer comes while more questions are awaited")
	assert.True(t, json.Valid([]byte(first)), first)
	require.NoError(t, out.Close())
	for err == nil {
		_, err = io.WriteString(in, question+"\n")
	}
	_ = cmd.Wait()
	assert.Equal(t, exitError, cmd.ProcessState.ExitCode(), "it is not killed by the signal")
	assert.Contains(t, cmd.Stderr.(*bytes.Buffer).String(), "; answered: ")
}

// A line that is longer than a question can be ends the batch: where the next one would begin is not known.
func TestALineWithoutEndIsRefused(t *testing.T) {
	cmd := kbagent(t, newBase(t), nil, "ask", "--jsonl")
	cmd.Stdin = strings.NewReader(question + "\n" + strings.Repeat("x", longestLine+1))
	code, stdout, stderr := finish(t, cmd)
	assert.Equal(t, exitError, code)
	assert.Equal(t, "kbagent: line 2 is longer than 1048576 bytes: one line is one question; answered: 1\n", stderr)
	assert.Equal(t, 1, strings.Count(stdout, "\n"))
}

func TestAServerThatIsDownFailsNoLine(t *testing.T) {
	cmd := kbagent(t, newBase(t), nil, "ask", "--jsonl", "--concurrency", "1")
	cmd.Env = append(cmd.Env, "KB_AGENT_LLM_BASE_URL=http://127.0.0.1:1/v1", "KB_AGENT_LLM_MODEL=test", "KB_AGENT_LLM_TIMEOUT=50ms")
	cmd.Stdin = strings.NewReader(question + "\n\xff\xfe?\n" + question + "\n")
	code, stdout, stderr := finish(t, cmd)
	require.Zero(t, code, stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 3)
	for _, line := range []string{lines[0], lines[2]} {
		var r struct{ Answer string }
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		assert.Contains(t, r.Answer, "seven days", "without its model the agent quotes")
	}
}
