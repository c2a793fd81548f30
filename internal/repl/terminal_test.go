//go:build unix

package repl

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// terminal is a program that runs on a terminal, and somebody in front of it.
type terminal struct {
	t       *testing.T
	program *exec.Cmd
	device  *os.File
	ended   chan struct{} // the program has closed the terminal

	mu      sync.Mutex
	screen  vt
	changed chan struct{} // closed when more was shown
}

// patience is how long the one in front waits for something to be shown. It ends tests that would hang; none measures it.
const patience = 30 * time.Second

// open starts the program that plays a scene.
func open(t *testing.T, scene string) *terminal {
	t.Helper()
	program := exec.Command(os.Args[0])
	program.Env = []string{childVariable + "=terminal " + scene, "TERM=xterm", "INPUTRC=/dev/null", "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + t.TempDir()}
	device, err := pty.StartWithSize(program, &pty.Winsize{Cols: vtWidth, Rows: vtHeight})
	require.NoError(t, err)
	term := &terminal{t: t, program: program, device: device, ended: make(chan struct{}), changed: make(chan struct{})}
	go term.watch()
	t.Cleanup(func() {
		_ = program.Process.Kill() // it has ended already when the test went well
		<-term.ended
		_ = program.Wait()
		_ = device.Close()
	})
	return term
}

// watch shows what the program writes and answers its questions for the cursor.
func (m *terminal) watch() {
	defer close(m.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := m.device.Read(buffer)
		m.mu.Lock()
		m.screen.write(string(buffer[:n]))
		for ; m.screen.queries > 0; m.screen.queries-- {
			fmt.Fprintf(m.device, "\x1b[%d;%dR", m.screen.row+1, m.screen.col+1)
		}
		close(m.changed)
		m.changed = make(chan struct{})
		m.mu.Unlock()
		if err != nil { // EIO when the program has ended
			return
		}
	}
}

// until waits for the screen to be as wanted and returns it.
func (m *terminal) until(what string, wanted func(screen string, atRest bool) bool) string {
	m.t.Helper()
	deadline := time.After(patience)
	for last := false; ; {
		m.mu.Lock()
		screen, atRest, changed := m.screen.text(), m.screen.atRest, m.changed
		m.mu.Unlock()
		if wanted(screen, atRest) {
			return screen
		}
		if last {
			m.t.Fatalf("the program ended before %s; the screen:\n%s", what, screen)
		}
		select {
		case <-changed:
		case <-m.ended:
			last = true
		case <-deadline:
			m.t.Fatalf("no %s; the screen:\n%s", what, screen)
		}
	}
}

func (m *terminal) expect(text string) string {
	m.t.Helper()
	return m.until(fmt.Sprintf("%q", text), func(screen string, _ bool) bool { return strings.Contains(screen, text) })
}

// prompt waits for an empty prompt in the last line.
func (m *terminal) prompt() string { return m.line(">") }

// line waits for the editor to rest with a last line. A key that is pressed earlier may get lost: the editor drops what
// comes together with the answer to its question for the cursor.
func (m *terminal) line(text string) string {
	m.t.Helper()
	return m.until("line "+text, func(screen string, atRest bool) bool {
		return atRest && strings.HasSuffix("\n"+screen, "\n"+text)
	})
}

func (m *terminal) press(keys string) {
	m.t.Helper()
	_, err := m.device.WriteString(keys)
	require.NoError(m.t, err)
}

// enter waits for the prompt, types a line and sees it, and enters it.
func (m *terminal) enter(line string) {
	m.t.Helper()
	m.prompt()
	m.press(line)
	m.line("> " + line)
	m.press("\r")
}

// leave presses Ctrl-D at the prompt and returns what the program was asked.
func (m *terminal) leave() string {
	m.t.Helper()
	m.prompt()
	m.press(ctrlD)
	return m.end()
}

// end waits for the end of the program and returns what it was asked.
func (m *terminal) end() string {
	m.t.Helper()
	m.expect(" DONE")
	<-m.ended
	m.mu.Lock()
	defer m.mu.Unlock()
	screen := m.screen.text()
	assert.NotContains(m.t, screen, "DATA RACE")
	_, told, _ := strings.Cut(strings.ReplaceAll(screen, "\n", ""), "END ")
	told, _, _ = strings.Cut(told, " DONE")
	return told
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	tab   = "\t"
	up    = "\x1b[A"
)

func TestOnATerminalAQuestionIsAnsweredWithItsSources(t *testing.T) {
	m := open(t, "")
	m.expect("kbagent test")
	m.enter("warned how?")
	m.expect("note: no model wrote this answer")
	screen := m.prompt()
	assert.Contains(t, screen, "> warned how?\nRotate it [1] before it expires [2].\n\n[1] guide/keys.md:L42-L43\n[2] faq.md:L7-L7\n\nnote: ")
	assert.Equal(t, 1, strings.Count(screen, "Rotate it"), "streamed, and not printed again")
	assert.NotContains(t, screen, "…", "no status line is left")
	assert.Equal(t, `<nil> ASKED "warned how?" on first`, m.leave())
}

func TestOnATerminalCtrlCDuringATurnCancelsOnlyThatTurn(t *testing.T) {
	m := open(t, "")
	m.enter("hang on")
	m.expect("searching…")
	m.press(ctrlC)
	m.expect("Cancelled. Ask the same question again to go on where it stopped.")
	assert.NotContains(t, m.prompt(), "searching…")
	m.enter("how?")
	m.expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "hang on" on first; "how?" on first`)
}

func TestOnATerminalCtrlCInTheMiddleOfAnAnswerLeavesItsBeginning(t *testing.T) {
	m := open(t, "")
	m.enter("stall please")
	m.expect("The beginning")
	m.press(ctrlC)
	m.expect("Cancelled.")
	screen := m.prompt()
	assert.Regexp(t, `The beginning(\^C)?\nCancelled\.`, screen)
	m.leave()
}

func TestOnATerminalAnErrorIsToldAndTheConversationGoesOn(t *testing.T) {
	m := open(t, "")
	m.enter("fail now")
	m.expect("error: the model at http://127.0.0.1:1 does not answer")
	m.enter("how?")
	m.expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), "<nil> ASKED", "errors were told already")
}

func TestOnATerminalCtrlCAtThePromptClearsTheLine(t *testing.T) {
	m := open(t, "")
	m.prompt()
	m.press("never mind")
	m.line("> never mind")
	m.press(ctrlC)
	m.expect("(/quit or Ctrl-D leaves)")
	m.enter("how?")
	m.expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "how?" on first`)
}

func TestOnATerminalWhyTellsThePath(t *testing.T) {
	m := open(t, "")
	m.enter("how?")
	m.enter("/why")
	screen := m.expect("answer      ANSWERED")
	assert.Contains(t, screen, "│       █████████░ 0.90  guide/keys.md:L40-L44")
	m.enter("/why words")
	m.expect("Path: analyze_and_route → plan")
	m.leave()
}

func TestOnATerminalTabCompletesCommandsModesAndThreads(t *testing.T) {
	m := open(t, "")
	m.prompt()
	m.press("/mod" + tab)
	m.expect("/model  -- ") // /mode is the start of both
	m.press(" str" + tab)
	m.line("> /mode strict")
	m.press("\r")
	m.expect("Mode: strict")
	m.prompt()
	m.press("/thread yes" + tab)
	m.line("> /thread yesterday")
	m.press("\r")
	m.expect("New thread yesterday.")
	m.enter("how?")
	assert.Contains(t, m.leave(), `ASKED "how?" on yesterday strict`)
}

func TestOnATerminalTabShowsWhatThereIs(t *testing.T) {
	m := open(t, "")
	m.prompt()
	m.press("/" + tab)
	screen := m.until("menu", func(screen string, atRest bool) bool {
		return atRest && strings.Contains(screen, "more completion rows")
	})
	for _, c := range commands()[:vtHeight-6] {
		assert.Contains(t, screen, c.name+" ")
		assert.Contains(t, screen, c.does)
	}
	m.press("why" + "\r")
	m.expect("No question was asked on this thread yet.")
	m.leave()
}

func TestOnATerminalAPastedTextOfSeveralLinesIsOneQuestion(t *testing.T) {
	m := open(t, "")
	m.prompt()
	m.press("\x1b[200~first line\r/second line\rthird line\x1b[201~")
	m.line("  third line")
	m.press("\r")
	m.expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "first line\n/second line\nthird line" on first`)
}

func TestOnATerminalTheHistoryComesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "history")
	first := open(t, "history="+file)
	first.enter("how long?")
	first.expect("[2] faq.md:L7-L7")
	first.leave()

	second := open(t, "history="+file)
	second.prompt()
	second.press(up)
	second.line("> how long?")
	second.press("\r")
	second.expect("[2] faq.md:L7-L7")
	assert.Contains(t, second.leave(), `ASKED "how long?" on first`)
}

func TestOnATerminalWhatIsVoidDoesNotStayOnTheScreen(t *testing.T) {
	m := open(t, "")
	m.enter("restart it")
	m.expect("[2] faq.md:L7-L7")
	m.enter("corrected it")
	m.expect("I could not find an answer")
	screen := m.prompt()
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
			m.enter("warned how?")
			m.enter("/sources 1")
			m.expect("> 42")
			m.prompt()
			m.press("\x1b[200~one\rtwo\x1b[201~")
			m.line("  two")
			m.press("\r")
			m.leave()
			m.mu.Lock()
			defer m.mu.Unlock()
			assert.Equal(t, want, m.screen.colored)
		})
	}
}

func TestOnATerminalTheEndOfTheContextEndsTheConversation(t *testing.T) {
	for name, begin := range map[string]func(*terminal){
		"at the prompt":   func(m *terminal) { m.prompt() },
		"in a line":       func(m *terminal) { m.prompt(); m.press("half a qu"); m.line("> half a qu") },
		"in a menu":       func(m *terminal) { m.prompt(); m.press("/" + tab); m.expect("/why      -- ") },
		"in a question":   func(m *terminal) { m.enter("hang on"); m.expect("searching…") },
		"while searching": func(m *terminal) { m.prompt(); m.press("\x12"); m.expect("what was entered") },
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, "")
			begin(m)
			require.NoError(t, m.program.Process.Signal(syscall.SIGTERM))
			assert.Contains(t, m.end(), "terminated", "the cause")
		})
	}
}

func TestOnATerminalQuitLeaves(t *testing.T) {
	m := open(t, "")
	m.enter("/new")
	m.expect("New thread second.")
	m.enter("/quit")
	assert.Contains(t, m.end(), "<nil> ASKED")
}
