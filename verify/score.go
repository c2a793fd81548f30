package verify

import (
	"slices"

	"github.com/kbagent/kbagent/state"
)

// ReasonNoClaims is the reason of a verification of an answer that makes no factual claim.
const ReasonNoClaims = "the answer makes no factual claim"

// reasonNoQuote is the reasoning on a claim whose quote was made up.
const reasonNoQuote = "the quote does not occur in the evidence"

// Summarize counts claims and makes the verification of them. claims is not changed.
//
// The rule of quotes comes first and binds whoever judged: a claim that is said to be supported, wholly or in part, by a
// quote that [FindQuote] does not find in items becomes unsupported, with that reasoning. ItemID of the others is the item
// that holds the quote. A verdict that is none of the three counts as unsupported.
//
// Without claims the outcome is not_verifiable, with a confidence of 0 and no level. By, Corrections and Blind are left to
// the caller.
func Summarize(claims []state.Claim, items []state.Evidence, o Options) state.Verification {
	if len(claims) == 0 {
		return state.Verification{Outcome: state.OutcomeNotVerifiable, Reason: ReasonNoClaims}
	}
	v := state.Verification{Outcome: state.OutcomeVerified, Checked: len(claims), Claims: slices.Clone(claims)}
	quotes := newQuotes(items)
	for i := range v.Claims {
		holdToQuote(&v.Claims[i], quotes)
		switch v.Claims[i].Verdict {
		case state.ClaimSupported:
			v.Supported++
		case state.ClaimPartial:
			v.Partial++
		}
	}
	unsupported := v.Checked - v.Supported - v.Partial
	v.Confidence = o.Formula.Confidence(v.Supported, unsupported, v.Checked)
	v.Level = LevelOf(v.Confidence)
	v.Grounded = unsupported == 0 && scoreAtLeast(v.Confidence, o.threshold())
	return v
}

// holdToQuote applies the rule of quotes to one claim.
func holdToQuote(c *state.Claim, q quotes) {
	switch c.Verdict {
	case state.ClaimSupported, state.ClaimPartial:
		id, ok := q.find(c.Quote, c.ItemID)
		if !ok {
			c.Verdict, c.Score, c.ItemID, c.Reasoning = state.ClaimUnsupported, 0, "", reasonNoQuote
			return
		}
		c.ItemID = id
	default:
		c.Verdict = state.ClaimUnsupported
	}
}
