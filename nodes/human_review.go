package nodes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Reviews is the queue that people work on. It is safe for concurrent use.
type Reviews interface {
	// Submit queues an answer, once for each run: another call for it returns the first entry.
	Submit(ctx context.Context, q ReviewRequest) (state.Review, error)
}

// ReviewRequest is what a person is asked about.
type ReviewRequest struct {
	Thread, Run  string
	Question     string
	Answer       string
	Citations    []state.Citation
	Category     string
	Verification state.Verification
	Confidence   *state.Confidence // nil while scoring is off
	Concerns     []string
	Corrected    bool // corrections of the answer have failed
	Mode         state.ReviewMode
}

// ReviewDecision is what a person decided; it answers the question that a blocking review asks.
type ReviewDecision struct {
	Status   state.ReviewStatus `json:"status"`          // approved, corrected or rejected
	Answer   string             `json:"answer,omitzero"` // of corrected
	Reviewer string             `json:"reviewer,omitzero"`
	Notes    string             `json:"notes,omitzero"`
}

// errReview reports an answer to a review that is none.
var errReview = errors.New("a review is answered with the status approved, corrected (with an answer) or rejected")

// HumanReview is the node human_review: it queues the best answer for a person. A provisional review ends the run with
// the answer, marked; a blocking one waits for the decision. A queue that cannot be written to does not lose the answer.
func (n *Nodes) HumanReview() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameHumanReview, func(ctx context.Context, t *turn) error {
		answer := best(t.state.Attempts)
		review, err := t.submit(ctx, answer)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			t.warn("the review could not be queued (%s)", oneLine(err))
			return t.afterReview(ctx, state.Final{Answer: answer.Answer, Citations: answer.Citations, Message: answer.Message, Status: t.status(answer, rules.Outcome{})}, nil)
		}
		t.update.Verification, t.update.Confidence = &answer.Verification, answer.Confidence
		if review.Mode != state.ReviewBlocking {
			t.warn("a person will look at this answer: review %s", review.ID)
			return t.afterReview(ctx, state.Final{
				Answer: answer.Answer, Citations: answer.Citations, Message: answer.Message, Status: state.StatusPendingReview,
			}, &review)
		}
		final, decision, err := t.wait(ctx, answer, review)
		if err != nil {
			return err
		}
		review.Status, review.Reviewer, review.Notes, review.Corrected = decision.Status, decision.Reviewer, decision.Notes, decision.Answer
		return t.afterReview(ctx, final, &review)
	})
}

func (t *turn) submit(ctx context.Context, a state.Attempt) (state.Review, error) {
	if t.nodes.cfg.Reviews == nil {
		return state.Review{}, errors.New("there is no review queue")
	}
	info, _ := graph.InfoFrom(ctx)
	return t.nodes.cfg.Reviews.Submit(ctx, ReviewRequest{
		Thread: info.Thread, Run: t.state.Run, Question: t.state.Query(), Answer: a.Answer, Citations: a.Citations, Category: t.state.Category,
		Verification: a.Verification, Confidence: a.Confidence, Concerns: concerns(a), Corrected: t.state.Corrections > 0,
		Mode: t.state.Settings.ReviewMode,
	})
}

// concerns is why a person is asked, in sentences.
func concerns(a state.Attempt) []string {
	var list []string
	if v := a.Verification; v.Outcome != state.OutcomeVerified {
		list = append(list, fmt.Sprintf("the answer could not be verified: %s", v.Reason))
	}
	for _, c := range a.Verification.Claims {
		if c.Verdict != state.ClaimSupported && len(list) < 10 {
			list = append(list, fmt.Sprintf("%s: %s", c.Verdict, clip(oneLineText(c.Text), 200)))
		}
	}
	if c := a.Confidence; c != nil {
		list = append(list, fmt.Sprintf("confidence %.2f", c.Total))
		for _, name := range c.Missing {
			list = append(list, name+" could not be measured")
		}
	}
	return list
}

// wait asks for a decision until it is one.
func (t *turn) wait(ctx context.Context, a state.Attempt, review state.Review) (state.Final, ReviewDecision, error) {
	prompt := strings.TrimSuffix(fmt.Sprintf("review %s: %s", review.ID, review.URL), ": ")
	for n := 1; ; n++ {
		decision, err := graph.Ask[ReviewDecision](ctx, fmt.Sprintf("review-%d", n), prompt)
		if err != nil {
			return state.Final{}, decision, err
		}
		final, err := t.decided(a, decision)
		if err == nil {
			return final, decision, nil
		}
		prompt = fmt.Sprintf("review %s: %v", review.ID, err)
	}
}

// decided is the answer after a person's decision.
func (t *turn) decided(a state.Attempt, d ReviewDecision) (state.Final, error) {
	switch {
	case d.Status == state.ReviewApproved:
		return state.Final{Answer: a.Answer, Citations: a.Citations, Message: a.Message, Status: state.StatusPass}, nil
	case d.Status == state.ReviewCorrected && d.Answer != "":
		t.warn("a person has corrected this answer")
		return state.Final{Answer: d.Answer, Message: d.Answer, Status: state.StatusCorrected}, nil
	case d.Status == state.ReviewRejected:
		t.warn("a person has rejected the answer that was found")
		text := t.state.Settings.Abstention
		return state.Final{Answer: text, Message: text, Status: state.StatusAbstained}, nil
	default:
		return state.Final{}, fmt.Errorf("%w, not %q", errReview, d.Status)
	}
}

// afterReview ends the run.
func (t *turn) afterReview(ctx context.Context, final state.Final, review *state.Review) error {
	d := details{"status": final.Status}
	if review != nil {
		t.update.Review = review
		d["review"], d["mode"], d["review_status"] = review.ID, review.Mode, review.Status
	}
	if err := t.audit(ctx, AuditReview, d); err != nil {
		return err
	}
	if final.Answer != t.state.Answer {
		graph.Emit(ctx, Restart{})
		graph.Emit(ctx, Token{Text: final.Answer})
	}
	t.update.Final = &final
	if err := t.fire(ctx, rules.EventDecided); err != nil {
		return err
	}
	return t.auditRunEnd(ctx, final)
}
