package main

import (
	"context"
	"errors"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/state"
)

// decisionToRun brings a decision to the run that it is about: a waiting one goes on, one that has ended takes it over.
func decisionToRun(ctx context.Context, b *base, e review.Entry) error {
	a := &assistant{base: b}
	if err := a.build(); err != nil {
		return err
	}
	err := a.agent.Decide(ctx, e.Thread, e.Run, state.Review{
		ID: e.ID, Status: state.ReviewStatus(e.Status), Reviewer: e.Reviewer, Notes: e.Notes, Corrected: e.Corrected,
	})
	return errors.Join(err, a.audit.Close())
}
