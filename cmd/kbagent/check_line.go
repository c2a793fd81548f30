package main

import (
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/state"
)

// checkLine says in one line what the check of an answer has come to; "" when there was none.
func checkLine(a agent.Answer) string {
	if r := a.Review; r != nil && r.Reviewer != "" && review.Status(r.Status).Final() {
		return fmt.Sprintf("%s by %s — %s", r.Status, mask.TerminalLine(r.Reviewer), a.Status) // whatever was measured before
	}
	v := a.Verification
	if v == nil || a.Status == state.StatusAbstained {
		return ""
	}
	line := "verified: no"
	if v.Outcome == state.OutcomeVerified {
		line = fmt.Sprintf("verified: %d of %d claims hold, confidence %.2f (%s)", v.ClaimsSupported, v.ClaimsChecked, v.Confidence,
			strings.ReplaceAll(string(v.Level), "_", " "))
	}
	if a.Confidence != nil {
		line += fmt.Sprintf(", score %.2f", *a.Confidence)
	}
	return line + " — " + string(a.Status)
}
