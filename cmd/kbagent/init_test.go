//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

// terminal is one with the program on it, and somebody who types.
type terminal struct {
	t      *testing.T
	device *os.File
	shown  bytes.Buffer
}

// onTerminal starts a program of kbagent on a terminal.
func onTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	cmd.Stdout, cmd.Stderr = nil, nil
	cmd.Env = append(cmd.Env, "TERM=dumb", "NO_COLOR=1")
	device, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 200, Rows: 50})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended when the test went well
		_ = cmd.Wait()
		_ = device.Close()
	})
	return &terminal{t: t, device: device}
}

// expect reads until the text is shown. The test's own time limit ends a wait that is in vain.
func (m *terminal) expect(text string) {
	m.t.Helper()
	for b := make([]byte, 4096); !strings.Contains(m.shown.String(), text); {
		n, err := m.device.Read(b)
		m.shown.Write(b[:n])
		if err != nil {
			require.Contains(m.t, m.shown.String(), text, "the program ended")
			return
		}
	}
}

// mode is how the terminal treats what is typed.
func (m *terminal) mode() *term.State {
	m.t.Helper()
	mode, err := term.GetState(int(m.device.Fd()))
	require.NoError(m.t, err)
	return mode
}

// answer waits for a question and types a line.
func (m *terminal) answer(question, line string) {
	m.t.Helper()
	m.expect(question)
	m.shown.Reset()
	_, err := io.WriteString(m.device, line+"\n")
	require.NoError(m.t, err)
}

func TestInitAsksOnATerminalAndTestsWhatItIsTold(t *testing.T) {
	server := llmtest.NewServer(t)
	server.Reply(llmtest.Text("ready"), llmtest.Text("ready"), llmtest.Text(`{"scores":[1,0]}`),
		llmtest.ToolCalls(llmtest.Call("a", "search_kb", `{"query":"logs"}`)))
	dir := t.TempDir()
	cmd := kbagent(t, dir, nil, "init")
	m := onTerminal(t, cmd)
	m.answer("Server [none]: ", "olama")
	m.answer(`did you mean "ollama"?`+"\r\nServer [none]: ", "ollama")
	m.answer("Its address [http://localhost:11434/v1]: ", server.URL)
	m.answer("Name of the model [llama3.1]: ", "")
	m.answer("Key, not shown; empty for none: ", "sesame")
	m.answer("or none [nomic-embed-text]: ", "embed")
	assert.NotContains(t, m.shown.String(), "sesame")
	m.answer("Its address ["+server.URL+"]: ", "")
	m.answer("Folder to index, empty for none: ", "nowhere")
	m.answer("no such file or folder: nowhere\r\nFolder to index, empty for none: ", "")
	m.answer("Test the endpoints now? It makes a few small requests. [Y/n] ", "")
	m.expect("ok      model: tools: called in")
	m.expect("ok      embeddings: two texts")
	m.expect("wrote .env (6 settings)")
	m.expect("next: kbagent index PATH, then kbagent chat")
	require.NoError(t, cmd.Wait())
	text, err := os.ReadFile(filepath.Join(dir, ".env"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "KB_AGENT_LLM_API_KEY=sesame\nKB_AGENT_EMBEDDING_BASE_URL="+server.URL+"\nKB_AGENT_EMBEDDING_MODEL=embed\nKB_AGENT_EMBEDDING_API_KEY=sesame\n")
}

func TestSettingsThatDoNotWorkAreWrittenWhenThatIsWanted(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		answer  string
		code    int
		written bool
	}{{"", exitError, false}, {"y", exitOK, true}} {
		cmd := kbagent(t, dir, nil, "init", "--server", "other", "--base-url", "http://127.0.0.1:1/v1", "--model", "m",
			"--embedding-model", "none", "--folder", "")
		m := onTerminal(t, cmd)
		m.answer("Key, not shown; empty for none: ", "")
		m.answer("[Y/n] ", "y")
		m.answer("An endpoint does not work. Write the settings all the same? [y/N] ", c.answer)
		_ = cmd.Wait() // the exit code is looked at
		assert.Equal(t, c.code, cmd.ProcessState.ExitCode())
		_, err := os.Stat(filepath.Join(dir, ".env"))
		assert.Equal(t, c.written, err == nil)
	}
}

func TestCtrlCLeavesInitWithoutAFileAndWithTheEcho(t *testing.T) {
	for _, waiting := range []string{"Server [none]: ", "Key, not shown; empty for none: "} {
		dir := t.TempDir()
		cmd := kbagent(t, dir, nil, "init", "--server", "ollama", "--base-url", "http://localhost:1/v1", "--model", "m")
		if strings.HasPrefix(waiting, "Server") {
			cmd = kbagent(t, dir, nil, "init")
		}
		m := onTerminal(t, cmd)
		before := m.mode()
		m.expect(waiting)
		for strings.HasPrefix(waiting, "Key") && reflect.DeepEqual(before, m.mode()) {
			runtime.Gosched() // the echo goes off behind the question
		}
		_, err := io.WriteString(m.device, "\x03")
		require.NoError(t, err)
		m.expect("kbagent: interrupted")
		_ = cmd.Wait() // the exit code is looked at
		assert.Equal(t, exitError, cmd.ProcessState.ExitCode())
		assert.Equal(t, before, m.mode())
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, entries)
	}
}

func TestCtrlCLeavesAConfirmationAndNothingIsDone(t *testing.T) {
	dir := newBase(t)
	code, _, stderr := finish(t, kbagent(t, dir, nil, "ask", "--thread", "ops", question))
	require.Zero(t, code, stderr)
	cmd := kbagent(t, dir, nil, "threads", "delete", "ops")
	m := onTerminal(t, cmd)
	m.expect("Delete ops? [y/N] ")
	_, err := io.WriteString(m.device, "\x03")
	require.NoError(t, err)
	m.expect("kbagent: interrupted")
	_ = cmd.Wait() // the exit code is looked at
	assert.Equal(t, exitError, cmd.ProcessState.ExitCode())
	_, stdout, _ := finish(t, kbagent(t, dir, nil, "threads"))
	assert.Contains(t, stdout, "ops")
}
