package repl

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Colours, as parameters of SGR.
const (
	bold = "1"
	dim  = "2"
	red  = "31"
	cyan = "36"
)

// Cursor control, used on a terminal only.
const (
	eraseLine  = "\r\x1b[K" // go to the first column and erase the row
	eraseBelow = "\x1b[J"   // erase from the cursor to the end of the screen
)

// screen writes the conversation. On a terminal it keeps one status line while nothing else is printed, and knows the
// part of an answer that is on it already. It is safe for concurrent use.
type screen struct {
	live  bool // a terminal: cursor control works, answers are streamed
	color bool
	size  func() (width, height int)

	mu       sync.Mutex
	out      io.Writer
	err      error  // the first of writing; nothing is written behind it
	wrote    bool   // anything
	gap      bool   // an empty line is due before the next text
	standing bool   // a status line is on the screen
	streamed string // the part of the answer that is on the screen, cleaned
	rest     string // the bytes of a character whose end has not come yet
}

func newScreen(cfg Config) *screen {
	return &screen{
		live: cfg.Interactive, color: cfg.Interactive && !cfg.NoColor, out: cfg.Out, size: terminalSize(cfg.Out),
	}
}

// terminalSize asks the terminal each time: its window may change.
func terminalSize(out io.Writer) func() (width, height int) {
	return func() (int, int) {
		if f, ok := out.(*os.File); ok {
			if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
				return w, h
			}
		}
		return 80, 24
	}
}

// paint is text in a colour, where there are colours.
func (s *screen) paint(color, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// paragraph puts an empty line between what was printed and what will be; on a terminal the prompt stands there.
func (s *screen) paragraph() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gap = s.wrote && !s.live
}

// println prints text, which has been cleaned, and a line feed.
func (s *screen) println(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	s.write(text + "\n")
}

// status shows in one line what is going on, until something is printed. An answer that grows is not disturbed.
func (s *screen) status(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live || s.streamed != "" {
		return
	}
	width, _ := s.size()
	s.write(eraseLine + s.paint(dim, cut(cleanLine(text), width-1)))
	s.standing = true
}

// token prints the next piece of an answer. Without a terminal only whole answers are printed.
func (s *screen) token(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live {
		return
	}
	piece = s.whole(s.rest + piece)
	if piece = clean(piece); piece == "" {
		return
	}
	s.clearStatus()
	s.streamed += piece
	s.write(piece)
}

// whole keeps back a character at the end whose last bytes are still to come.
func (s *screen) whole(text string) string {
	s.rest = ""
	for i := len(text) - 1; i >= 0 && len(text)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				text, s.rest = text[:i], text[i:]
			}
			break
		}
	}
	return text
}

// restart says that what was streamed is void and takes it off the screen, as far as the screen reaches.
func (s *screen) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streamed == "" {
		return
	}
	s.erase()
	s.write(s.paint(dim, "(the model failed in the middle of its answer, which is void; another one follows)") + "\n")
}

// finish prints the answer as it is in the end, as far as it is not on the screen yet.
func (s *screen) finish(answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	answer = strings.TrimSpace(clean(answer))
	shown := strings.TrimSpace(s.streamed)
	more, grown := strings.CutPrefix(answer, shown)
	switch {
	case s.streamed == "":
		s.write(answer + "\n")
	case grown:
		s.write(more + "\n")
	default: // checking its citations has changed the answer
		if !s.erase() {
			s.write(s.paint(dim, "(this answer did not stand its check; what follows takes its place)") + "\n")
		}
		s.write(answer + "\n")
	}
	s.streamed, s.rest = "", ""
}

// settle leaves the cursor in the first column behind whatever is on the screen.
func (s *screen) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	if s.streamed != "" {
		s.write("\n")
	}
	s.streamed, s.rest = "", ""
}

// erase takes the streamed part of an answer off the screen. It returns false, and starts a new line, when the part
// is too long for that: what has scrolled away cannot be erased.
func (s *screen) erase() bool {
	width, height := s.size()
	n := rows(s.streamed, width)
	s.streamed, s.rest = "", ""
	switch {
	case n >= height:
		s.write("\n")
		return false
	case n > 1:
		s.write(fmt.Sprintf("\r\x1b[%dA%s", n-1, eraseBelow))
	default:
		s.write("\r" + eraseBelow)
	}
	return true
}

// fail ends all writing with an error that another writer of the conversation met.
func (s *screen) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// failure is the error that ended all writing, or nil.
func (s *screen) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *screen) clearStatus() {
	if s.standing {
		s.write(eraseLine)
		s.standing = false
	}
}

func (s *screen) write(text string) {
	if s.gap {
		text = "\n" + text
	}
	s.wrote, s.gap = true, false
	if s.err == nil {
		_, s.err = io.WriteString(s.out, text)
	}
}
