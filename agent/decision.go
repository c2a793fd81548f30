package agent

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// Decide brings a person's decision on an answer to the run that it is about: one that waits for it goes on and ends, one
// that has ended gets it into its state and its conversation. A decision that the run knows already, and one about a run
// that is not the thread's last any more, change nothing. The review's ID, status, reviewer, notes and corrected answer
// count.
func (a *Agent) Decide(ctx context.Context, thread, run string, r state.Review) error {
	t := a.Thread(thread)
	head, err := t.Head(ctx)
	if err != nil {
		return fmt.Errorf("read thread %s: %w", thread, err)
	}
	s := head.State
	switch {
	case !head.Exists || s.Run != run:
		return nil
	case !head.Done:
		return a.goOn(ctx, thread, head.Interrupts, r)
	case s.Review == nil || s.Review.ID != r.ID || s.Review.Status == r.Status:
		return nil
	}
	review := *s.Review
	review.Status, review.Reviewer, review.Notes, review.Corrected = r.Status, r.Reviewer, r.Notes, r.Corrected
	if _, err := t.UpdateState(ctx, state.Update{Review: &review, Decided: new(decided(s, r))}); err != nil {
		return fmt.Errorf("tell thread %s of the decision: %w", thread, err)
	}
	return nil
}

// goOn answers the question of a run that waits for a review. A run that waits for something else is left alone.
func (a *Agent) goOn(ctx context.Context, thread string, open []graph.Interrupt, r state.Review) error {
	if len(open) != 1 || open[0].Node != nodes.NameHumanReview {
		return nil
	}
	answer := graph.Answer(open[0].ID, nodes.ReviewDecision{Status: r.Status, Answer: r.Corrected, Reviewer: r.Reviewer, Notes: r.Notes})
	for _, err := range a.Resume(ctx, thread, answer) {
		if err != nil {
			return fmt.Errorf("go on with thread %s: %w", thread, err)
		}
	}
	return nil
}

// decided is the answer of a run that has ended, after a person's decision.
func decided(s state.AgentState, r state.Review) state.Final {
	message := s.Answer
	if n := len(s.Messages); n > 0 {
		message = s.Messages[n-1].Content
	}
	switch r.Status {
	case state.ReviewCorrected:
		return state.Final{Answer: r.Corrected, Message: r.Corrected, Status: state.StatusCorrected}
	case state.ReviewRejected:
		return state.Final{Answer: s.Settings.Abstention, Message: s.Settings.Abstention, Status: state.StatusAbstained}
	default:
		return state.Final{Answer: s.Answer, Message: message, Citations: s.Citations, Status: state.StatusPass}
	}
}
