package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/state"
)

// decisionToRun brings a decision to the run that it is about: a waiting one goes on, one that has ended takes it over.
func decisionToRun(ctx context.Context, b *base, e review.Entry) (err error) {
	a := &assistant{base: b}
	defer func() {
		a.sending.Wait()
		if a.audit != nil {
			err = errors.Join(err, a.audit.Close())
		}
	}()
	if err := a.build(); err != nil {
		return err
	}
	return a.decide(ctx, e)
}

// decide also takes a run to its end that was killed on its way into the review or out of it: a decision is brought once,
// and whoever has asked might not come back.
func (a *assistant) decide(ctx context.Context, e review.Entry) error {
	r := state.Review{ID: e.ID, Status: state.ReviewStatus(e.Status), Reviewer: e.Reviewer, Notes: e.Notes, Corrected: e.Corrected}
	for range 3 { // into the review, out of it, and to see that it has ended
		if err := a.agent.Decide(ctx, e.Thread, e.Run, r); err != nil {
			return err
		}
		head, err := a.agent.Thread(e.Thread).Head(ctx)
		if err != nil {
			return fmt.Errorf("read thread %s: %w", e.Thread, err)
		}
		if !stranded(head, e.Run) {
			return nil
		}
		for _, err := range a.agent.Resume(ctx, e.Thread) {
			if err != nil {
				return fmt.Errorf("go on with thread %s: %w", e.Thread, err)
			}
		}
	}
	return fmt.Errorf("thread %s does not get out of its review", e.Thread)
}

// hear brings a decision to a run that has just come to wait for it although it was made: in a copy of a conversation, or when
// the reviewer's process was killed behind it. Without one, o is returned as it is.
func (a *assistant) hear(ctx context.Context, thread string, o outcome, std streams, live bool) (outcome, error) {
	if !waitsForReview(o.questions) {
		return o, nil
	}
	s, _, err := a.agent.State(ctx, thread)
	if err != nil {
		return outcome{}, err
	}
	for e, err := range a.queue.List(ctx, review.Filter{Statuses: []review.Status{review.Approved, review.Corrected, review.Rejected}}) {
		if errors.Is(err, review.ErrDamaged) || err == nil && e.Run != s.Run {
			continue
		}
		e.Thread = thread // a copy is another thread than the entry knows
		if err == nil {
			err = a.decide(ctx, e)
		}
		if err != nil {
			return outcome{}, err
		}
		return follow(a.agent.Resume(ctx, thread), std, live)
	}
	return o, nil
}

// waitsForReview says that one of the open questions of a run is a review.
func waitsForReview(open []graph.Interrupt) bool {
	return slices.ContainsFunc(open, func(q graph.Interrupt) bool { return q.Node == nodes.NameHumanReview })
}

// reviewDecides refuses an answer to a review: only in the queue it is known who has decided.
func reviewDecides(thread string) error {
	return &usageError{fmt.Errorf("thread %s waits for a person: only `kbagent review` decides", thread)}
}

// stranded says that a run stands before the review without waiting for it. Resumed, it waits or ends.
func stranded(head graph.Head[state.AgentState], run string) bool {
	return head.Exists && !head.Done && head.State.Run == run && len(head.Interrupts) == 0 && slices.Contains(head.Next, nodes.NameHumanReview)
}
