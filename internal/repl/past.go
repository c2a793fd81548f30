package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
)

// history lists the checkpoints of the thread, newest first; a star marks those that the present state goes back to.
func (s *session) history(ctx context.Context, _ string) error {
	none := true
	for c, err := range s.cfg.Agent.Thread(s.thread).History(ctx) {
		if err != nil {
			return err
		}
		none = false
		s.screen.println(s.checkpoint(c))
	}
	if none {
		s.screen.println("No question was asked on this thread yet.")
	}
	return nil
}

// checkpoint is one line of a history.
func (s *session) checkpoint(c graph.Checkpoint) string {
	what := strings.Join(c.Nodes, ", ")
	switch c.Origin {
	case graph.FromInput:
		what = "a question"
	case graph.FromEdit:
		what = "a change by hand"
	case graph.FromFork:
		what = "back at " + strconv.FormatInt(c.Parent, 10)
		if c.Parent == 0 {
			what = "back at a step that was removed"
		}
	}
	return fmt.Sprintf("%s%3d  %-20s%s%s", s.mark(c.Current), c.Seq, cleanLine(what), s.then(), cleanLine(following(c)))
}

// following is what comes after a checkpoint.
func following(c graph.Checkpoint) string {
	if c.Done {
		return "the end"
	}
	return strings.Join(c.Next, ", ")
}

// fork goes back to a checkpoint.
func (s *session) fork(ctx context.Context, arg string) error {
	seq, err := strconv.ParseInt(arg, 10, 64)
	if err != nil {
		return s.wrong("/fork", "the number of a step")
	}
	c, err := s.cfg.Agent.Thread(s.thread).Fork(ctx, seq)
	switch {
	case errors.Is(err, graph.ErrNoCheckpoint):
		return fmt.Errorf("there is no step %d; /history lists the steps", seq)
	case err != nil:
		return err
	}
	s.enter(s.thread)
	line := fmt.Sprintf("Back at %d, as %d. Next: %s.", seq, c.Seq, following(c))
	if c.Discarded {
		line += " The unfinished step was given up."
	}
	if !c.Done {
		line += " /resume goes on."
	}
	s.screen.println(cleanLine(line))
	return nil
}

// resume goes on with the run of the thread. An answer is JSON, or a text.
func (s *session) resume(ctx context.Context, answer string) error {
	var answers []graph.Option
	switch {
	case json.Valid([]byte(answer)):
		answers = append(answers, graph.Reply(json.RawMessage(answer)))
	case answer != "":
		answers = append(answers, graph.Reply(answer))
	}
	return s.follow(ctx, s.cfg.Agent.Resume(ctx, s.thread, answers...))
}

// waits tells what a run waits for.
func (s *session) waits(questions []graph.Interrupt) {
	for _, q := range questions {
		if q.Kind == graph.Question {
			s.screen.println("The agent asks: " + cleanLine(q.Text()))
		} else {
			s.screen.println(cleanLine(fmt.Sprintf("The run has stopped %s %s.", q.Kind, q.Node)))
		}
	}
	if len(questions) == 1 && questions[0].Node == nodes.NameHumanReview {
		s.screen.println("A person decides that; /resume shows the answer then.")
		return
	}
	if len(questions) == 1 && questions[0].Kind == graph.Question {
		s.screen.println("/resume followed by the answer goes on.")
		return
	}
	s.screen.println("`kbagent resume " + cleanLine(s.thread) + "` goes on; it takes an answer for each question.")
}
