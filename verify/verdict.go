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
