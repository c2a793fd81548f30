package repl

import (
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
	links bool // the terminal opens hyperlinks
	words bool // somebody listens: words take the place of symbols
	raw   bool // no terminal: Markdown stays as it is
	aloud bool // somebody listens and waits: what is going on is told in lines that stay
	size  func() (width, height int)

	mu       sync.Mutex
	out      io.Writer
	err      error  // the first of writing; nothing is written behind it
	wrote    bool   // anything
	gap      bool   // an empty line is due before the next text
	standing bool   // a status line is on the screen
	told     string // the last status that was told in a line of its own
	answer   growing
}

func newScreen(cfg Config) *screen {
	live := cfg.Interactive && !cfg.Plain
	return &screen{
		live: live, color: live && !cfg.NoColor, links: live && cfg.Links, words: cfg.Plain, raw: !cfg.Interactive && !cfg.Plain,
		aloud: cfg.Interactive && cfg.Plain,
		out:   cfg.Out, size: terminalSize(cfg.Out),
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
	if !s.color {
		return text
	}
	return styled(text, color)
}

// paragraph puts an empty line between what was printed and what will be; on a terminal the prompt stands there.
func (s *screen) paragraph() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gap = s.wrote && !s.live && !s.aloud
}

// println prints text, which has been cleaned, and a line feed.
func (s *screen) println(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	s.write(text + "\n")
}

// prose prints a clean line in a style; a terminal gets it broken at words.
func (s *screen) prose(line, style string) {
	width := 0
	if s.live {
		width, _ = s.size()
	}
	for _, part := range wrap([]span{{line, style}}, width) {
		s.println(markdown{color: s.color}.paint(part))
	}
}

// status shows in one line what is going on, until something is printed. An answer that grows is not disturbed.
func (s *screen) status(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aloud {
		s.tellStatus(cleanLine(text))
	}
	if !s.live || s.answer.streamed != "" {
		return
	}
	width, _ := s.size()
	s.write(eraseLine + s.paint(dim, cut(cleanLine(text), width-1)))
	s.standing = true
}

// tellStatus says what is going on, once.
func (s *screen) tellStatus(text string) {
	if text = strings.TrimRight(text, "…"); text != s.told && text != "" {
		s.told = text
		_, size := utf8.DecodeRuneInString(text)
		s.write(strings.ToUpper(text[:size]) + text[size:] + ".\n")
	}
}

// prompt asks for a line where the terminal edits it.
func (s *screen) prompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = ""
	s.write("Question: ")
}

// settle leaves the cursor in the first column behind whatever is on the screen.
func (s *screen) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	if s.answer.streamed != "" {
		s.write("\n")
	}
	s.answer = growing{}
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
