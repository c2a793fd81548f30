package repl

import (
	"context"
	"errors"
	"fmt"
	"io"

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
	e.shell.Prompt.Primary(func() string { return s.screen.paint(bold, ">") + " " })
	e.shell.Prompt.Secondary(func() string { return "  " })
	past, err := openHistory(s.cfg.HistoryFile)
	if err != nil {
		s.tell(fmt.Errorf("what was entered is forgotten at the end: %w", err))
	}
	e.shell.History.Add("what was entered", past)
	if err := e.shell.Config.Set("enable-bracketed-paste", true); err != nil {
		s.tell(fmt.Errorf("a pasted text of several lines is taken line by line: %w", err))
	}
	return e
}

// next edits one line. When ctx ends meanwhile, a Ctrl-C that nobody pressed wakes the editor, which has no other way.
func (e *editor) next(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	e.shell.Completer = func(line []rune, cursor int) readline.Completions {
		return e.session.completions(ctx, string(line[:cursor]))
	}
	woken := context.AfterFunc(ctx, func() {
		e.shell.Keys.Feed(true, '\x03')
		e.shell.Keys.RequestRefresh()
	})
	defer woken()
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
