package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// threadsShown is how many conversations one list has at most.
const threadsShown = 40

// threadLine is a conversation in a list.
type threadLine struct {
	name, status, question string
}

// threads lists the conversations with where they stand and what was asked last. With a text it lists those whose name or
// question holds it, or at least its letters in their order.
func (s *session) threads(ctx context.Context, text string) error {
	names, err := s.threadList(ctx)
	if err != nil {
		return err
	}
	var found []threadLine
	for _, name := range names {
		line, err := s.threadLine(ctx, name)
		if err != nil {
			return err
		}
		if text == "" || contains(line.name+" "+line.question, text) {
			found = append(found, line)
		}
	}
	if len(found) == 0 {
		s.screen.println("No conversation fits.")
		return nil
	}
	s.printThreads(found)
	return nil
}

// threadList is the names of all conversations; nothing may have been asked on the present one yet.
func (s *session) threadList(ctx context.Context) ([]string, error) {
	var names []string
	if s.cfg.Threads != nil {
		var err error
		if names, err = s.cfg.Threads(ctx); err != nil {
			return nil, fmt.Errorf("list the threads: %w", err)
		}
	}
	if !slices.Contains(names, s.thread) {
		names = append([]string{s.thread}, names...)
	}
	return names, nil
}

// threadLine reads one conversation; one that cannot be read is a line too.
func (s *session) threadLine(ctx context.Context, name string) (threadLine, error) {
	head, err := s.cfg.Agent.Thread(name).Head(ctx)
	damaged := new(graph.RowError)
	switch {
	case errors.As(err, &damaged), errors.Is(err, state.ErrNewerVersion):
		return threadLine{name: name, status: "unreadable"}, nil
	case err != nil:
		return threadLine{}, err
	}
	return threadLine{name: name, status: standing(head), question: mask.Cards(head.State.Question)}, nil
}

// standing is where a conversation stands, in a word.
func standing(head graph.Head[state.AgentState]) string {
	switch {
	case !head.Exists:
		return "empty"
	case head.Done:
		return "done"
	case len(head.Interrupts) > 0:
		return "waits"
	default:
		return "unfinished"
	}
}

func (s *session) printThreads(list []threadLine) {
	more := len(list) - threadsShown
	list = list[:min(len(list), threadsShown)]
	width := 0
	for _, l := range list {
		width = max(width, len([]rune(cleanLine(l.name))))
	}
	columns, _ := s.screen.size()
	for _, l := range list {
		line := fmt.Sprintf("%s%-*s  %-10s  %s", s.mark(l.name == s.thread), width, cleanLine(l.name), l.status, cleanLine(l.question))
		s.screen.println(strings.TrimRight(cut(line, columns-1), " "))
	}
	if more > 0 {
		s.screen.println(fmt.Sprintf("%d more; /threads TEXT lists those that hold a text.", more))
	}
}

// mark is in front of each of several, of which one is the present one or another than usual.
func (s *session) mark(special bool) string {
	switch {
	case s.screen.words && special:
		return "(this) "
	case s.screen.words:
		return ""
	case special:
		return "* "
	default:
		return "  "
	}
}

// then stands between what follows each other.
func (s *session) then() string {
	if s.screen.words {
		return " then "
	}
	return " → "
}
