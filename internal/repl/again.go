package repl

import (
	"context"
	"errors"

	"github.com/kbagent/kbagent/agent"
)

// retry asks the last question again, in the present mode and with the present settings. Its old answer stays in the
// history, and /compare sets the two side by side.
func (s *session) retry(ctx context.Context, _ string) error {
	return s.again(ctx, "")
}

// edit asks the last question again in other words. On a terminal the old ones come back to be changed.
func (s *session) edit(ctx context.Context, text string) error {
	if text != "" {
		return s.again(ctx, text)
	}
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	switch {
	case err != nil:
		return err
	case last.Question == "":
		return s.nothingAsked()
	case !s.screen.live:
		return s.wrong("/edit", "the question in its new words")
	}
	s.draft = last.Question
	return nil
}

// again asks in place of the last question; "" are its own words.
func (s *session) again(ctx context.Context, text string) error {
	before, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	err = s.follow(ctx, s.cfg.Agent.Again(ctx, s.question(text)))
	switch {
	case errors.Is(err, agent.ErrNothingAsked):
		return s.nothingAsked()
	case err == nil && before.Finished():
		s.replaced = before
	}
	return err
}

// question is a text as this conversation asks it.
func (s *session) question(text string) agent.Question {
	return agent.Question{Text: text, Thread: s.thread, Mode: s.mode}
}

// nothingAsked is what commands about the last question say before there is one.
func (s *session) nothingAsked() error {
	s.screen.println("No question was asked on this thread yet.")
	return nil
}
