//go:build unix

package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/termtest"
)

// terminal is a conversation on a terminal, and somebody in front of it.
type terminal struct {
	*termtest.Terminal
	t *testing.T
}

// open starts the program that plays a scene.
func open(t *testing.T, scene string) terminal {
	t.Helper()
	program := exec.Command(os.Args[0])
	program.Env = []string{childVariable + "=terminal " + scene, "TERM=xterm", "INPUTRC=/dev/null", "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + t.TempDir()}
	return terminal{termtest.Start(t, program, vtWidth, vtHeight), t}
}

// leave presses Ctrl-D at the prompt and returns what the program was asked.
func (m terminal) leave() string {
	m.t.Helper()
	m.Prompt()
	m.Press(termtest.CtrlD)
	return m.end()
}

// end waits for the end of the program and returns what it was asked.
func (m terminal) end() string {
	m.t.Helper()
	screen := m.End()
	assert.NotContains(m.t, screen, "DATA RACE")
	_, told, _ := strings.Cut(strings.ReplaceAll(screen, "\n", ""), "END ")
	told, _, done := strings.Cut(told, " DONE")
	require.True(m.t, done, "the program did not end by itself:\n%s", screen)
	return told
}

func TestOnATerminalAQuestionIsAnsweredWithItsSources(t *testing.T) {
	m := open(t, "")
	m.Expect("kbagent test")
	m.Enter("warned how?")
	m.Expect("note: no model wrote this answer")
	screen := m.Prompt()
	assert.Contains(t, screen, "> warned how?\nRotate it [1] before it expires [2].\n\n[1] guide/keys.md:L42-L43\n[2] faq.md:L7-L7\n\nnote: ")
	assert.Equal(t, 1, strings.Count(screen, "Rotate it"), "streamed, and not printed again")
	assert.NotContains(t, screen, "…", "no status line is left")
	assert.Equal(t, `<nil> ASKED "warned how?" on first`, m.leave())
}

func TestOnATerminalCtrlCDuringATurnCancelsOnlyThatTurn(t *testing.T) {
	m := open(t, "")
	m.Enter("hang on")
	m.Expect("searching…")
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled. Ask the same question again to go on where it stopped.")
	assert.NotContains(t, m.Prompt(), "searching…")
	m.Enter("how?")
	m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "hang on" on first; "how?" on first`)
}

func TestOnATerminalCtrlCInTheMiddleOfAnAnswerLeavesItsBeginning(t *testing.T) {
	m := open(t, "")
	m.Enter("stall please")
	m.Expect("The beginning")
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled.")
	screen := m.Prompt()
	assert.Regexp(t, `The beginning(\^C)?\nCancelled\.`, screen)
	m.leave()
}

func TestOnATerminalAnErrorIsToldAndTheConversationGoesOn(t *testing.T) {
	m := open(t, "")
	m.Enter("fail now")
	m.Expect("error: the model at http://127.0.0.1:1 does not answer")
	m.Enter("how?")
	m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), "<nil> ASKED", "errors were told already")
}

func TestOnATerminalCtrlCAtThePromptClearsTheLine(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("never mind")
	m.Line("> never mind")
	m.Press(termtest.CtrlC)
	m.Expect("(/quit or Ctrl-D leaves)")
	m.Enter("how?")
	m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "how?" on first`)
}

func TestOnATerminalWhyTellsThePath(t *testing.T) {
	m := open(t, "")
	m.Enter("how?")
	m.Enter("/why")
	screen := m.Expect("answer      ANSWERED")
	assert.Contains(t, screen, "│       █████████░ 0.90  guide/keys.md:L40-L44")
	m.Enter("/why words")
	m.Expect("Path: analyze_and_route → plan")
	m.leave()
}

func TestOnATerminalTabCompletesCommandsModesAndThreads(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("/mod" + termtest.Tab)
	m.Expect("/model  -- ") // /mode is the start of both
	m.Press(" str" + termtest.Tab)
	m.Line("> /mode strict")
	m.Press("\r")
	m.Expect("Mode: strict")
	m.Prompt()
	m.Press("/thread yes" + termtest.Tab)
	m.Line("> /thread yesterday")
	m.Press("\r")
	m.Expect("New thread yesterday.")
	m.Enter("how?")
	assert.Contains(t, m.leave(), `ASKED "how?" on yesterday strict`)
}

func TestOnATerminalTabShowsWhatThereIs(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("/" + termtest.Tab)
	screen := m.Until("menu", func(screen string, atRest bool) bool {
		return atRest && strings.Contains(screen, "more completion rows")
	})
	for _, c := range commands()[:vtHeight-6] {
		assert.Contains(t, screen, c.name+" ")
		assert.Contains(t, screen, c.does)
	}
	m.Press("why" + "\r")
	m.Expect("No question was asked on this thread yet.")
	m.leave()
}

func TestOnATerminalAPastedTextOfSeveralLinesIsOneQuestion(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("\x1b[200~first line\r/second line\rthird line\x1b[201~")
	m.Line("  third line")
	m.Press("\r")
	m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "first line\n/second line\nthird line" on first`)
}

func TestOnATerminalTheHistoryComesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "history")
	first := open(t, "history="+file)
	first.Enter("how long?")
	first.Expect("[2] faq.md:L7-L7")
	first.leave()

	second := open(t, "history="+file)
	second.Prompt()
	second.Press(termtest.Up)
	second.Line("> how long?")
	second.Press("\r")
	second.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, second.leave(), `ASKED "how long?" on first`)
}

func TestOnATerminalWhatIsVoidDoesNotStayOnTheScreen(t *testing.T) {
	m := open(t, "")
	m.Enter("restart it")
	m.Expect("[2] faq.md:L7-L7")
	m.Enter("corrected it")
	m.Expect("I could not find an answer")
	screen := m.Prompt()
	assert.NotContains(t, screen, "VOID")
	assert.NotContains(t, screen, "REMOVED")
	assert.Contains(t, screen, "> restart it\n(the model failed in the middle")
	assert.Contains(t, screen, "> corrected it\nI could not find an answer")
	m.leave()
}

func TestOnATerminalThereAreColoursUnlessNobodyWantsThem(t *testing.T) {
	for scene, want := range map[string]bool{"": true, "plain": false} {
		t.Run("scene "+scene, func(t *testing.T) {
			m := open(t, scene)
			m.Enter("warned how?")
			m.Enter("/sources 1")
			m.Expect("> 42")
			m.Prompt()
			m.Press("\x1b[200~one\rtwo\x1b[201~")
			m.Line("  two")
			m.Press("\r")
			m.leave()
			assert.Equal(t, want, m.Colored())
		})
	}
}

func TestOnATerminalTheEndOfTheContextEndsTheConversation(t *testing.T) {
	for name, begin := range map[string]func(terminal){
		"at the prompt":   func(m terminal) { m.Prompt() },
		"in a line":       func(m terminal) { m.Prompt(); m.Press("half a qu"); m.Line("> half a qu") },
		"in a menu":       func(m terminal) { m.Prompt(); m.Press("/" + termtest.Tab); m.Expect("/why      -- ") },
		"in a question":   func(m terminal) { m.Enter("hang on"); m.Expect("searching…") },
		"while searching": func(m terminal) { m.Prompt(); m.Press("\x12"); m.Expect("what was entered") },
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, "")
			begin(m)
			require.NoError(t, m.Program.Process.Signal(syscall.SIGTERM))
			assert.Contains(t, m.end(), "terminated", "the cause")
		})
	}
}

func TestOnATerminalQuitLeaves(t *testing.T) {
	m := open(t, "")
	m.Enter("/new")
	m.Expect("New thread second.")
	m.Enter("/quit")
	assert.Contains(t, m.end(), "<nil> ASKED")
}
