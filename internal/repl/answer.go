package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// answer prints the end of a question: the answer, its sources, and what there is to say about it.
func (s *session) answer(ctx context.Context, a agent.Answer) {
	s.screen.finish(a.Answer)
	s.cited = s.cited[:0]
	if len(a.Citations) > 0 {
		s.screen.println("")
	}
	for _, c := range a.Citations {
		s.cited = append(s.cited, c.N)
		s.screen.println(s.source(ctx, c.N, c.Path, c.StartLine, c.EndLine, c.Page))
	}
	if len(a.Warnings) > 0 {
		s.screen.println("")
	}
	for _, w := range a.Warnings {
		s.screen.prose("note: "+cleanLine(w), dim)
	}
	if s.cfg.Interactive {
		s.screen.println("")
	}
}

// source is one line of a source list; more is said behind it.
func (s *session) source(ctx context.Context, n int, path string, start, end int, more string) string {
	if s.screen.words {
		line := fmt.Sprintf("Source %d: %s, %s.", n, cleanLine(path), lineRange(start, end))
		return strings.TrimRight(line+" "+cleanLine(more), " ")
	}
	line := s.screen.paint(cyan, fmt.Sprintf("[%d]", n)) + " " + s.spot(ctx, path, start, end) + "  " + cleanLine(more)
	return strings.TrimRight(line, " ")
}

// lineRange is lines in words.
func lineRange(start, end int) string {
	if start == end {
		return fmt.Sprintf("line %d", start)
	}
	return fmt.Sprintf("lines %d to %d", start, end)
}

// doing is what a node does, in words.
func (s *session) doing(ctx context.Context, node string) string {
	switch node {
	case nodes.NameAnalyzeAndRoute:
		return "understanding the question…"
	case nodes.NamePlan:
		return "planning the search…"
	case nodes.NameToolCall:
		return "searching…"
	case nodes.NameGradeEvidence:
		return "judging " + s.evidence(ctx) + "…"
	case nodes.NameSynthesize:
		return "writing the answer…"
	default:
		return strings.ReplaceAll(node, "_", " ") + "…"
	}
}

// evidence is how many passages the run has. Only the status line says it: where the state cannot be read the number
// is left out, and the run itself meets the error.
func (s *session) evidence(ctx context.Context) string {
	if !s.cfg.Interactive {
		return "passages"
	}
	now, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil || len(now.Context) == 0 {
		return "what was found"
	}
	return count(len(now.Context), "passage")
}

// tell prints an error: what happened, and what to do where that is known.
func (s *session) tell(err error) {
	s.screen.settle()
	if errors.Is(err, ErrInterrupted) {
		s.screen.println("Cancelled. Ask the same question again to go on where it stopped.")
		return
	}
	s.failed++
	line := s.screen.paint(red, "error:") + " " + sentence(err)
	if _, broken := fmt.Fprintln(s.cfg.Err, line); broken != nil {
		s.screen.fail(broken)
	}
}

// sentence is an error for the person who asked.
func sentence(err error) string {
	switch {
	case errors.Is(err, graph.ErrFenced):
		return "another conversation has taken this thread; ask again, or start another thread with /new"
	case errors.Is(err, graph.ErrNothingToResume):
		return "nothing was asked on this thread yet"
	case errors.Is(err, graph.ErrGraphChanged):
		return "the program has changed since this question was stopped; start another thread with /new"
	case errors.Is(err, graph.ErrNewerFormat), errors.Is(err, state.ErrNewerVersion):
		return "a newer version of kbagent wrote this thread; update this one, or start another thread with /new"
	default:
		return cleanLine(err.Error())
	}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
