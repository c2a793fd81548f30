package state

import "time"

// Settings are the thresholds and switches of one run. They are read once, when the question is asked, and travel
// with the run: a run that is resumed after a restart keeps the settings that it started with.
type Settings struct {
	MaxIterations        int        `json:"max_iterations"`          // rounds of tool_call, 1–10, default 3
	AutoApproveMaxItems  int        `json:"auto_approve_max_items"`  // rule few_context, 0–100, default 2; 0 switches it off
	VectorScoreThreshold float64    `json:"vector_score_threshold"`  // rule high_vector_score, cosine 0–1, default 0.8
	EvidenceMinScore     float64    `json:"evidence_min_score"`      // items below leave the context, 0–1, default 0.3
	GenerateMinScore     float64    `json:"generate_min_score"`      // average from which GENERATE follows, default 0.7
	MaxContextItems      int        `json:"max_context_items"`       // items in the context, 1–100, default 20
	Evaluator            Evaluator  `json:"evaluator"`               // default auto
	AnswerMode           AnswerMode `json:"answer_mode"`             // default best_effort
	QueryExpansion       bool       `json:"query_expansion"`         // offers the strategy expanded, default true
	MaxLLMCalls          int        `json:"llm_max_calls,omitzero"`  // model calls of a run, 0 = no limit (default)
	MaxLLMTokens         int        `json:"llm_max_tokens,omitzero"` // tokens of a run, 0 = no limit (default)
	Abstention           string     `json:"abstention"`              // the sentence that says that there is no answer

	RefineContext  bool    `json:"refine_context,omitzero"`      // cut the evidence into strips before the answer is written, default false
	WebSearch      WebMode `json:"web_search,omitzero"`          // default off
	WebReplace     bool    `json:"web_replace,omitzero"`         // web results replace the local evidence instead of being added, default false
	Verify         bool    `json:"verify,omitzero"`              // check the answer's claims, default false here; on by configuration with a model
	VerifyMin      float64 `json:"verify_threshold,omitzero"`    // confidence of a verification from which an answer is grounded, default 0.7
	VerifyAttempts int     `json:"verify_max_attempts,omitzero"` // corrections of an answer, 0–5, default 2
	VerifyRate     bool    `json:"verify_rate,omitzero"`         // the formula "rate", without the absolute penalty
	ShowClaims     bool    `json:"verify_show_claims,omitzero"`  // default false

	ScoreConfidence   bool       `json:"confidence,omitzero"`         // default false
	ConfidencePass    float64    `json:"confidence_pass,omitzero"`    // default 0.85
	ConfidenceReview  float64    `json:"confidence_review,omitzero"`  // default 0.65
	ConfidenceCorrect float64    `json:"confidence_correct,omitzero"` // default 0.40
	Floors            Floors     `json:"confidence_floors,omitzero"`  // what each dimension must exceed for an answer to pass
	ReviewMode        ReviewMode `json:"review,omitzero"`             // default off

	// Scope is where the knowledge base is looked into; default everywhere.
	Scope Scope `json:"scope,omitzero"`

	// RunTimeout is the wall time after which the loop ends with the best answer so far; 0 = no limit (default).
	RunTimeout time.Duration `json:"run_timeout,omitzero"`
}

// Scope bounds the retrieval of a run to a part of the knowledge base. The zero Scope is all of it.
type Scope struct {
	// Collections are names, separated by commas, of collections of which a file has to be in one.
	Collections string `json:"collections,omitzero"`
	// Paths are patterns, separated by line feeds, of which a file's path has to match one.
	Paths string `json:"paths,omitzero"`
}

// Floors are what the dimensions of a confidence must exceed, each 0–1; one that was not measured has none.
type Floors struct {
	Relevance    float64 `json:"relevance"`    // default 0.80
	Grounding    float64 `json:"grounding"`    // default 0.85
	Consistency  float64 `json:"consistency"`  // default 0.80
	Completeness float64 `json:"completeness"` // default 0.75
}

// DefaultAbstention is the sentence of an answer that found nothing.
const DefaultAbstention = "I could not find an answer to this in the knowledge base."

// DefaultSettings are the settings of a fresh machine.
func DefaultSettings() Settings {
	return Settings{
		MaxIterations:        3,
		AutoApproveMaxItems:  2,
		VectorScoreThreshold: 0.8,
		EvidenceMinScore:     0.3,
		GenerateMinScore:     0.7,
		MaxContextItems:      20,
		Evaluator:            EvaluatorAuto,
		AnswerMode:           ModeBestEffort,
		QueryExpansion:       true,
		Abstention:           DefaultAbstention,

		WebSearch: WebOff, VerifyMin: 0.7, VerifyAttempts: 2,
		ConfidencePass: 0.85, ConfidenceReview: 0.65, ConfidenceCorrect: 0.40, ReviewMode: ReviewOff,
		Floors: Floors{Relevance: 0.80, Grounding: 0.85, Consistency: 0.80, Completeness: 0.75},
	}
}
