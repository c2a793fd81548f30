package repl

import (
	"context"
	"strings"

	"github.com/kbagent/kbagent/agent"
)

// why explains the last run of the thread: on a terminal as a picture, otherwise and on request in words.
func (s *session) why(ctx context.Context, how string) error {
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	text := agent.Explain(last)
	switch how {
	case "", "words":
	case "picture":
		text = agent.Picture(last)
	default:
		return s.wrong("/why", "nothing, words or picture")
	}
	if how == "" && s.screen.live {
		text = agent.Picture(last)
	}
	if s.screen.words {
		text = strings.ReplaceAll(text, " → ", s.then())
	}
	s.screen.println(strings.TrimRight(clean(text), "\n"))
	return nil
}
