package verify

import (
	"fmt"

	"github.com/kbagent/kbagent/state"
)

// lexicalClash is the score of [Contradiction] from which Lexical takes a claim for contradicted. On the development data
// 1 of 85 supported claims of WiCE and 6 of 194 of SciFact reach it, and 7 of 94 contradicted ones: what it says is mostly so,
// and most contradictions it does not see.
const lexicalClash = 0.5

// verdict is the verdict on a claim with these signals, with the figures that it rests on.
func verdict(s Signals) (state.ClaimVerdict, string) {
	score := s.support()
	if clash, why := s.Clash.score(); scoreAtLeast(clash, lexicalClash) {
		return state.ClaimUnsupported, why
	}
	why := fmt.Sprintf("the evidence holds %.0f %% of its words, by weight", 100*s.Features()[0])
	if s.Numbers > 0 {
		why += fmt.Sprintf("; %d of its numbers not", s.Numbers)
	}
	switch {
	case scoreAtLeast(score, lexicalSupported) && s.Numbers == 0:
		return state.ClaimSupported, why
	case scoreAtLeast(score, lexicalPartial):
		return state.ClaimPartial, why
	}
	return state.ClaimUnsupported, why
}
