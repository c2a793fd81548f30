package scenarios

import (
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// recordedRun is one question of a thread, with what its nodes said.
type recordedRun struct {
	begin state.AgentState // after the question was asked
	steps []recordedStep
	end   state.AgentState
}

// recordedStep is one run of one node.
type recordedStep struct {
	node   string
	before state.AgentState
	update state.Update
}

// waited says whether a person was waited for.
func (r recordedRun) waited() (review *state.Review, ok bool) {
	for _, s := range r.steps {
		if s.node == nodes.NameHumanReview && s.before.Settings.ReviewMode == state.ReviewBlocking && s.update.Review != nil {
			return s.update.Review, s.update.Review.Status != state.ReviewPending
		}
	}
	return nil, false
}

// replaced says whether the last question was only asked on this branch: one that is asked behind a fork takes its place, see
// agent.Again.
func replaced(runs []recordedRun) bool { return len(runs) > 0 && len(runs[len(runs)-1].steps) == 0 }

// splitRuns folds the changes of a thread into its runs. What a person has decided on an answer behind the last run is not
// part of it.
func splitRuns(changes Changes) ([]recordedRun, error) {
	var runs []recordedRun
	var s state.AgentState
	finished, forked := true, false
	for c, err := range changes {
		switch {
		case err != nil:
			return nil, err
		case c.Origin == graph.FromFork:
			finished, forked = c.Done, true // the branch goes on from what it forked, which came before
			continue
		case len(c.Updates) == 0 && len(runs) == 0:
			return nil, ErrPruned
		}
		for _, u := range c.Updates {
			before := s
			if s, err = s.Apply(u.Update); err != nil {
				return nil, fmt.Errorf("checkpoint %d: %w", c.Seq, err)
			}
			switch {
			case u.Update.Begin != nil && forked && replaced(runs):
				runs[len(runs)-1] = recordedRun{begin: s, end: s}
			case u.Update.Begin != nil && !finished:
				return nil, fmt.Errorf("%w: %q was given up", ErrUnfinished, before.Question)
			case u.Update.Begin != nil:
				runs = append(runs, recordedRun{begin: s, end: s})
			case len(runs) == 0:
				return nil, ErrPruned
			case c.Origin == graph.FromEdit && u.Update.Decided == nil:
				return nil, fmt.Errorf("%w (checkpoint %d)", ErrEdited, c.Seq)
			case c.Origin == graph.FromEdit:
			default:
				run := &runs[len(runs)-1]
				run.steps = append(run.steps, recordedStep{u.Node, before, u.Update})
				run.end = s
			}
		}
		finished, forked = c.Done, false
	}
	switch {
	case len(runs) == 0:
		return nil, ErrNothingToRecord
	case !finished:
		return nil, ErrUnfinished
	}
	return runs, nil
}
