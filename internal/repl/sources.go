package repl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/state"
)

// sources lists what the last answer cites, or shows the passage of one source.
func (s *session) sources(ctx context.Context, arg string) error {
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	if none := noSources(last); none != "" {
		s.screen.println(none)
		return nil
	}
	if arg == "" {
		for _, c := range last.Citations {
			s.screen.println(s.source(ctx, c.N, c.Path, c.StartLine, c.EndLine, c.Page))
		}
		return nil
	}
	n, err := strconv.Atoi(strings.Trim(arg, "[]"))
	if err != nil {
		return s.wrong("/sources", "nothing or the number of a source")
	}
	i := slices.IndexFunc(last.Citations, func(c state.Citation) bool { return c.N == n })
	if i < 0 {
		return fmt.Errorf("there is no source [%d]; the last answer cites %s", n, numbers(last.Citations))
	}
	return s.passage(ctx, last, last.Citations[i])
}

// noSources is why a thread has no sources to show, or "".
func noSources(last state.AgentState) string {
	switch {
	case last.Question == "":
		return "No question was asked on this thread yet."
	case !last.Finished():
		return "The last question has no answer yet; ask it again to go on where it stopped."
	case len(last.Citations) == 0:
		return "The last answer cites no source."
	default:
		return ""
	}
}

func numbers(citations []state.Citation) string {
	list := make([]string, len(citations))
	for i, c := range citations {
		list[i] = fmt.Sprintf("[%d]", c.N)
	}
	return strings.Join(list, ", ")
}

// evidence is the item that was cited; a run that reached a limit may cite what grading had dropped.
func evidence(last state.AgentState, id string) (state.Evidence, bool) {
	for _, item := range last.Context {
		if item.ID == id {
			return item, true
		}
	}
	for _, q := range last.Quarantined {
		if q.Item.ID == id {
			return q.Item, true
		}
	}
	return state.Evidence{}, false
}
