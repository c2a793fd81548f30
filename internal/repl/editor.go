package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/reeflective/readline"
)

// editor is the line editor on a terminal. It reads os.Stdin and writes os.Stdout.
type editor struct {
	session *session
	shell   *readline.Shell
}

// newEditor makes the editor with its history. A history that cannot be read is told and the lines are kept in memory.
func newEditor(s *session) *editor {
	e := &editor{session: s, shell: readline.NewShell()}
	e.shell.Prompt.Secondary(func() string { return "  " })
	e.shell.AcceptMultiline = func(line []rune) bool { return len(line) == 0 || line[len(line)-1] != '\\' }
	past, err := openHistory(s.cfg.HistoryFile)
	if err != nil {
		s.tell(fmt.Errorf("what was entered is forgotten at the end: %w", err))
	}
	e.shell.History.Add("what was entered", past)
	if err := e.configure(); err != nil {
		s.tell(fmt.Errorf("set the line editor up: %w", err))
	}
	return e
}

// configure makes the editor take a pasted text as a whole and show what Tab can complete. The person's inputrc has
// been read before; a Tab that it binds to something else stays so.
func (e *editor) configure() error {
	config := e.shell.Config
	for _, keys := range []string{"emacs", "vi-insert"} {
		if config.Binds[keys]["\t"].Action == "complete" {
			if err := config.Bind(keys, "\t", "menu-complete", false); err != nil {
				return err
			}
		}
	}
	return errors.Join(config.Set("enable-bracketed-paste", true), config.Set("menu-complete-display-prefix", true))
}

// next edits one line.
//
// The editor waits for keys and for nothing else. When ctx ends, it is asked to draw its line again, and while it draws
// the prompt, on this goroutine, it gets Ctrl-C that nobody pressed; one by one, since each may only close a menu.
func (e *editor) next(ctx context.Context) (string, error) {
	e.shell.Prompt.Primary(func() string {
		if ctx.Err() != nil && e.shell.Keys.Empty() {
			e.shell.Keys.Feed(true, '\x03')
		}
		return e.session.screen.paint(bold, ">") + " "
	})
	e.shell.Completer = func(line []rune, cursor int) readline.Completions {
		return e.complete(ctx, line, cursor)
	}
	if draft := e.session.draft; draft != "" {
		e.session.draft, e.session.editing = "", true
		e.prefill(draft)
	}
	defer context.AfterFunc(ctx, e.shell.Keys.RequestRefresh)()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	line, err := e.shell.Readline()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, readline.ErrInterrupt):
		return "", ErrInterrupted
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("read the terminal: %w", err)
	default:
		return line, err
	}
}

// complete is what Tab offers at the cursor. The editor keeps only what starts with the word that was typed; so where the
// letters stand in another place, what all offers have in common takes the place of that word first.
func (e *editor) complete(ctx context.Context, line []rune, cursor int) readline.Completions {
	word, offers, err := e.session.candidates(ctx, string(line[:cursor]))
	if err != nil {
		return readline.CompleteMessage("%s", sentence(err))
	}
	if common := commonStart(offers); len(offers) > 0 && !strings.HasPrefix(offers[0].value, word) {
		at := cursor - len([]rune(word))
		changed := slices.Concat(line[:at], []rune(common), line[cursor:])
		e.shell.Line().Set(changed...)
		e.shell.Cursor().Set(at + len([]rune(common)))
		word = common
	}
	var values []string
	for _, o := range offers {
		values = append(values, o.value, o.description)
	}
	list := readline.CompleteValuesDescribed(values...).NoSort().NoSpace('=', os.PathSeparator)
	list.PREFIX = word
	return list
}

// commonStart is what all values start with.
func commonStart(offers []candidate) string {
	if len(offers) == 0 {
		return ""
	}
	common := []rune(offers[0].value)
	for _, o := range offers[1:] {
		n := 0
		for _, r := range o.value {
			if n == len(common) || common[n] != r {
				break
			}
			n++
		}
		common = common[:n]
	}
	return string(common)
}

// prefill puts a text on the line that is edited next, as if it was pasted: so it may have several lines.
func (e *editor) prefill(text string) {
	text = strings.ReplaceAll(clean(text), "\n", "\r") // a text that is clean cannot end the paste
	e.shell.Keys.Feed(false, []rune("\x1b[200~"+text+"\x1b[201~")...)
}
