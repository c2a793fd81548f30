package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// Answer is the result of one question; its JSON is the output of `kbagent ask --json`.
type Answer struct {
	Answer         string             `json:"answer"`
	Status         state.Status       `json:"status"`
	Citations      []Citation         `json:"citations"`
	Verification   *Verification      `json:"verification"` // null when the answer was not verified
	Confidence     *float64           `json:"confidence"`   // 0–1; null when the answer was not scored; 1 or 0 once a person has decided
	Components     *state.Components  `json:"components"`   // of the confidence; null with it
	ActionTaken    state.Decision     `json:"action_taken,omitzero"`
	Review         *state.Review      `json:"review,omitempty"`
	Evaluation     *state.Evaluation  `json:"evaluation,omitempty"` // of the last retrieval
	Path           []string           `json:"path"`
	Transitions    []state.Transition `json:"transitions"`
	Rule           string             `json:"rule"` // the pre-filter rule of the last grading, or ""
	GradeSource    string             `json:"grade_source"`
	GraderAction   state.Action       `json:"grader_action"`
	Iteration      int                `json:"iteration"`
	EvidenceScores []float64          `json:"evidence_scores"`
	StopReason     state.StopReason   `json:"stop_reason"`
	VectorSearch   bool               `json:"vector_search"` // passages were looked for by meaning too, not by words alone
	Usage          state.Usage        `json:"usage"`
	Warnings       []string           `json:"warnings"`
	Thread         string             `json:"thread"`
	ElapsedMS      float64            `json:"elapsed_ms"`

	Resumed bool             `json:"-"` // an unfinished run was continued
	State   state.AgentState `json:"-"` // the whole state, for /why and /sources
}

// Citation is one source of an answer. Lines are 1-based and inclusive; Quote stands verbatim in them.
type Citation struct {
	N         int    `json:"n"`
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Quote     string `json:"quote"`
	Page      string `json:"page,omitzero"` // "page 3", of formats that have pages
}

// String is the source as answers list it: "[1] path:L42-L57", with the page where there are some.
func (c Citation) String() string {
	place := fmt.Sprintf("[%d] %s:L%d-L%d", c.N, c.Path, c.StartLine, c.EndLine)
	if c.Page != "" {
		place += " (" + c.Page + ")"
	}
	return place
}

func (a *Agent) answer(s state.AgentState, thread string, elapsed time.Duration) Answer {
	out := AnswerOf(s)
	out.Thread, out.ElapsedMS, out.VectorSearch = thread, milliseconds(elapsed), a.cfg.Nodes.Library.HasVectors()
	return out
}

// AnswerOf is the answer of a run that has ended in a state, without what the state does not know: its thread, the
// time that it took, and whether there was vector search.
func AnswerOf(s state.AgentState) Answer {
	rule, _ := strings.CutPrefix(s.GradeSource, "rule:")
	if rule == s.GradeSource {
		rule = ""
	}
	out := Answer{
		Answer: s.Answer, Status: s.Status, Citations: []Citation{}, Path: list(s.Path), Transitions: list(s.Transitions), Rule: rule,
		GradeSource: s.GradeSource, GraderAction: s.GraderAction, Iteration: s.Iteration, EvidenceScores: list(s.EvidenceScores),
		StopReason: s.StopReason, Usage: s.Usage, Warnings: list(s.Warnings), State: s,
	}
	out.Verification, out.ActionTaken, out.Review, out.Evaluation = verification(s), s.Decision, s.Review, s.Evaluation
	if s.Confidence != nil {
		out.Confidence, out.Components = &s.Confidence.Total, &s.Confidence.Components
	}
	for _, c := range s.Citations {
		out.Citations = append(out.Citations, Citation{
			N: c.N, Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Quote: mask.Cards(c.Quote), Page: c.Page,
		})
	}
	return out
}

// list is never null in JSON.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
