//go:build unix

package termtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Keys, as a terminal sends them.
const (
	CtrlC = "\x03"
	CtrlD = "\x04"
	CtrlR = "\x12"
	Tab   = "\t"
	Up    = "\x1b[A"
	Enter = "\r"
)

// Patience is how long the one in front of a terminal waits for something to be shown. It ends tests that would hang; none
// measures it.
const Patience = 60 * time.Second

// Terminal is a program that runs on a terminal, and somebody in front of it.
type Terminal struct {
	Program *exec.Cmd

	t      testing.TB
	device *os.File
	ended  chan struct{} // the program has closed the terminal

	mu      sync.Mutex
	screen  *Screen
	changed chan struct{} // closed when more was shown
}

// Start starts a program on a terminal of a size, which ends with the test. The program's streams are the terminal.
func Start(t testing.TB, program *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	device, err := pty.StartWithSize(program, size(width, height))
	if err != nil {
		t.Fatalf("start on a terminal: %v", err)
	}
	m := &Terminal{
		Program: program, t: t, device: device, ended: make(chan struct{}), changed: make(chan struct{}), screen: NewScreen(width, height),
	}
	go m.watch()
	t.Cleanup(func() {
		_ = program.Process.Kill() // it has ended already when the test went well
		<-m.ended
		_ = program.Wait()
		_ = device.Close()
	})
	return m
}

func size(width, height int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
}

// Resize changes the size of the terminal and tells the program. An editor that waits for keys writes its line anew then:
// [Terminal.Line] waits for that.
func (m *Terminal) Resize(width, height int) {
	m.t.Helper()
	m.mu.Lock()
	m.screen.Resize(width, height)
	m.screen.AtRest = false
	m.mu.Unlock()
	if err := pty.Setsize(m.device, size(width, height)); err != nil {
		m.t.Fatalf("resize the terminal: %v", err)
	}
}

// watch shows what the program writes and answers its questions for the cursor.
func (m *Terminal) watch() {
	defer close(m.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := m.device.Read(buffer)
		m.mu.Lock()
		m.screen.Write(string(buffer[:n]))
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

// Until waits for the screen to be as wanted and returns it. It fails the test when the program ends before, or after
// [Patience].
func (m *Terminal) Until(what string, wanted func(screen string, atRest bool) bool) string {
	m.t.Helper()
	deadline := time.After(Patience)
	for last := false; ; {
		m.mu.Lock()
		screen, atRest, changed := m.screen.Text(), m.screen.AtRest, m.changed
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

// Expect waits for a text on the screen, and returns all of it.
func (m *Terminal) Expect(text string) string {
	m.t.Helper()
	return m.Until(fmt.Sprintf("%q", text), func(screen string, _ bool) bool { return strings.Contains(screen, text) })
}

// Line waits for the editor to rest with a last line. A key that is pressed earlier may get lost: the editor drops what
// comes together with the answer to its question for the cursor.
func (m *Terminal) Line(text string) string {
	m.t.Helper()
	return m.Until("line "+text, func(screen string, atRest bool) bool {
		return atRest && strings.HasSuffix("\n"+screen, "\n"+text)
	})
}

// Prompt waits for an empty prompt in the last line.
func (m *Terminal) Prompt() string {
	m.t.Helper()
	return m.Line(">")
}

// Press sends keys.
func (m *Terminal) Press(keys string) {
	m.t.Helper()
	if _, err := m.device.WriteString(keys); err != nil {
		m.t.Fatalf("press keys: %v", err)
	}
}

// Enter waits for the prompt, types a line and sees it, and enters it. A line of which the editor has lost a part is typed
// again.
func (m *Terminal) Enter(line string) {
	m.t.Helper()
	m.Prompt()
	for range Patience / lost {
		m.Press(line)
		if m.comes("> "+line, lost) {
			m.Press(Enter)
			return
		}
		m.Press(clearLine)
		m.Prompt()
	}
	m.t.Fatalf("the line %q does not get to the editor; the screen:\n%s", line, m.Text())
}

// lost is the time after which keys that are not seen are given up.
const lost = 5 * time.Second

// clearLine is what empties the line: Ctrl-U.
const clearLine = "\x15"

// comes waits for the editor to rest with a last line, and says whether it did.
func (m *Terminal) comes(line string, patience time.Duration) bool {
	deadline := time.After(patience)
	for {
		m.mu.Lock()
		screen, atRest, changed := m.screen.Text(), m.screen.AtRest, m.changed
		m.mu.Unlock()
		if atRest && strings.HasSuffix("\n"+screen, "\n"+line) {
			return true
		}
		select {
		case <-changed:
		case <-m.ended:
			return false
		case <-deadline:
			return false
		}
	}
}

// End waits for the end of the program and returns what the screen shows then.
func (m *Terminal) End() string {
	m.t.Helper()
	select {
	case <-m.ended:
	case <-time.After(Patience):
		m.t.Fatalf("the program does not end; the screen:\n%s", m.Text())
	}
	return m.Text()
}

// Text is what the screen shows now, with what has scrolled away.
func (m *Terminal) Text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.screen.Text()
}

// Row is the row of the cursor, from 0 at the top of the screen.
func (m *Terminal) Row() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.screen.row
}

// Colored says whether colours were used so far.
func (m *Terminal) Colored() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.screen.Colored
}
