package verify

import (
	"fmt"

	"github.com/kbagent/kbagent/state"
)

// The scores from which Lexical calls a claim supported, and partially so.
const (
	lexicalSupported = 0.6
	lexicalPartial   = 0.4
	// lexicalClash is the score of [Contradiction] from which a claim counts as contradicted.
	lexicalClash = 0.6
)

// verdict is the verdict on a claim with this score, with the figures that it rests on.
func (f finding) verdict(score float64) (state.ClaimVerdict, string) {
	s := f.signals
	why := fmt.Sprintf("the evidence holds %.0f %% of its words, by weight", 100*s.Three)
	clash, reason := s.Clash.score()
	switch {
	case scoreAtLeast(clash, lexicalClash):
		return state.ClaimUnsupported, reason
	case s.Numbers > 0:
		why += "; a number in it stands nowhere"
		if scoreAtLeast(score, lexicalPartial) {
			return state.ClaimPartial, why
		}
	case scoreAtLeast(score, lexicalSupported):
		return state.ClaimSupported, why
	case scoreAtLeast(score, lexicalPartial):
		return state.ClaimPartial, why
	}
	return state.ClaimUnsupported, why
}
