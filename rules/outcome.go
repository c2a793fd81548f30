package rules

import (
	"fmt"

	"github.com/kbagent/kbagent/state"
)

// Thresholds are the limits of the decision about an answer. The zero value lets nearly everything pass: start from
// DefaultThresholds.
type Thresholds struct {
	Verify  float64 // confidence of the verification from which the answer counts as grounded, default 0.7
	Pass    float64 // total from which an answer passes, default 0.85
	Review  float64 // total from which a person looks at it instead of a correction, default 0.65
	Correct float64 // total from which a correction is worth trying, default 0.40
	Floors  Floors
}

// Floors are what each dimension must exceed for an answer to pass; one that was not measured has no floor, except
// grounding, without which nothing passes.
type Floors struct {
	Relevance    float64 // default 0.80
	Grounding    float64 // default 0.85
	Consistency  float64 // default 0.80
	Completeness float64 // default 0.75
}

// DefaultThresholds are the defaults of Thresholds.
func DefaultThresholds() Thresholds {
	return Thresholds{
		Verify: 0.7, Pass: 0.85, Review: 0.65, Correct: 0.40,
		Floors: Floors{Relevance: 0.80, Grounding: 0.85, Consistency: 0.80, Completeness: 0.75},
	}
}

// Situation is what a decision about an answer reads.
type Situation struct {
	Verification   state.Verification
	Confidence     *state.Confidence // nil: the score is switched off
	Retrieved      bool              // any evidence was retrieved
	Corrections    int               // made so far
	MaxCorrections int
	Improved       bool // the last correction improved the answer, or none was made yet
	WebPossible    bool // a provider, the switch, and no web round yet
	ReviewOn       bool
	Thresholds     Thresholds
}

// The rows of the decision table, in their order: first match wins. They are stable names.
const (
	RowUnverified        = "unverified"          // the verifier failed or had nothing to check
	RowGrounded          = "grounded"            // score off: the verification suffices
	RowUngrounded        = "ungrounded"          // score off: it does not, and can be corrected
	RowUngroundedFinal   = "ungrounded_final"    // score off: it does not, and no correction is left or helps
	RowNothingRetrieved  = "nothing_retrieved"   // no evidence at all
	RowConfident         = "confident"           // high total, all floors, grounded
	RowMediumConfidence  = "medium_confidence"   // middling total, grounded
	RowCorrectable       = "correctable"         // low total, a correction left
	RowVeryLowConfidence = "very_low_confidence" // very low total, the web left
	RowExhausted         = "exhausted"           // nothing left to try

	// These stand before the table; the caller asks for them first.
	RowCorrectionAccepted = "correction accepted"     // see Accept
	RowWebAccepted        = "web search accepted"     // an answer from the web that holds
	RowWebNotAccepted     = "web search not accepted" // one that does not: for a person, and urgent
)

// Outcome is a decision about an answer.
type Outcome struct {
	Decision state.Decision
	Row      string // the row of the table that held
	Reason   string // one clause with the figures
	Priority bool   // a review is urgent: the total is below Thresholds.Correct, or corrections failed
}

// DecideAnswer decides what becomes of an answer: the first row of the table that holds. It is a pure function, it always
// decides, and it never passes an answer whose grounding is not known. Chitchat and abstentions are not decided here.
//
// Where a row asks for a person and ReviewOn is false, the decision is DELIVER; the row tells how to label the answer. A
// correction that Accept accepts is delivered as CORRECTED by the caller; it asks that first.
func DecideAnswer(s Situation) Outcome {
	switch {
	case s.Verification.Outcome != state.OutcomeVerified:
		return s.review(RowUnverified, "the answer could not be verified"+because(s.Verification.Reason))
	case s.Confidence == nil:
		return s.byVerification()
	case !s.Retrieved && s.WebPossible:
		return s.outcome(state.DecideWebSearch, RowNothingRetrieved, "nothing was retrieved")
	case !s.Retrieved:
		return s.review(RowNothingRetrieved, "nothing was retrieved")
	default:
		return s.byConfidence()
	}
}

// byVerification is the part of the table for a verification without a confidence score.
func (s Situation) byVerification() Outcome {
	figures := fmt.Sprintf("verification %.2f of %.2f", s.Verification.Confidence, s.Thresholds.Verify)
	switch {
	case s.grounded():
		return s.outcome(state.DecidePass, RowGrounded, figures)
	case s.correctionsLeft() && s.Improved:
		return s.outcome(state.DecideSelfCorrect, RowUngrounded, figures)
	default:
		return s.outcome(state.DecideDeliver, RowUngroundedFinal, figures+s.corrected())
	}
}

// byConfidence is the part of the table for a total.
func (s Situation) byConfidence() Outcome {
	total, t := s.Confidence.Total, s.Thresholds
	figures := fmt.Sprintf("confidence %.2f, verification %.2f", total, s.Verification.Confidence)
	low := s.belowFloors()
	switch {
	case AtLeast(total, t.Pass) && low == "" && s.grounded():
		return s.outcome(state.DecidePass, RowConfident, figures)
	case AtLeast(total, t.Review) && s.grounded():
		return s.review(RowMediumConfidence, figures+because(low))
	case AtLeast(total, t.Correct) && s.correctionsLeft():
		return s.outcome(state.DecideSelfCorrect, RowCorrectable, figures+because(low))
	case !AtLeast(total, t.Correct) && s.WebPossible:
		return s.outcome(state.DecideWebSearch, RowVeryLowConfidence, figures)
	default:
		return s.review(RowExhausted, figures+because(low)+s.corrected())
	}
}

// grounded says whether the verification reaches its threshold.
func (s Situation) grounded() bool { return AtLeast(s.Verification.Confidence, s.Thresholds.Verify) }

func (s Situation) correctionsLeft() bool { return s.Corrections < s.MaxCorrections }

// corrected says what corrections were made, for a reason.
func (s Situation) corrected() string {
	if s.Corrections == 0 {
		return ""
	}
	return fmt.Sprintf(", after %d corrections", s.Corrections)
}

// belowFloors names the first dimension that does not exceed its floor, or is "".
func (s Situation) belowFloors() string {
	c, f := s.Confidence.Components, s.Thresholds.Floors
	if c.Grounding == nil {
		return "grounding is not known"
	}
	for _, d := range []struct {
		name  string
		value *float64
		floor float64
	}{
		{"relevance", c.Relevance, f.Relevance}, {"grounding", c.Grounding, f.Grounding},
		{"consistency", c.Consistency, f.Consistency}, {"completeness", c.Completeness, f.Completeness},
	} {
		if d.value != nil && !above(*d.value, d.floor) {
			return fmt.Sprintf("%s %.2f is not above %.2f", d.name, *d.value, d.floor)
		}
	}
	return ""
}

// review asks for a person, or delivers when there is none to ask.
func (s Situation) review(row, reason string) Outcome {
	decision := state.DecideDeliver
	if s.ReviewOn {
		decision = state.DecideReview
	}
	return s.outcome(decision, row, reason)
}

func (s Situation) outcome(decision state.Decision, row, reason string) Outcome {
	low := s.Confidence != nil && !AtLeast(s.Confidence.Total, s.Thresholds.Correct)
	failed := row == RowExhausted && s.Corrections > 0
	return Outcome{Decision: decision, Row: row, Reason: reason, Priority: decision == state.DecideReview && (low || failed)}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// What a correction must reach to be accepted.
const (
	acceptMin  = 0.65
	acceptGain = 0.05
)

// Accept says whether a correction, verified again, is accepted: at least 0.65, and better by at least 0.05.
func Accept(before, after float64) bool {
	return AtLeast(after, acceptMin) && AtLeast(after-before, acceptGain)
}
