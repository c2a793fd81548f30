package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// ErrNothingAsked reports a thread whose last question cannot be asked again: nothing was asked on it, or its beginning
// was pruned.
var ErrNothingAsked = errors.New("there is no question to ask again")

// Again asks a question in place of the last one of its thread: with its words (Text is empty) or others, in the mode and
// with the settings of q. The conversation before that question stays, the old answer stays in the history, on a branch of
// its own; an unfinished run is given up. Nothing is changed before a new run can begin. What it yields is what
// [Agent.Ask] yields. It returns ErrNothingAsked. Ranging the sequence again asks once more.
func (a *Agent) Again(ctx context.Context, q Question) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := a.again(ctx, q, func(e Event) bool { return yield(e, nil) }); err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}

func (a *Agent) again(ctx context.Context, q Question, emit func(Event) bool) error {
	started := a.cfg.Nodes.Now()
	thread := a.Thread(q.Thread)
	asked, err := lastInput(ctx, thread)
	if err != nil {
		return err
	}
	if q.Text = strings.TrimSpace(q.Text); q.Text == "" {
		if q.Text, err = lastQuestion(ctx, thread); err != nil {
			return err
		}
	}
	if _, err := thread.Fork(ctx, asked); err != nil {
		return fmt.Errorf("go back on thread %s: %w", q.Thread, err)
	}
	if _, err := thread.UpdateState(ctx, a.begin(q)); err != nil {
		return fmt.Errorf("ask on thread %s: %w", q.Thread, err)
	}
	return a.follow(thread.ResumeStream(ctx, shown), emit, func(s state.AgentState) Answer {
		return a.answer(s, q.Thread, a.cfg.Nodes.Now().Sub(started))
	})
}

// lastInput is the checkpoint at which the last question of the present branch was asked.
func lastInput(ctx context.Context, t *Thread) (int64, error) {
	for c, err := range t.History(ctx) {
		if err != nil {
			return 0, err
		}
		if c.Current && c.Origin == graph.FromInput {
			return c.Seq, nil
		}
	}
	return 0, ErrNothingAsked
}

// lastQuestion is the question in the present words: one that was asked again with others is not that of its input.
func lastQuestion(ctx context.Context, t *Thread) (string, error) {
	head, err := t.Head(ctx)
	if err != nil {
		return "", err
	}
	return head.State.Question, nil
}
