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
	e.shell.Prompt.Secondary(func() string { return "  " })
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
		return e.session.completions(ctx, string(line[:cursor]))
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
