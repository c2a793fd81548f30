package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// desk is a review queue that can be down, and whose entry a person may have decided.
type desk struct {
	down     bool
	decided  state.Review
	requests []nodes.ReviewRequest
}

func (d *desk) Submit(_ context.Context, q nodes.ReviewRequest) (state.Review, error) {
	if d.down {
		return state.Review{}, errors.New("the database is gone")
	}
	d.requests = append(d.requests, q)
	if d.decided.ID != "" {
		d.decided.Mode = q.Mode
		return d.decided, nil
	}
	return state.Review{ID: "v1", Mode: q.Mode, Status: state.ReviewPending}, nil
}

// records is an audit in memory.
type records struct{ lines []nodes.Line }

func (r *records) Record(l nodes.Line) error {
	r.lines = append(r.lines, l)
	return nil
}

// reviewed is an agent whose every answer goes to a person: its verifier is down.
func reviewed(t *testing.T, mode state.ReviewMode, d *desk) (*agent.Agent, *records) {
	audit := &records{}
	a := frailAgentWith(t, &frail{role: nodes.RoleVerifier, fault: "down"}, func(cfg *agent.Config) {
		cfg.Settings.ReviewMode, cfg.Nodes.Reviews, cfg.Nodes.Audit = mode, d, audit
	})
	return a, audit
}

const longQuestion = "How long are old logs kept?"

func ask(t *testing.T, a *agent.Agent) (agent.Answer, []graph.Interrupt) {
	t.Helper()
	for e, err := range a.Ask(t.Context(), agent.Question{Text: longQuestion, Thread: "t"}) {
		require.NoError(t, err)
		if e.Answer != nil || e.Questions != nil {
			return orNone(e.Answer), e.Questions
		}
	}
	t.Fatal("the run has no end")
	return agent.Answer{}, nil
}

func orNone(a *agent.Answer) agent.Answer {
	if a == nil {
		return agent.Answer{}
	}
	return *a
}

func TestADecisionReachesARunWhoseQueueHasGoneDownMeanwhile(t *testing.T) {
	d := &desk{}
	a, _ := reviewed(t, state.ReviewBlocking, d)
	_, questions := ask(t, a)
	require.Len(t, questions, 1)
	d.down = true
	require.NoError(t, a.Decide(t.Context(), "t", runOf(t, a), state.Review{ID: "v1", Status: state.ReviewRejected, Reviewer: "ann"}))
	s, _, err := a.State(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, state.StatusAbstained, s.Status, "the answer was rejected")
	assert.Equal(t, state.ReviewRejected, s.Review.Status)
	assert.Equal(t, "v1", s.Review.ID)
}

func TestADecisionThatWasMadeWhileTheRunLayUnfinishedHolds(t *testing.T) {
	for _, mode := range []state.ReviewMode{state.ReviewProvisional, state.ReviewBlocking} {
		t.Run(string(mode), func(t *testing.T) {
			d := &desk{decided: state.Review{ID: "v1", Status: state.ReviewCorrected, Reviewer: "ann", Corrected: "For nine days."}}
			a, _ := reviewed(t, mode, d)
			answer, questions := ask(t, a)
			assert.Empty(t, questions)
			assert.Equal(t, state.StatusCorrected, answer.Status)
			assert.Equal(t, "For nine days.", answer.Answer)
			assert.Empty(t, answer.Citations)
			assert.Equal(t, "ann", answer.Review.Reviewer)
		})
	}
}

func TestADecisionOnARunThatHasEndedIsInItsAnswerItsConfidenceAndTheAudit(t *testing.T) {
	for status, want := range map[state.ReviewStatus]struct {
		status     state.Status
		confidence float64
	}{
		state.ReviewApproved:  {state.StatusPass, 1},
		state.ReviewCorrected: {state.StatusCorrected, 1},
		state.ReviewRejected:  {state.StatusAbstained, 0},
	} {
		t.Run(string(status), func(t *testing.T) {
			a, audit := reviewed(t, state.ReviewProvisional, &desk{})
			answer, _ := ask(t, a)
			require.Equal(t, state.StatusPendingReview, answer.Status)
			audit.lines = nil
			review := state.Review{ID: "v1", Status: status, Reviewer: "ann", Corrected: " It is 4111 1111 1111 1111. "}
			require.NoError(t, a.Decide(t.Context(), "t", runOf(t, a), review))
			s, _, err := a.State(t.Context(), "t")
			require.NoError(t, err)
			assert.Equal(t, want.status, s.Status)
			assert.Equal(t, &state.Confidence{Total: want.confidence}, s.Confidence)
			assert.NotContains(t, s.Answer+s.Messages[1].Content, "4111", "card numbers are masked")
			assert.Len(t, s.Messages, 2)
			require.Len(t, audit.lines, 1)
			assert.Equal(t, nodes.AuditReview, audit.lines[0].Action)
			assert.Equal(t, s.Run, audit.lines[0].Run)
			require.NoError(t, a.Decide(t.Context(), "t", runOf(t, a), review))
			assert.Len(t, audit.lines, 1, "the run knows the decision already")
		})
	}
}

func TestWhatIsNoDecisionChangesNoRun(t *testing.T) {
	for name, r := range map[string]state.Review{
		"somebody looks at it":         {ID: "v1", Status: state.ReviewInReview},
		"a correction without a text":  {ID: "v1", Status: state.ReviewCorrected, Corrected: " "},
		"a status that does not exist": {ID: "v1", Status: "maybe"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := reviewed(t, state.ReviewProvisional, &desk{})
			before, _ := ask(t, a)
			require.ErrorIs(t, a.Decide(t.Context(), "t", runOf(t, a), r), nodes.ErrReview)
			s, _, err := a.State(t.Context(), "t")
			require.NoError(t, err)
			assert.Equal(t, state.StatusPendingReview, s.Status)
			assert.Equal(t, before.Answer, s.Answer)
		})
	}
}

func runOf(t *testing.T, a *agent.Agent) string {
	t.Helper()
	s, _, err := a.State(t.Context(), "t")
	require.NoError(t, err)
	return s.Run
}
