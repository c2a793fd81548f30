package state

import "time"

// Update is what one node says. The zero Update says nothing: pointers set a field when they are not nil,
// slices are appended, Usage is added.
type Update struct {
	Begin *Begin `json:"begin,omitempty"` // starts a run; applied before everything else
	Node  string `json:"node,omitzero"`   // appended to Path

	ResolvedQuery   *string     `json:"resolved_query,omitempty"`
	Route           *Route      `json:"route,omitempty"`
	RouteConfidence *float64    `json:"route_confidence,omitempty"`
	Category        *string     `json:"category,omitempty"`
	Strategy        *Strategy   `json:"strategy,omitempty"` // also appended to AttemptedStrategies
	SubQueries      *[]string   `json:"sub_queries,omitempty"`
	Keywords        *[]string   `json:"keywords,omitempty"`
	Calls           *[]ToolCall `json:"calls,omitempty"` // replaces PendingToolCalls

	Round   *Round   `json:"round,omitempty"`   // a finished round of tool calls
	Grading *Grading `json:"grading,omitempty"` // a finished grading

	Transitions []Transition `json:"transitions,omitempty"` // the last one's To becomes the Phase
	StopReason  *StopReason  `json:"stop_reason,omitempty"`
	Draft       *Final       `json:"draft,omitempty"` // an answer that is still to be checked
	Final       *Final       `json:"final,omitempty"` // the answer; ends the run

	Decided *Final `json:"decided,omitempty"` // a person's verdict on the answer of a run that has ended

	Verification *Verification `json:"verification,omitempty"`
	Confidence   *Confidence   `json:"confidence,omitempty"`
	Review       *Review       `json:"review,omitempty"`
	Decision     *Decision     `json:"action_taken,omitempty"`
	Attempt      *Attempt      `json:"attempt,omitempty"` // a checked answer, appended to Attempts
	Targets      *[]string     `json:"targets,omitempty"` // queries of the correction that follows; a correction or web round begins
	Mending      *Mending      `json:"mending,omitempty"` // how that correction gathers its evidence
	Refined      *[]Evidence   `json:"refined,omitempty"` // replaces the context
	// Reranked replaces the context, best first; what was in the context and is not in it is put away, and what was put away
	// and is in it is back.
	Reranked *[]Evidence `json:"reranked,omitempty"`

	Warnings []string      `json:"warnings,omitempty"` // appended, duplicates dropped
	Usage    Usage         `json:"usage,omitzero"`     // added to the usage of the run
	Topic    *string       `json:"topic,omitempty"`
	Elapsed  time.Duration `json:"elapsed,omitzero"` // added to the time of the run
}

// Begin starts a run on a question. It resets everything that belongs to the previous run.
type Begin struct {
	Run      string    `json:"run"`
	Question string    `json:"question"`
	Settings Settings  `json:"settings"`
	At       time.Time `json:"at"`
}

// Round is the outcome of one round of tool calls.
type Round struct {
	Records []ToolRecord `json:"records"`         // in the order of the calls; Round is set by Apply
	Found   []Evidence   `json:"found"`           // merged into the context: by id, the best retrieval score stays
	Ranked  bool         `json:"ranked,omitzero"` // Found is in order; otherwise the records' ranks decide
}

// Grading is the outcome of one run of grade_evidence over the context.
type Grading struct {
	Source string  `json:"source"` // see AgentState.GradeSource
	Action Action  `json:"action"`
	Items  []Grade `json:"items"`           // one for each item of the context, in its order
	Failed bool    `json:"failed,omitzero"` // the grades could not be read; counts as a grade failure
	// Evaluation is nil in logs of version 1.
	Evaluation *Evaluation `json:"evaluation,omitempty"`
}

// Grade is the verdict on one item of the context.
type Grade struct {
	ID     string  `json:"id"`
	Score  float64 `json:"score"`           // 0–1
	Reason string  `json:"reason,omitzero"` // why the item leaves the context; empty = it stays
}

// Final is the answer of a run.
type Final struct {
	Answer    string     `json:"answer"`
	Status    Status     `json:"status"`
	Citations []Citation `json:"citations,omitempty"`
	Message   string     `json:"message"` // the answer as the conversation remembers it
}
