package scenarios

import (
	"encoding/json"
	"fmt"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Observation is what a scenario can see after a turn: the fields of `kbagent ask --json` and what lies behind them.
type Observation struct {
	Error   string `json:"error"`   // the turn failed: what the person sees
	Resumed bool   `json:"resumed"` // an unfinished run was continued

	Answer         string           `json:"answer"`
	Status         string           `json:"status"`
	Citations      []agent.Citation `json:"citations"`
	Path           []string         `json:"path"`
	Transitions    []string         `json:"transitions"` // "GRADE sufficient GENERATE"
	Rule           string           `json:"rule"`
	GradeSource    string           `json:"grade_source"`
	GraderAction   string           `json:"grader_action"`
	Iteration      int              `json:"iteration"`
	EvidenceScores []float64        `json:"evidence_scores"`
	StopReason     string           `json:"stop_reason"`
	Warnings       []string         `json:"warnings"`
	Usage          Usage            `json:"usage"`

	Route         string      `json:"route"`
	Category      string      `json:"category"`
	ResolvedQuery string      `json:"resolved_query"`
	Attempted     []string    `json:"attempted_strategies"`
	SubQueries    []string    `json:"sub_queries"`
	Kept          []string    `json:"kept"`    // ids of the context at the end, in order
	Dropped       []Dropped   `json:"dropped"` // what grading removed, in order
	ToolCalls     []ToolCall  `json:"tool_calls"`
	ModelCalls    []Call      `json:"model_calls"` // of this turn
	Audit         []AuditLine `json:"audit"`       // of this turn
	AuditActions  []string    `json:"audit_actions"`
	Messages      []string    `json:"messages"` // "user: …", "assistant: …"
	Tokens        string      `json:"tokens"`   // what was streamed since the last restart

	Verification *agent.Verification `json:"verification"`
	Confidence   *float64            `json:"confidence"`
	Components   *state.Components   `json:"components"`
	ActionTaken  string              `json:"action_taken"`
	Decisions    []string            `json:"decisions"` // of all attempts, with the row of the table: "REVIEW unverified"
	Review       *state.Review       `json:"review"`
	Evaluation   *state.Evaluation   `json:"evaluation"`
	Corrections  int                 `json:"corrections"`
	WebRounds    int                 `json:"web_rounds"`
	Waits        []string            `json:"waits"`     // questions that the run waits for
	Submitted    []Submitted         `json:"submitted"` // reviews that were queued in this turn
	Broken       []string            `json:"broken"`    // invariants of the agent that the run breaks; seen with Outcomes only
}

// Submitted is a review that was queued.
type Submitted struct {
	ID        string   `json:"id"`
	Question  string   `json:"question"`
	Answer    string   `json:"answer"`
	Mode      string   `json:"mode"`
	Concerns  []string `json:"concerns"`
	Corrected bool     `json:"corrected"`
}

// Usage is what the turn cost.
type Usage struct {
	LLMCalls    int            `json:"llm_calls"`
	TotalTokens int            `json:"total_tokens"`
	ByNode      map[string]int `json:"by_node"`
}

// Dropped is an item that grading removed.
type Dropped struct {
	ID     string  `json:"id"`
	Score  float64 `json:"score"`
	Round  int     `json:"round"`
	Reason string  `json:"reason"`
}

// ToolCall is a call that was made.
type ToolCall struct {
	Round int            `json:"round"`
	Name  string         `json:"name"`
	Args  map[string]any `json:"args"`
	Items int            `json:"items"`
	Error string         `json:"error"`
}

// Call is a call of the model with what it was shown.
type Call struct {
	Role   string `json:"role"`
	Repair bool   `json:"repair"`
	Shown  string `json:"shown"` // all messages, one after another
}

// AuditLine is a line of the audit log.
type AuditLine struct {
	Action  string         `json:"action"`
	Details map[string]any `json:"details"`
}

// see fills an observation from the answer of a turn.
func (o *Observation) see(a agent.Answer) {
	s := a.State
	o.Resumed = a.Resumed
	o.Answer, o.Status, o.Citations = a.Answer, string(a.Status), a.Citations
	o.Path, o.Rule, o.GradeSource, o.GraderAction = a.Path, a.Rule, a.GradeSource, string(a.GraderAction)
	for _, t := range a.Transitions {
		o.Transitions = append(o.Transitions, moveName(t))
	}
	o.Iteration, o.EvidenceScores, o.StopReason, o.Warnings = a.Iteration, a.EvidenceScores, string(a.StopReason), a.Warnings
	o.Usage = Usage{LLMCalls: a.Usage.LLMCalls, TotalTokens: a.Usage.TotalTokens, ByNode: a.Usage.ByNode}
	o.Verification, o.Confidence, o.Components, o.ActionTaken = a.Verification, a.Confidence, a.Components, string(a.ActionTaken)
	o.Review, o.Evaluation, o.Corrections, o.WebRounds = a.Review, a.Evaluation, s.Corrections, s.WebRounds
	o.Route, o.Category, o.ResolvedQuery, o.SubQueries = string(s.Route), s.Category, s.ResolvedQuery, s.SubQueries
	for _, strategy := range s.AttemptedStrategies {
		o.Attempted = append(o.Attempted, string(strategy))
	}
	for _, item := range s.Context {
		o.Kept = append(o.Kept, item.ID)
	}
	for _, q := range s.Quarantined {
		o.Dropped = append(o.Dropped, Dropped{ID: q.Item.ID, Score: q.Score, Round: q.Round, Reason: q.Reason})
	}
	for _, m := range s.Messages {
		o.Messages = append(o.Messages, m.Role+": "+m.Content)
	}
	for _, r := range s.ToolHistory {
		call := ToolCall{Round: r.Round, Name: r.Name, Items: len(r.ItemIDs), Error: r.Error}
		if err := json.Unmarshal(r.Args, &call.Args); err != nil {
			call.Args = map[string]any{"unreadable": string(r.Args)}
		}
		o.ToolCalls = append(o.ToolCalls, call)
	}
}

// moveName is a move of the machine as scenarios write it.
func moveName(t state.Transition) string { return fmt.Sprintf("%s %s %s", t.From, t.Event, t.To) }

// moves are the rows of the machine's table.
func moves() []string {
	var names []string
	for _, row := range rules.Table() {
		names = append(names, moveName(state.Transition{From: row.From, Event: string(row.Event), To: row.To}))
	}
	return names
}

// auditLine brings the details into the form that they have in the log.
func auditLine(l nodes.Line) (AuditLine, error) {
	data, err := json.Marshal(l.Details)
	if err != nil {
		return AuditLine{}, err
	}
	line := AuditLine{Action: l.Action}
	return line, json.Unmarshal(data, &line.Details)
}
