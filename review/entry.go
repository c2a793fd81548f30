package review

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Entry is one answer that a person is to look at, with what became of it. Its times are UTC, in steps of a microsecond.
type Entry struct {
	ID string `json:"id"` // 1 to 64 of a–z, 0–9 and -, the first none of them a -: it names a file and ends a URL
	// Thread and Run say where the answer comes from. A run has one entry.
	Thread string `json:"thread"`
	Run    string `json:"run"`

	Question string `json:"question"`
	Answer   string `json:"answer"`
	// Confidence is 0–1, higher is better, and counts only with HasConfidence.
	Confidence    float64            `json:"confidence"`
	HasConfidence bool               `json:"has_confidence"`
	Components    map[string]float64 `json:"components,omitempty"` // the dimensions of the confidence, each 0–1
	Category      string             `json:"category,omitzero"`    // of the question
	Sources       []Source           `json:"sources,omitempty"`    // that the answer cites
	Concerns      []string           `json:"concerns,omitempty"`   // why a person is to look at it
	Priority      Priority           `json:"priority"`
	Mode          Mode               `json:"mode"`

	Status   Status `json:"status"`
	Reviewer string `json:"reviewer,omitzero"` // who holds or has decided it
	Notes    string `json:"notes,omitzero"`
	// Corrected is the right answer; empty unless Status is Corrected.
	Corrected string `json:"corrected_answer,omitzero"`
	Rating    int    `json:"rating,omitzero"` // 1–5, 5 is best; 0 is none

	CreatedAt time.Time `json:"created_at"`
	Deadline  time.Time `json:"deadline"` // until when it is to be decided
	ClaimedAt time.Time `json:"claimed_at,omitzero"`
	DecidedAt time.Time `json:"decided_at,omitzero"`
	SLAMet    *bool     `json:"sla_met,omitzero"` // whether it was decided by the deadline; nil while it is open
	// SettledAt is when everything that follows a decision was done, such as making a correction evidence. Zero for a
	// decided entry: not yet, to be done again.
	SettledAt time.Time `json:"settled_at,omitzero"`
}

// Source is a place that an answer cites.
type Source struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line,omitzero"` // from 1; 0 where there are no lines
	EndLine   int    `json:"end_line,omitzero"`
	Quote     string `json:"quote,omitzero"`
}

// String is the place as "path:L3-L7".
func (s Source) String() string {
	switch {
	case s.StartLine <= 0:
		return s.Path
	case s.EndLine <= s.StartLine:
		return fmt.Sprintf("%s:L%d", s.Path, s.StartLine)
	default:
		return fmt.Sprintf("%s:L%d-L%d", s.Path, s.StartLine, s.EndLine)
	}
}

// Mode says what happens to an answer while it waits for a person.
type Mode string

// The modes.
const (
	Provisional Mode = "provisional" // it goes out, marked
	Blocking    Mode = "blocking"    // its run waits for the decision
)

// Status is where an entry stands.
type Status string

// The statuses. The last three are final.
const (
	Pending   Status = "pending"
	InReview  Status = "in_review"
	Approved  Status = "approved"
	Corrected Status = "corrected"
	Rejected  Status = "rejected"
)

// Statuses lists all statuses, in the order of an entry's life.
func Statuses() []Status { return []Status{Pending, InReview, Approved, Corrected, Rejected} }

// Final says whether a decision was made.
func (s Status) Final() bool { return s == Approved || s == Corrected || s == Rejected }

func (s Status) known() bool { return s == Pending || s == InReview || s.Final() }

// Overdue says whether e is open at now although its deadline has passed.
func (e Entry) Overdue(now time.Time) bool { return !e.Status.Final() && now.After(e.Deadline) }

var validID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Validate returns ErrInvalid, with what is wrong, for an entry that cannot be stored.
func (e Entry) Validate() error {
	switch {
	case !validID.MatchString(e.ID):
		return invalid("an id is 1 to 64 of a-z, 0-9 and -, not %q", e.ID)
	case e.Thread == "" || e.Run == "":
		return invalid("entry %s names no thread or no run", e.ID)
	case strings.TrimSpace(e.Question) == "" || strings.TrimSpace(e.Answer) == "":
		return invalid("entry %s has no question or no answer", e.ID)
	case !e.Priority.known():
		return invalid("entry %s has the priority %q", e.ID, e.Priority)
	case e.Mode != Provisional && e.Mode != Blocking:
		return invalid("entry %s has the mode %q", e.ID, e.Mode)
	case e.CreatedAt.IsZero() || e.Deadline.IsZero():
		return invalid("entry %s has no time of creation or no deadline", e.ID)
	}
	for _, text := range []string{e.Thread, e.Run, e.Question, e.Answer, e.Category} {
		if !utf8.ValidString(text) {
			return invalid("entry %s has a text that is not UTF-8", e.ID)
		}
	}
	if err := e.validateNumbers(); err != nil {
		return err
	}
	return e.validateProgress()
}

func (e Entry) validateNumbers() error {
	if !e.HasConfidence && e.Confidence != 0 {
		return invalid("entry %s has a confidence that does not count", e.ID)
	}
	if !share(e.Confidence) {
		return invalid("entry %s has a confidence of %v, which is not 0 to 1", e.ID, e.Confidence)
	}
	for name, c := range e.Components {
		if !share(c) {
			return invalid("entry %s: %s is %v, which is not 0 to 1", e.ID, name, c)
		}
	}
	if e.Rating < 0 || e.Rating > 5 {
		return invalid("a rating is 1 to 5, not %d", e.Rating)
	}
	return nil
}

// validateProgress checks that what was filled in fits the status.
func (e Entry) validateProgress() error {
	held := e.Status == InReview || e.Status.Final()
	switch {
	case !e.Status.known():
		return invalid("entry %s has the status %q", e.ID, e.Status)
	case held != (e.Reviewer != ""):
		return invalid("entry %s is %s with the reviewer %q", e.ID, e.Status, e.Reviewer)
	case e.Status.Final() == e.DecidedAt.IsZero() || e.Status.Final() != (e.SLAMet != nil):
		return invalid("entry %s is %s without fitting times", e.ID, e.Status)
	case (e.Status == Corrected) != (e.Corrected != ""):
		return invalid("entry %s is %s, and has a corrected answer or lacks it", e.ID, e.Status)
	}
	return nil
}

func share(x float64) bool { return !math.IsNaN(x) && x >= 0 && x <= 1 }

// moment is t as entries keep it.
func moment(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// normal is e with its times as entries keep them.
func (e Entry) normal() Entry {
	for _, t := range []*time.Time{&e.CreatedAt, &e.Deadline, &e.ClaimedAt, &e.DecidedAt, &e.SettledAt} {
		*t = moment(*t)
	}
	return e
}
