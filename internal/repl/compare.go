package repl

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// side is one answer of a comparison.
type side struct {
	name   string // the mode, or which of two answers
	thread string // where the conversation can go on with it
	state  state.AgentState
	waits  bool // for a person, without an answer
}

// compare sets answers to the last question side by side. With modes, each answers on a copy of the conversation; one mode
// alone is compared with the answer that is there. Without modes it compares the last answer with the one before it, which
// /retry or /edit has replaced.
func (s *session) compare(ctx context.Context, arg string) error {
	asked, err := compareModes(arg)
	if err != nil {
		return err
	}
	now, _, err := s.cfg.Agent.State(ctx, s.thread)
	switch {
	case err != nil:
		return err
	case now.Question == "":
		return s.nothingAsked()
	case len(asked) == 0:
		return s.compareLast(now)
	}
	var sides []side
	if len(asked) == 1 {
		if !now.Finished() {
			return errors.New("the last question has no answer yet to compare with; /compare takes two modes as well")
		}
		sides = append(sides, side{name: "now", thread: s.thread, state: now})
	}
	for _, mode := range asked {
		one, err := s.branch(ctx, mode)
		if err != nil {
			return err
		}
		sides = append(sides, one)
	}
	s.printComparison(sides)
	return nil
}

// compareModes reads the argument of /compare.
func compareModes(arg string) ([]state.AnswerMode, error) {
	var asked []state.AnswerMode
	for word := range strings.FieldsSeq(arg) {
		mode := state.AnswerMode(word)
		switch {
		case !slices.Contains(modes, mode):
			return nil, fmt.Errorf("/compare takes modes (strict, best_effort, open), not %s, for example: /compare strict open", cleanLine(word))
		case slices.Contains(asked, mode):
			return nil, fmt.Errorf("/compare %s: a mode is compared with others, not with itself", arg)
		}
		asked = append(asked, mode)
	}
	return asked, nil
}

// compareLast compares the last two answers of this session.
func (s *session) compareLast(now state.AgentState) error {
	if s.replaced.Question == "" || !now.Finished() || now.Run == s.replaced.Run {
		return errors.New("there is no second answer to compare with: /retry gives one, and /compare strict open asks in two modes")
	}
	s.printComparison([]side{{name: "before", state: s.replaced}, {name: "now", thread: s.thread, state: now}})
	return nil
}

// branch asks the last question in a mode, on a copy of the conversation.
func (s *session) branch(ctx context.Context, mode state.AnswerMode) (side, error) {
	id, err := s.copyThread(ctx, string(mode))
	if err != nil {
		return side{}, err
	}
	one := side{name: string(mode), thread: id}
	events := s.cfg.Agent.Again(ctx, agent.Question{Thread: id, Mode: mode})
	if one.state, one.waits, err = s.collect(ctx, string(mode)+": ", events); err != nil {
		return side{}, fmt.Errorf("%s: %w", mode, err)
	}
	return one, nil
}

// copyThread copies the conversation under its name and a word, with a number where that is taken.
func (s *session) copyThread(ctx context.Context, word string) (string, error) {
	for n := 1; ; n++ {
		id := s.thread + "-" + word
		if n > 1 {
			id = fmt.Sprintf("%s-%d", id, n)
		}
		err := s.cfg.Agent.Thread(s.thread).Copy(ctx, id)
		if errors.Is(err, graph.ErrThreadExists) {
			continue
		}
		return id, err
	}
}

// collect waits for the end of a run without showing its answer.
func (s *session) collect(ctx context.Context, what string, events iter.Seq2[agent.Event, error]) (end state.AgentState, waits bool, err error) {
	defer s.screen.settle()
	for e, err := range events {
		switch {
		case err != nil:
			return end, false, err
		case e.Node != "":
			s.screen.status(what + s.doing(ctx, e.Node))
		case e.Answer != nil:
			s.tally.add(*e.Answer)
			return e.Answer.State, false, nil
		case e.Questions != nil:
			return end, true, nil
		}
	}
	return end, false, errNoAnswer
}
