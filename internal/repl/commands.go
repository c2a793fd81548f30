package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/state"
)

// help lists the commands, in 80 columns.
func (s *session) help(context.Context, string) error {
	s.screen.println("Ask a question in plain words. Commands:\n")
	for _, c := range commands() {
		name := fmt.Sprintf("%-14s", strings.TrimSpace(c.name+" "+c.takes))
		s.screen.println("  " + s.screen.paint(bold, name) + fmt.Sprintf("  %-42s e.g. %s", c.does, c.example))
	}
	s.screen.println("\nModes: strict (no answer without evidence), best_effort (say what is missing),\nopen (the model may add what it knows, labelled).")
	s.screen.println("A question that starts with / needs a space in front.")
	if s.cfg.Interactive {
		s.screen.println("Keys: Ctrl-C stops the answer that is being written, Ctrl-D leaves, Tab completes,\nup and down go through what was entered. A pasted text of several lines is one\nquestion.")
	}
	return nil
}

// why explains the last run of the thread.
func (s *session) why(ctx context.Context, _ string) error {
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	s.screen.println(strings.TrimRight(clean(agent.Explain(last)), "\n"))
	return nil
}

func (s *session) newThread(context.Context, string) error {
	s.enter(s.cfg.NewThread())
	s.screen.println("New thread " + cleanLine(s.thread) + ".")
	return nil
}

// enter makes thread the one that is asked.
func (s *session) enter(thread string) { s.thread, s.cited = thread, nil }

func (s *session) goToThread(ctx context.Context, id string) error {
	switch {
	case id == "":
		return s.listThreads(ctx)
	case len(strings.Fields(id)) > 1:
		return s.wrong("/thread", "nothing or the name of one thread")
	}
	last, exists, err := s.cfg.Agent.State(ctx, id)
	if err != nil {
		return err
	}
	s.enter(id)
	if !exists {
		s.screen.println("New thread " + cleanLine(id) + ".")
		return nil
	}
	for _, c := range last.Citations {
		s.cited = append(s.cited, c.N)
	}
	s.screen.println(fmt.Sprintf("Thread %s. Last question: %s", cleanLine(id), cleanLine(last.Question)))
	return nil
}

// listThreads marks the present thread with a star.
func (s *session) listThreads(ctx context.Context) error {
	var names []string
	if s.cfg.Threads != nil {
		var err error
		if names, err = s.cfg.Threads(ctx); err != nil {
			return fmt.Errorf("list the threads: %w", err)
		}
	}
	if !slices.Contains(names, s.thread) { // nothing was asked on it yet
		names = append([]string{s.thread}, names...)
	}
	for _, name := range names {
		mark := "  "
		if name == s.thread {
			mark = "* "
		}
		s.screen.println(mark + cleanLine(name))
	}
	return nil
}

// modes is what /mode takes.
var modes = []state.AnswerMode{state.ModeStrict, state.ModeBestEffort, state.ModeOpen}

func (s *session) setMode(_ context.Context, name string) error {
	if name != "" {
		if !slices.Contains(modes, state.AnswerMode(name)) {
			return s.wrong("/mode", "strict, best_effort or open")
		}
		s.mode = state.AnswerMode(name)
	}
	if s.mode == "" {
		s.screen.println("Mode: as configured (/mode strict, best_effort or open changes it).")
		return nil
	}
	s.screen.println("Mode: " + string(s.mode))
	return nil
}

func (s *session) quit(context.Context, string) error { return errQuit }
