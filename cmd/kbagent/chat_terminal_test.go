//go:build unix

package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/internal/termtest"
)

// chatting is a chat with a model on a terminal of 80 columns.
func chatting(t *testing.T, dir string, server *llmtest.Server, env ...string) *termtest.Terminal {
	cmd := kbagent(t, dir, server, "chat", "--thread", "t")
	return termtest.Start(t, onScreen(cmd, env...), 80, 24)
}

// onScreen is a program whose streams are the terminal's.
func onScreen(cmd *exec.Cmd, env ...string) *exec.Cmd {
	cmd.Stdout, cmd.Stderr = nil, nil
	cmd.Env = append(append(cmd.Env, "TERM=xterm", "INPUTRC=/dev/null", "GORACE=atexit_sleep_ms=0"), env...)
	return cmd
}

// Ctrl-C while each node waits for its server stops that turn only: the prompt is back, the same question goes on behind
// the last node that was committed, and the conversation ends well.
func TestCtrlCDuringEachNodeStopsThatTurnOnly(t *testing.T) {
	answer := llmtest.Text("Old logs are kept for seven days [1].")
	whole := []llmtest.Reply{routed, planned, graded, answer, held}
	for at, node := range []struct{ name, doing string }{
		{"analyze_and_route", "understanding the question…"}, {"plan", "planning the search…"}, {"grade_evidence", "judging 3 passages…"},
		{"synthesize", "writing the answer…"}, {"verify_answer", "verify answer…"},
	} {
		t.Run(node.name, func(t *testing.T) {
			dir, server := newBase(t), llmtest.NewServer(t)
			gate := llmtest.NewGate()
			server.Reply(append(append([]llmtest.Reply{}, whole[:at]...), llmtest.Slow(gate, whole[at]))...)
			m := chatting(t, dir, server)
			m.Enter(question)
			<-gate.Arrived()
			if node.name != "verify_answer" { // the answer stands on the screen then, and no status line
				m.Expect(node.doing)
			}
			m.Press(termtest.CtrlC)
			m.Expect("Cancelled. Ask the same question again to go on where it stopped.")
			assert.NotContains(t, m.Prompt(), node.doing)

			server.Reply(whole[at:]...)
			m.Enter(question)
			m.Expect("note: an unfinished run of this question was resumed")
			assert.Contains(t, m.Prompt(), "Old logs are kept for seven days [1].\n\n[1] logs.md:L3-L3")
			assert.Len(t, server.Requests(), len(whole)+1, "no node that was committed asks again")
			m.Press(termtest.CtrlD)
			m.End()
			assert.Equal(t, exitOK, exitOf(t, m))
		})
	}
}

func TestCtrlCWhileASearchWaitsForItsEmbeddingStopsThatTurnOnly(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	embedding := []string{"KB_AGENT_EMBEDDING_BASE_URL=" + server.URL, "KB_AGENT_EMBEDDING_MODEL=embed"}
	index := kbagent(t, dir, nil, "index", "-q", "kb")
	index.Env = append(index.Env, embedding...)
	code, _, stderr := finish(t, index)
	require.Zero(t, code, stderr)

	gate := llmtest.NewGate()
	server.ReplyEmbeddings(llmtest.Slow(gate, llmtest.Status(500, "")))
	m := chatting(t, dir, nil, embedding...)
	m.Enter(question)
	<-gate.Arrived()
	m.Expect("searching…")
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled.")
	m.Enter(question)
	m.Expect("note: an unfinished run of this question was resumed")
	assert.Contains(t, m.Prompt(), "seven days")
	m.Press(termtest.CtrlD)
	m.End()
	assert.Equal(t, exitOK, exitOf(t, m))
}

func TestCtrlCInTheMiddleOfAnAnswerLeavesItsBeginningAndThePrompt(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	gate := llmtest.NewGate()
	server.Reply(routed, planned, graded, llmtest.Stall(gate, "Old logs are kept ", "for seven days [1]."))
	m := chatting(t, dir, server)
	m.Enter(question)
	<-gate.Arrived()
	m.Expect("Old logs are kept")
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled.")
	m.Prompt()
	m.Press(termtest.CtrlD)
	m.End()
	assert.Equal(t, exitOK, exitOf(t, m))
}

// exitOf is the exit code of a program that has ended.
func exitOf(t *testing.T, m *termtest.Terminal) int {
	t.Helper()
	err := m.Program.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return exitOK
}

func TestTheChatOpensPlacesTheWayTheTerminalDoes(t *testing.T) {
	for name, c := range map[string]struct {
		env  string
		link bool
	}{"kitty": {"TERM=xterm-kitty", true}, "one that nobody knows": {"TERM=xterm", false}, "tmux around one that does": {"TERM=tmux-256color", false}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TERM", strings.TrimPrefix(c.env, "TERM="))
			for _, other := range []string{"TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION"} {
				t.Setenv(other, "")
			}
			assert.Equal(t, c.link, opensLinks())
			if c.env == "TERM=xterm" {
				t.Setenv("VTE_VERSION", "6800")
				assert.True(t, opensLinks(), "GNOME's")
				t.Setenv("VTE_VERSION", "")
				t.Setenv("TERM_PROGRAM", "iTerm.app")
				assert.True(t, opensLinks())
			}
		})
	}
}

func TestADumbTerminalIsSpokenTo(t *testing.T) {
	m := termtest.Start(t, onScreen(kbagent(t, newBase(t), nil, "chat"), "TERM=dumb"), 80, 24)
	m.Expect("Question:")
	m.Press(question + "\n")
	m.Expect("Source 1: logs.md, line 3.")
	m.Press(termtest.CtrlD)
	assert.NotContains(t, m.End(), "searching…")
}
