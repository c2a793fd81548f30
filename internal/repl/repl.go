package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/state"
)

var (
	// ErrFailed reports that questions or commands failed in a conversation without a terminal. Each has been told on
	// Config.Err already.
	ErrFailed = errors.New("not everything worked")
	// ErrInterrupted reports that Ctrl-C ended a conversation without a terminal.
	ErrInterrupted = errors.New("interrupted")

	errQuit = errors.New("quit")
)

// Run holds the conversation until its input ends or somebody quits, and returns nil then. An empty line is nothing, a
// line that starts with / is a command, and anything else is a question.
//
// On a terminal errors are told and the conversation goes on. Without one they are told on Config.Err, the next line
// goes on, and the end is ErrFailed; Ctrl-C ends it with ErrInterrupted, also while it waits for a line. Run returns
// the cause of ctx when it ends, and the error of an input or output that no longer works.
//
// Without a terminal, one goroutine that reads Config.In stays behind when Run returns before the input has ended; it
// ends with the next line.
func Run(ctx context.Context, cfg Config) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(cfg)
	in := s.input(ctx)
	s.greet()
	err = s.converse(ctx, in)
	if broken := s.screen.failure(); broken != nil {
		return fmt.Errorf("write the conversation: %w", broken)
	}
	return err
}

// session is a conversation that is going on.
type session struct {
	cfg    Config
	screen *screen
	thread string
	mode   state.AnswerMode // "" = the agent's
	cited  []int            // numbers of the last answer's sources, for completion
	lines  int              // questions and commands so far
	failed int              // of them

	draft    string           // what the next line starts with; it is asked in place of the last question
	editing  bool             // the line that is being edited does
	replaced state.AgentState // the answer that /retry or /edit has replaced last, on this thread
	tally    tally
}

func newSession(cfg Config) *session {
	return &session{cfg: cfg, screen: newScreen(cfg), thread: cfg.Thread, mode: cfg.Mode}
}

// greet shows the banner; without a terminal there is nobody to greet.
func (s *session) greet() {
	if !s.cfg.Interactive || len(s.cfg.Banner) == 0 {
		return
	}
	for _, line := range s.cfg.Banner {
		s.screen.prose(cleanLine(line), "")
	}
	s.screen.println("")
}

// converse takes line by line until the end.
func (s *session) converse(ctx context.Context, in lineSource) error {
	for s.screen.failure() == nil {
		line, err := in.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return s.end()
		case errors.Is(err, ErrInterrupted) && s.cfg.Interactive:
			s.editing = false
			s.screen.println(s.screen.paint(dim, "(/quit or Ctrl-D leaves)"))
			continue
		case err != nil:
			return err
		}
		err = s.take(ctx, line)
		switch {
		case errors.Is(err, errQuit):
			return s.end()
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrInterrupted) && !s.cfg.Interactive:
			return err
		case err != nil:
			s.tell(err)
		}
	}
	return nil // Run returns the failure of the screen
}

// end is what a conversation without a terminal comes to.
func (s *session) end() error {
	if s.failed > 0 && !s.cfg.Interactive {
		return fmt.Errorf("%w: %d of %d lines failed", ErrFailed, s.failed, s.lines)
	}
	return nil
}

// take works on one line.
func (s *session) take(ctx context.Context, line string) error {
	text := strings.TrimSpace(line)
	if text == "" {
		s.editing = false
		return nil
	}
	s.lines++
	s.screen.paragraph()
	editing := s.editing
	s.editing = false
	return s.interruptible(ctx, func(ctx context.Context) error {
		switch {
		case isCommand(line):
			return s.command(ctx, text)
		case editing:
			return s.again(ctx, joined(text))
		default:
			return s.ask(ctx, joined(text))
		}
	})
}

// joined is a text of several lines without the backslashes that ended all but the last.
func joined(text string) string { return strings.ReplaceAll(text, "\\\n", "\n") }

// isCommand holds for one line that starts with a slash. A pasted text that starts with one is a question.
func isCommand(line string) bool {
	line = strings.TrimRight(line, " \t\r\n")
	return (strings.HasPrefix(line, "/") || line == ":q") && !strings.Contains(line, "\n")
}

// ask has a question answered.
func (s *session) ask(ctx context.Context, text string) error {
	s.replaced = state.AgentState{} // it was the answer to another question
	return s.follow(ctx, s.cfg.Agent.Ask(ctx, s.question(text)))
}

// follow shows a run until its end.
func (s *session) follow(ctx context.Context, events iter.Seq2[agent.Event, error]) error {
	ran := false
	for e, err := range events {
		switch {
		case err != nil:
			s.screen.settle()
			return err
		case e.Node != "":
			ran = true
			s.screen.status(s.doing(ctx, e.Node))
		case e.Token != "":
			s.screen.token(e.Token)
		case e.Restart:
			s.screen.restart()
		case e.Answer != nil:
			if ran { // not the answer of an earlier run
				s.tally.add(*e.Answer)
			}
			s.answer(ctx, *e.Answer)
			return nil
		case e.Questions != nil:
			s.screen.settle()
			s.waits(e.Questions)
			return nil
		}
	}
	s.screen.settle()
	return errNoAnswer
}

var errNoAnswer = errors.New("the agent gave no answer")
