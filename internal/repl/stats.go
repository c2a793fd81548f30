package repl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/state"
)

// tally counts the answers of a session.
type tally struct {
	statuses map[state.Status]int
	usage    state.Usage
	took     time.Duration
}

// add counts an answer that was written now, not one that was shown again.
func (t *tally) add(a agent.Answer) {
	if t.statuses == nil {
		t.statuses = make(map[state.Status]int)
	}
	t.statuses[a.Status]++
	t.usage = t.usage.Plus(a.Usage)
	t.took += a.State.Elapsed
}

// answers is how many were counted.
func (t *tally) answers() int {
	n := 0
	for _, count := range t.statuses {
		n += count
	}
	return n
}

// stats tells what this session and this thread have come to, and what the answers rest on.
func (s *session) stats(ctx context.Context, _ string) error {
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	s.field("session", s.tally.String())
	asked := count(len(last.Messages)/2, "answer") + ", " + spent(last.Totals)
	s.field("thread", cleanLine(s.thread)+": "+asked)
	if s.cfg.Host == nil {
		return nil
	}
	answers := "without a model, quoting the documents"
	if name := s.cfg.Host.Model(); name != "" {
		answers = "with " + name
	}
	s.field("answers", cleanLine(answers))
	about, err := s.cfg.Host.About(ctx)
	if err != nil {
		return err
	}
	for _, line := range about {
		name, value, _ := strings.Cut(line, ": ")
		s.field(name, cleanLine(value))
	}
	return nil
}

// String is the tally in one line.
func (t *tally) String() string {
	if t.answers() == 0 {
		return "no answer yet"
	}
	var kinds []string
	for _, status := range slices.Sorted(maps.Keys(t.statuses)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", t.statuses[status], status))
	}
	mean := t.took / time.Duration(t.answers())
	return fmt.Sprintf("%s (%s), %s, %s each", count(t.answers(), "answer"), strings.Join(kinds, ", "), spent(t.usage), mean.Round(time.Millisecond))
}

// spent is what models cost.
func spent(u state.Usage) string {
	return fmt.Sprintf("%s of the model, %s", count(u.LLMCalls, "call"), count(u.TotalTokens, "token"))
}

// field is a name and a value, on a line.
func (s *session) field(name, value string) {
	s.screen.println(fmt.Sprintf("%-10s %s", name+":", value))
}
