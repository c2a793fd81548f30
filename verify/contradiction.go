package verify

// Contradiction is how much speaks for a contradiction between claim and passage, 0–1, and what, as a clause; "" when
// nothing does. It sees, in English and Chinese, what stands in the same surroundings: numbers of one unit that differ, dates among
// them, negation on one side only, antonyms and words of direction ("increases", "reduces"), comparatives, and names or
// terms that changed sides around a verb or "than". In languages with capital letters it sees another name beside the same word,
// which counts a half at most, since two names may both be right.
//
// Only the sentences that hold most of the claim are looked at. A score is no probability.
func Contradiction(claim, passage string) (score float64, why string) {
	return Measure(claim, passage, nil).Clash.score()
}

// agreement is how much of the agreement of other words of direction counts against a contradiction of one.
const agreement = 0.3

// nameTrust is what another name counts at most.
const nameTrust = 0.5

// score is the strongest sign of a contradiction, with what it is.
func (c Clash) score() (score float64, why string) {
	for _, sign := range []struct {
		strength float64
		why      string
	}{
		{max(c.Against-agreement*c.For, 0), "the evidence says the opposite of a word of direction in it"},
		{c.Negation, "one of the claim and the evidence is negated"},
		{c.Number, "the evidence gives another number"},
		{nameTrust * c.Name, "the evidence gives another name"},
		{c.Swap, "the evidence has the sides the other way round"},
	} {
		if sign.strength > score {
			score, why = sign.strength, sign.why
		}
	}
	return score, why
}
