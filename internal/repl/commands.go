package repl

import (
	"context"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

func (s *session) newThread(context.Context, string) error {
	s.enter(s.cfg.NewThread())
	s.screen.println("New thread " + cleanLine(s.thread) + ".")
	return nil
}

// enter makes thread the one that is asked.
func (s *session) enter(thread string) {
	s.thread, s.cited, s.replaced = thread, nil, state.AgentState{}
}

func (s *session) goToThread(ctx context.Context, id string) error {
	switch {
	case id == "":
		return s.threads(ctx, "")
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
	s.screen.println(fmt.Sprintf("Thread %s. Last question: %s", cleanLine(id), cleanLine(mask.Cards(last.Question))))
	return nil
}

func (s *session) quit(context.Context, string) error { return errQuit }
