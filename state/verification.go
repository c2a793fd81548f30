package state

// ClaimVerdict says how far the evidence carries a claim.
type ClaimVerdict string

// The verdicts on a claim.
const (
	ClaimSupported   ClaimVerdict = "SUPPORTED"
	ClaimPartial     ClaimVerdict = "PARTIALLY_SUPPORTED" // counts as not supported
	ClaimUnsupported ClaimVerdict = "UNSUPPORTED"
)

// VerificationOutcome says whether a verification has a result.
type VerificationOutcome string

// The outcomes of a verification.
const (
	OutcomeVerified      VerificationOutcome = "verified"
	OutcomeUnknown       VerificationOutcome = "unknown"        // the verifier failed; never taken for grounded
	OutcomeNotVerifiable VerificationOutcome = "not_verifiable" // the answer makes no factual claim
)

// Level is a confidence in words: ≥ 0.9 high, ≥ 0.7 medium, ≥ 0.5 low, else very low.
type Level string

// The levels.
const (
	LevelHigh    Level = "high"
	LevelMedium  Level = "medium"
	LevelLow     Level = "low"
	LevelVeryLow Level = "very_low"
)

// Claim is one factual statement of an answer with the verdict on it. Quote stands verbatim, white space aside, in the
// item; without such a quote a claim is never supported.
type Claim struct {
	Text      string       `json:"text"`
	Verdict   ClaimVerdict `json:"verdict"`
	Score     float64      `json:"score"` // 0–1, how far the evidence carries it; what a verifier without a model measures, 1, 0.5 or 0 by a model
	Quote     string       `json:"quote,omitzero"`
	ItemID    string       `json:"item_id,omitzero"`
	Reasoning string       `json:"reasoning,omitzero"`
}

// Verification is what verify_answer found out about an answer.
type Verification struct {
	Outcome    VerificationOutcome `json:"outcome"`
	By         string              `json:"by"`         // llm | lexical
	Confidence float64             `json:"confidence"` // 0–1, by the formula of package verify
	Level      Level               `json:"level,omitzero"`
	Grounded   bool                `json:"is_grounded"`
	Checked    int                 `json:"claims_checked"`
	Supported  int                 `json:"claims_supported"`
	Partial    int                 `json:"claims_partial"` // the rest is unsupported
	Claims     []Claim             `json:"claims,omitempty"`
	// Corrections are the verifier's suggestions how to mend the answer.
	Corrections []string `json:"suggested_corrections,omitempty"`
	Reason      string   `json:"reason,omitzero"` // why the outcome is not verified
	Blind       string   `json:"blind,omitzero"`  // what this verifier cannot see
}

// Attempt is one answer of a run with what was found out about it. The best one is delivered, never just the last.
type Attempt struct {
	Kind         AttemptKind  `json:"kind"`
	Answer       string       `json:"answer"`
	Status       Status       `json:"status"`
	Citations    []Citation   `json:"citations,omitempty"`
	Message      string       `json:"message"`
	Verification Verification `json:"verification"`
	Confidence   *Confidence  `json:"confidence,omitempty"` // nil while scoring is off
	Items        int          `json:"items"`                // of evidence that it was written from
	Mending      Mending      `json:"mending,omitzero"`     // how evidence for a corrected answer was gathered
}

// Mending is a way to gather evidence for an answer that is to be corrected.
type Mending string

// The ways to mend an answer.
const (
	MendSearch Mending = "search" // targeted searches for what lacks support
	MendRerank Mending = "rerank" // order and choose anew among all that was found in the run
)

// AttemptKind says what led to an attempt.
type AttemptKind string

// The kinds of attempts.
const (
	AttemptFirst   AttemptKind = "first"
	AttemptCorrect AttemptKind = "self_correct"
	AttemptWeb     AttemptKind = "web_search"
)

// Confidence is the score of an answer over the dimensions that could be measured. A dimension that could not is nil and
// named in Missing; the weights of the others are scaled up to a sum of 1.
type Confidence struct {
	Total      float64    `json:"total"` // 0–1
	Components Components `json:"components"`
	Missing    []string   `json:"missing,omitempty"` // names of dimensions, in the order of Components
}

// Components are the dimensions of a confidence, each 0–1.
type Components struct {
	Relevance      *float64 `json:"relevance"`      // mean grade of the evidence used
	Consistency    *float64 `json:"consistency"`    // agreement of the documents on the answer; nil for a single one
	Grounding      *float64 `json:"grounding"`      // supported claims / claims
	Completeness   *float64 `json:"completeness"`   // share of the parts that the kind of question requires
	Classification *float64 `json:"classification"` // route_confidence
}

// Decision is what decide chose to do with an answer.
type Decision string

// The decisions.
const (
	DecidePass        Decision = "PASS"
	DecideDeliver     Decision = "DELIVER"      // as it is, labelled
	DecideSelfCorrect Decision = "SELF_CORRECT" // more evidence for what lacks support, and another answer
	DecideWebSearch   Decision = "WEB_SEARCH"
	DecideReview      Decision = "REVIEW"
)

// Review is what became of an answer that a person is to look at.
type Review struct {
	ID        string       `json:"id"`
	Mode      ReviewMode   `json:"mode"`
	Status    ReviewStatus `json:"status"`
	Priority  string       `json:"priority,omitzero"` // high | medium | low
	Concerns  []string     `json:"concerns,omitempty"`
	URL       string       `json:"review_url,omitzero"`
	Reviewer  string       `json:"reviewer,omitzero"`
	Notes     string       `json:"notes,omitzero"`
	Corrected string       `json:"corrected_answer,omitzero"`
}

// ReviewMode says what happens to an answer while it waits for a person.
type ReviewMode string

// The review modes.
const (
	ReviewOff         ReviewMode = "off"
	ReviewProvisional ReviewMode = "provisional" // it goes out, marked PENDING_REVIEW
	ReviewBlocking    ReviewMode = "blocking"    // the run waits for the decision
)

// ReviewStatus is where a review stands.
type ReviewStatus string

// The statuses of a review.
const (
	ReviewPending   ReviewStatus = "pending"
	ReviewInReview  ReviewStatus = "in_review"
	ReviewApproved  ReviewStatus = "approved"
	ReviewCorrected ReviewStatus = "corrected"
	ReviewRejected  ReviewStatus = "rejected"
)
