package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the version of the stored encoding. A change that older programs cannot read raises it: since 2 a run may
// wait for the check of its answer, which programs that know 1 cannot do.
const Version = 2

// ErrNewerVersion reports a stored state of a later version of the program.
var ErrNewerVersion = errors.New("state was written by a newer version of kbagent")

// AgentState is everything that a conversation remembers. The zero value is a conversation without a question.
// It is a value: Apply returns the next one and never writes memory that the present one can reach.
type AgentState struct {
	Version int `json:"version"`

	// The run: set by Begin, reset for every question.
	Run       string    `json:"run"`
	StartedAt time.Time `json:"started_at"`
	Settings  Settings  `json:"settings"`
	Question  string    `json:"question"`

	ResolvedQuery       string     `json:"resolved_query"` // the question with the conversation folded in
	Route               Route      `json:"route"`
	RouteConfidence     float64    `json:"route_confidence"` // 0–1
	Category            string     `json:"category"`
	Strategy            Strategy   `json:"strategy"`
	AttemptedStrategies []Strategy `json:"attempted_strategies"`
	SubQueries          []string   `json:"sub_queries"`
	Keywords            []string   `json:"keywords"`

	PendingToolCalls []ToolCall   `json:"pending_tool_calls"`
	ToolHistory      []ToolRecord `json:"tool_history"`

	Context        []Evidence   `json:"context"` // best first, at most Settings.MaxContextItems
	Quarantined    []Quarantine `json:"quarantined"`
	EvidenceScores []float64    `json:"evidence_scores"` // of the last grading, in the order that the items had then
	GraderAction   Action       `json:"grader_action"`
	GradeSource    string       `json:"grade_source"` // rule:<name> | llm | lexical | fallback | "" before the first grading

	Evaluation *Evaluation `json:"evaluation,omitempty"` // of the last grading

	Iteration     int `json:"iteration"`      // rounds of tool_call in the evidence loop; corrections of an answer do not count
	Rounds        int `json:"rounds"`         // all rounds of tool_call, which ToolRecord.Round and Quarantine.Round count
	Corrections   int `json:"corrections"`    // corrections of the answer
	WebRounds     int `json:"web_rounds"`     // rounds with a web search
	GradeFailures int `json:"grade_failures"` // rounds whose grades could not be read

	Phase       Phase        `json:"phase"` // of the corrective machine
	Transitions []Transition `json:"transitions"`
	Path        []string     `json:"path"` // the nodes that ran, in order

	Answer       string        `json:"answer"`
	Status       Status        `json:"status"`
	Citations    []Citation    `json:"citations"`
	DraftMessage string        `json:"draft_message,omitzero"` // what the conversation will remember of an answer that is still checked
	Verification *Verification `json:"verification"`           // of the answer; nil while it was not verified
	Confidence   *Confidence   `json:"confidence"`             // of the answer; nil while it was not scored
	Review       *Review       `json:"review"`                 // nil when no person was asked
	Decision     Decision      `json:"action_taken,omitzero"`  // the last one
	Attempts     []Attempt     `json:"attempts,omitempty"`     // answers that were checked, in order
	Targets      []string      `json:"targets,omitempty"`      // queries of the correction that is going on
	Mending      Mending       `json:"mending,omitzero"`       // how it gathers its evidence

	Warnings   []string   `json:"warnings"`
	StopReason StopReason `json:"stop_reason"`
	Usage      Usage      `json:"usage"` // of the run
	// Elapsed is the time that the nodes of the run took; time that a run lay unfinished does not count.
	Elapsed time.Duration `json:"elapsed"`

	// The conversation: kept over questions.
	Messages     []Message `json:"messages"`
	LastEvidence []string  `json:"last_evidence"` // ids cited by the last answer
	Topic        string    `json:"topic"`         // the last question that stood alone: what a follow-up follows
	Totals       Usage     `json:"totals"`        // of all finished runs
}

// Correcting says whether the run gathers evidence to mend an answer that was checked already.
func (s AgentState) Correcting() bool { return len(s.Attempts) > 0 }

// Finished says whether the run has come to its answer or abstention.
func (s AgentState) Finished() bool { return s.Phase == PhaseDone }

// Query is what is searched and graded: the resolved question, or the question while it is not resolved.
func (s AgentState) Query() string {
	if s.ResolvedQuery != "" {
		return s.ResolvedQuery
	}
	return s.Question
}

// Round is the records of tool_history that belong to round n, in the order of their calls.
func (s AgentState) Round(n int) []ToolRecord {
	var records []ToolRecord
	for _, r := range s.ToolHistory {
		if r.Round == n {
			records = append(records, r)
		}
	}
	return records
}

// UnmarshalJSON reads every released version of the encoding. It returns ErrNewerVersion for a later one.
func (s *AgentState) UnmarshalJSON(data []byte) error {
	var stamp struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &stamp); err != nil {
		return fmt.Errorf("read agent state: %w", err)
	}
	if stamp.Version > Version {
		return fmt.Errorf("%w: version %d, this program knows %d", ErrNewerVersion, stamp.Version, Version)
	}
	type plain AgentState
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("read agent state: %w", err)
	}
	*s = AgentState(p)
	if s.Rounds == 0 { // written before corrections had rounds of their own
		s.Rounds = s.Iteration
	}
	return nil
}
