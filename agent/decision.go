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
// count. What is no decision is [nodes.ErrReview].
func (a *Agent) Decide(ctx context.Context, thread, run string, r state.Review) error {
	decision := nodes.ReviewDecision{Status: r.Status, Answer: r.Corrected, Reviewer: r.Reviewer, Notes: r.Notes}
	if err := decision.Check(); err != nil {
		return err
	}
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
		return a.goOn(ctx, thread, head.Interrupts, decision)
	case s.Review == nil || s.Review.ID != r.ID || s.Review.Status == r.Status:
		return nil
	}
	review := *s.Review
	review.Status, review.Reviewer, review.Notes, review.Corrected = r.Status, r.Reviewer, r.Notes, r.Corrected
	final, confidence := decision.Settle(answerOf(s), s.Settings)
	err = a.cfg.Nodes.Audit.Record(nodes.Line{
		Time: a.cfg.Nodes.Now(), Thread: thread, Run: run, Action: nodes.AuditReview,
		Details: map[string]any{"review": r.ID, "review_status": r.Status, "reviewer": r.Reviewer, "status": final.Status},
	})
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	if _, err := t.UpdateState(ctx, state.Update{Review: &review, Decided: &final, Confidence: &confidence}); err != nil {
		return fmt.Errorf("tell thread %s of the decision: %w", thread, err)
	}
	return nil
}

// goOn answers the question of a run that waits for a review. A run that waits for something else is left alone.
func (a *Agent) goOn(ctx context.Context, thread string, open []graph.Interrupt, d nodes.ReviewDecision) error {
	if len(open) != 1 || open[0].Node != nodes.NameHumanReview {
		return nil
	}
	for _, err := range a.Resume(ctx, thread, graph.Answer(open[0].ID, d)) {
		if err != nil {
			return fmt.Errorf("go on with thread %s: %w", thread, err)
		}
	}
	return nil
}

// answerOf is the answer of a run that has ended.
func answerOf(s state.AgentState) state.Final {
	f := state.Final{Answer: s.Answer, Message: s.Answer, Citations: s.Citations, Status: s.Status}
	if n := len(s.Messages); n > 0 {
		f.Message = s.Messages[n-1].Content
	}
	return f
}
