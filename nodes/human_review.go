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
	Corrected    bool // corrections of the answer, or a search of the web, have failed: it is urgent
	Mode         state.ReviewMode
}

// HumanReview is the node human_review: it queues the best answer for a person. A provisional review ends the run with
// the answer, marked; a blocking one takes back what was streamed and waits for the decision. A decision that was made
// while the run lay unfinished holds at once. A queue that cannot be written to does not lose the answer.
func (n *Nodes) HumanReview() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameHumanReview, func(ctx context.Context, t *turn) error {
		answer := best(t.state.Attempts, t.state.Settings)
		t.update.Verification, t.update.Confidence = &answer.Verification, answer.Confidence
		review, err := t.submit(ctx, answer)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return t.unqueued(ctx, answer, err)
		}
		decision := ReviewDecision{Status: review.Status, Answer: review.Corrected, Reviewer: review.Reviewer, Notes: review.Notes}
		if decision.Check() == nil {
			return t.decided(ctx, answer, review, decision)
		}
		if review.Mode == state.ReviewBlocking {
			graph.Emit(ctx, Restart{})
			if decision, err = wait(ctx, review); err != nil {
				return err
			}
			return t.decided(ctx, answer, review, decision)
		}
		t.warn("a person will look at this answer: review %s", review.ID)
		return t.afterReview(ctx, state.Final{
			Answer: answer.Answer, Citations: answer.Citations, Message: answer.Message, Status: state.StatusPendingReview,
		}, &review)
	})
}

// submit queues an answer, once for each run. An entry that was queued is known also while the queue is down.
func (t *turn) submit(ctx context.Context, a state.Attempt) (state.Review, error) {
	present, down := t.queue(ctx, a)
	kept, err := graph.Once(ctx, "review", func(context.Context) (state.Review, error) { return present, down })
	if err != nil || down != nil {
		return kept, err
	}
	return present, nil
}

func (t *turn) queue(ctx context.Context, a state.Attempt) (state.Review, error) {
	if t.nodes.cfg.Reviews == nil {
		return state.Review{}, errors.New("there is no review queue")
	}
	info, _ := graph.InfoFrom(ctx)
	return t.nodes.cfg.Reviews.Submit(ctx, ReviewRequest{
		Thread: info.Thread, Run: t.state.Run, Question: t.state.Query(), Answer: a.Answer, Citations: a.Citations, Category: t.state.Category,
		Verification: a.Verification, Confidence: a.Confidence, Concerns: concerns(a), Corrected: len(t.state.Attempts) > 1,
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

// unqueued ends the run as if nobody were asked.
func (t *turn) unqueued(ctx context.Context, a state.Attempt, reason error) error {
	t.warn("the review could not be queued (%s)", oneLine(reason))
	o := rules.Outcome{Reason: "a person should look at it, and cannot"}
	final := t.final(a, o)
	t.label(final.Status, o)
	return t.afterReview(ctx, final, nil)
}

// wait asks for a decision until it is one.
func wait(ctx context.Context, review state.Review) (ReviewDecision, error) {
	prompt := strings.TrimSuffix(fmt.Sprintf("review %s: %s", review.ID, review.URL), ": ")
	for n := 1; ; n++ {
		decision, err := graph.Ask[ReviewDecision](ctx, fmt.Sprintf("review-%d", n), prompt)
		if err != nil {
			return decision, err
		}
		if err = decision.Check(); err == nil {
			return decision, nil
		}
		prompt = fmt.Sprintf("review %s: %v", review.ID, err)
	}
}

// decided ends the run with what a person made of the answer.
func (t *turn) decided(ctx context.Context, a state.Attempt, review state.Review, d ReviewDecision) error {
	final, confidence := d.Settle(state.Final{Answer: a.Answer, Citations: a.Citations, Message: a.Message}, t.state.Settings)
	switch d.Status {
	case state.ReviewCorrected:
		t.warn("a person has corrected this answer")
	case state.ReviewRejected:
		t.warn("a person has rejected the answer that was found")
	}
	t.update.Confidence = &confidence
	review.Status, review.Reviewer, review.Notes, review.Corrected = d.Status, d.Reviewer, d.Notes, d.Answer
	return t.afterReview(ctx, final, &review)
}

// afterReview ends the run.
func (t *turn) afterReview(ctx context.Context, final state.Final, review *state.Review) error {
	d := details{"status": final.Status, "queued": review != nil}
	if review != nil {
		t.update.Review = review
		d["review"], d["mode"], d["review_status"], d["reviewer"] = review.ID, review.Mode, review.Status, review.Reviewer
		switch a := best(t.state.Attempts, t.state.Settings); {
		case a.Confidence != nil:
			d["confidence"] = a.Confidence.Total
		case a.Verification.Outcome == state.OutcomeVerified:
			d["confidence"] = a.Verification.Confidence
		}
	}
	if err := t.audit(ctx, AuditReview, d); err != nil {
		return err
	}
	if final.Answer != t.state.Answer || review != nil && review.Mode == state.ReviewBlocking {
		graph.Emit(ctx, Restart{})
		graph.Emit(ctx, Token{Text: final.Answer})
	}
	t.update.Final = &final
	if err := t.fire(ctx, rules.EventDecided); err != nil {
		return err
	}
	return t.auditRunEnd(ctx, final)
}
