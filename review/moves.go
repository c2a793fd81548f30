package review

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxReviewer is how many bytes a reviewer's name has at most.
const maxReviewer = 200

// Claim makes reviewer the one who looks at e. Claiming twice is no error and changes nothing.
// It returns a [*ClaimedError] when somebody else holds e, a [*DecidedError] when it is decided, and ErrInvalid for a name
// that is none; e is unchanged then.
func (e *Entry) Claim(reviewer string, at time.Time) error {
	if err := checkReviewer(reviewer); err != nil {
		return err
	}
	if err := e.openFor(reviewer); err != nil || e.Status == InReview {
		return err
	}
	e.Status, e.Reviewer, e.ClaimedAt = InReview, reviewer, e.notBeforeCreation(at)
	return nil
}

// Release gives e back to the queue. Releasing what nobody holds is no error. Its errors are those of Claim.
func (e *Entry) Release(reviewer string) error {
	if err := checkReviewer(reviewer); err != nil {
		return err
	}
	if err := e.openFor(reviewer); err != nil {
		return err
	}
	e.Status, e.Reviewer, e.ClaimedAt = Pending, "", time.Time{}
	return nil
}

// Decision is what a reviewer says about an answer.
type Decision struct {
	Reviewer string
	// Status is Approved, Corrected or Rejected.
	Status Status
	// Notes are for whoever asked, and required for Rejected.
	Notes string
	// Corrected is the right answer: required for Corrected, refused for the others.
	Corrected string
	// Rating is 1–5, 5 is best; 0 is none.
	Rating int
	// At is the moment of the decision; one before the entry was created counts as that moment.
	At time.Time
}

// Decide closes e, which is pending or held by the same reviewer. Its errors are those of Claim, and ErrInvalid for a
// decision that is not complete; e is unchanged then.
func (e *Entry) Decide(d Decision) error {
	if err := d.validate(); err != nil {
		return err
	}
	if err := e.openFor(d.Reviewer); err != nil {
		return err
	}
	at := e.notBeforeCreation(d.At)
	if e.ClaimedAt.IsZero() {
		e.ClaimedAt = at
	}
	e.Status, e.Reviewer, e.DecidedAt = d.Status, d.Reviewer, at
	e.Notes, e.Corrected, e.Rating = d.Notes, d.Corrected, d.Rating
	e.SLAMet = new(!at.After(e.Deadline))
	return nil
}

// Settle notes that everything that follows the decision was done. It returns ErrInvalid for an entry without a decision.
func (e *Entry) Settle(at time.Time) error {
	if !e.Status.Final() {
		return invalid("review %s is not decided", e.ID)
	}
	e.SettledAt = e.notBeforeCreation(at)
	return nil
}

func (d Decision) validate() error {
	if err := checkReviewer(d.Reviewer); err != nil {
		return err
	}
	switch {
	case !d.Status.Final():
		return invalid("a decision is approved, corrected or rejected, not %q", d.Status)
	case d.Status == Corrected && strings.TrimSpace(d.Corrected) == "":
		return invalid("a correction needs the corrected answer")
	case d.Status != Corrected && d.Corrected != "":
		return invalid("only a correction has a corrected answer")
	case d.Status == Rejected && strings.TrimSpace(d.Notes) == "":
		return invalid("a rejection needs notes that say why")
	case d.Rating < 0 || d.Rating > 5:
		return invalid("a rating is 1 to 5, not %d", d.Rating)
	case !utf8.ValidString(d.Notes) || !utf8.ValidString(d.Corrected):
		return invalid("notes and corrected answers are UTF-8")
	case d.At.IsZero():
		return invalid("a decision has a time")
	}
	return nil
}

// openFor says why reviewer may not touch e.
func (e *Entry) openFor(reviewer string) error {
	switch {
	case e.Status.Final():
		return &DecidedError{ID: e.ID, Status: e.Status, Reviewer: e.Reviewer, At: e.DecidedAt}
	case e.Status == InReview && e.Reviewer != reviewer:
		return &ClaimedError{ID: e.ID, Reviewer: e.Reviewer, Since: e.ClaimedAt}
	}
	return nil
}

func checkReviewer(name string) error {
	switch {
	case strings.TrimSpace(name) != name || name == "":
		return invalid("a reviewer has a name without spaces around it, not %q", name)
	case len(name) > maxReviewer || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return invalid("a reviewer's name is at most %d bytes of UTF-8 on one line", maxReviewer)
	}
	return nil
}

// notBeforeCreation keeps clocks that disagree from making durations negative.
func (e *Entry) notBeforeCreation(at time.Time) time.Time {
	if at = moment(at); at.Before(e.CreatedAt) {
		return e.CreatedAt
	}
	return at
}
