package nodes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// ReviewDecision is what a person decided; it answers the question that a blocking review asks.
type ReviewDecision struct {
	Status   state.ReviewStatus `json:"status"`          // approved, corrected or rejected
	Answer   string             `json:"answer,omitzero"` // of corrected
	Reviewer string             `json:"reviewer,omitzero"`
	Notes    string             `json:"notes,omitzero"`
}

// ErrReview reports an answer to a review that is none.
var ErrReview = errors.New("a review is answered with the status approved, corrected (with an answer) or rejected")

// Check returns ErrReview for what is no decision.
func (d ReviewDecision) Check() error {
	switch {
	case d.Status == state.ReviewApproved, d.Status == state.ReviewRejected:
		return nil
	case d.Status == state.ReviewCorrected && strings.TrimSpace(d.Answer) != "":
		return nil
	}
	return fmt.Errorf("%w, not %q", ErrReview, d.Status)
}

// Settle is what a decision that passes Check makes of an answer, and how sure of it one may be: a person has looked at
// it, so that nothing that was measured counts any more. Card numbers are masked. A rejected answer becomes the
// abstention of the settings.
func (d ReviewDecision) Settle(answer state.Final, s state.Settings) (state.Final, state.Confidence) {
	switch d.Status {
	case state.ReviewCorrected:
		text := mask.Cards(strings.TrimSpace(d.Answer))
		return state.Final{Answer: text, Message: text, Status: state.StatusCorrected}, state.Confidence{Total: 1}
	case state.ReviewRejected:
		return abstention(s), state.Confidence{}
	default:
		answer.Status = state.StatusPass
		return answer, state.Confidence{Total: 1}
	}
}
