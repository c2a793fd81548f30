package agent

import (
	"reflect"

	"github.com/kbagent/kbagent/state"
)

// Verification is what was found out about an answer, as `kbagent ask --json` tells it.
type Verification struct {
	Outcome           state.VerificationOutcome `json:"outcome"`
	By                string                    `json:"by"` // llm | lexical
	Confidence        float64                   `json:"confidence"`
	Level             state.Level               `json:"level"`
	Grounded          bool                      `json:"is_grounded"`
	ClaimsChecked     int                       `json:"claims_checked"`
	ClaimsSupported   int                       `json:"claims_supported"`
	CRAGAttempts      int                       `json:"crag_attempts"`           // corrections of the answer that were made
	AdditionalContext bool                      `json:"additional_context_used"` // the answer was written from evidence that a correction found
	Reason            string                    `json:"reason,omitzero"`         // why it was not verified
	Blind             string                    `json:"blind,omitzero"`          // what the verifier cannot see
	Claims            []state.Claim             `json:"claims,omitempty"`        // with KB_AGENT_VERIFY_SHOW_CLAIMS
	Corrections       []string                  `json:"suggested_corrections,omitempty"`
	History           []AttemptSummary          `json:"history"` // of all answers that were checked, in order
}

// AttemptSummary is one answer that was checked.
type AttemptSummary struct {
	Kind       state.AttemptKind         `json:"kind"`
	Outcome    state.VerificationOutcome `json:"outcome"`
	Confidence float64                   `json:"confidence"`      // of its verification
	Total      *float64                  `json:"total,omitempty"` // of its score
	Answer     string                    `json:"answer"`
	Delivered  bool                      `json:"delivered"`
}

// verification is nil when nothing was verified.
func verification(s state.AgentState) *Verification {
	if s.Verification == nil {
		return nil
	}
	v := s.Verification
	out := &Verification{
		Outcome: v.Outcome, By: v.By, Confidence: v.Confidence, Level: v.Level, Grounded: v.Grounded, ClaimsChecked: v.Checked,
		ClaimsSupported: v.Supported, CRAGAttempts: s.Corrections, Reason: v.Reason, Blind: v.Blind, Corrections: v.Corrections,
		History: []AttemptSummary{},
	}
	if s.Settings.ShowClaims {
		out.Claims = v.Claims
	}
	delivered := false
	for _, a := range s.Attempts {
		summary := AttemptSummary{Kind: a.Kind, Outcome: a.Verification.Outcome, Confidence: a.Verification.Confidence, Answer: a.Answer}
		if a.Confidence != nil {
			summary.Total = &a.Confidence.Total
		}
		if !delivered && a.Answer == s.Answer && reflect.DeepEqual(a.Verification, *v) { // two attempts may read alike
			delivered, summary.Delivered = true, true
			out.AdditionalContext = a.Kind != state.AttemptFirst
		}
		out.History = append(out.History, summary)
	}
	return out
}
