package verify

// Clash are the signs of a contradiction between a claim and the sentences of a passage that are about the same, each 0–1.
type Clash struct {
	Against  float64 // a word of direction meets its opposite, or its negation, in the same surroundings
	For      float64 // a word of direction meets its like
	Negation float64 // weight of the terms that are negated on one side only
	Number   float64 // another number of the same unit
	Name     float64 // another name beside the same word
	Swap     float64 // the same names or terms on the other sides of a verb or of "than"
}

// What a sentence must hold of a claim to be heard about it: a share of what the best one holds. A best one that holds nearly
// all of the claim and does not contradict it decides alone: what others say is then another matter.
const (
	heardFrom    = 0.5
	decidesFrom  = 0.95
	decidesClash = 0.3
)

// clash looks for what speaks against a claim in the sentences that hold most of it.
func (p passage) clash(w weighed, top []candidate) Clash {
	var sum Clash
	for i, cand := range top {
		trust := cand.share / max(top[0].share, 1e-9)
		if trust < heardFrom {
			break
		}
		c := w.clash(p.statements[cand.index], cand.mask)
		sum = sum.strongest(c.times(trust))
		if score, _ := c.score(); i == 0 && cand.share >= decidesFrom && score < decidesClash {
			break
		}
	}
	return sum
}

// clash compares a claim with one sentence; common are the terms that they share.
func (w weighed) clash(st statement, common uint64) Clash {
	against, like := w.direction(st)
	swap, than := w.swap(st)
	if than && against > like { // faster than Python, slower than Go
		against, like, swap = like, against, 0
	}
	return Clash{Against: against, For: like, Negation: w.negation(st, common), Number: w.otherNumber(st, common), Name: w.renamed(st, common), Swap: swap}
}

func (c Clash) times(x float64) Clash {
	return Clash{c.Against * x, c.For * x, c.Negation * x, c.Number * x, c.Name * x, c.Swap * x}
}

// The surroundings of a word of direction, in words to each side.
const (
	claimSurroundings    = 6
	evidenceSurroundings = 10
)

// direction compares the words of direction of a claim with those of a sentence in the same surroundings.
func (w weighed) direction(st statement) (against, like float64) {
	if len(w.events) == 0 {
		return 0, 0
	}
	total := 0.0
	for _, mine := range w.events {
		here := w.surroundings(w.words, mine.at, claimSurroundings)
		weight := w.share(here)
		if weight == 0 {
			continue
		}
		total++
		no, yes := 0.0, 0.0
		for _, theirs := range st.events {
			relation := compare(mine, theirs)
			if relation == 0 {
				continue
			}
			overlap := w.share(here&w.surroundings(st.words, theirs.at, evidenceSurroundings)) / weight
			no = max(no, -relation*overlap)
			yes = max(yes, relation*overlap)
		}
		against += no
		like += yes
	}
	if total == 0 {
		return 0, 0
	}
	return against / total, like / total
}

// compare is how two events stand to each other: from 1, the same, to −1, the opposite; 0 for what cannot be compared.
func compare(a, b event) float64 {
	sign := float64(a.sense.sign * b.sense.sign)
	switch {
	case a.sense.axis == b.sense.axis:
		if a.negated != b.negated {
			if sign < 0 {
				return 0.3
			}
			return -1
		}
		return sign
	case a.sense.axis.directional() && b.sense.axis.directional():
		if a.negated != b.negated {
			return -0.5 * max(sign, 0)
		}
		return 0.7 * sign
	case a.sense.axis == axisLink && b.sense.axis.directional(), b.sense.axis == axisLink && a.sense.axis.directional():
		return 0.5 * linkTo(a) * linkTo(b)
	}
	return 0
}

// linkTo is whether an event says that there is an effect (1) or none (−1).
func linkTo(e event) float64 {
	if e.sense.axis != axisLink {
		if e.negated {
			return -1
		}
		return 1
	}
	if (e.sense.sign < 0) != e.negated {
		return -1
	}
	return 1
}

// surroundings is the mask of the claim's terms within reach words of words[at].
func (w weighed) surroundings(words []word, at, reach int) uint64 {
	var mask uint64
	for _, word := range words[max(at-reach, 0):min(at+reach+1, len(words))] {
		if word.sense.axis == axisNone {
			mask |= w.bit(word.term)
		}
	}
	return mask
}

// negation is the weight of the common terms that are negated on one side only; 0 when one is negated on both, since then
// the two sentences deny the same in another order.
func (w weighed) negation(st statement, common uint64) float64 {
	mine, theirs := w.negatedMask(w.statement), w.negatedMask(st)
	if mine&theirs&common != 0 {
		return 0
	}
	return w.share((mine | theirs) & common)
}

func (w weighed) negatedMask(st statement) uint64 {
	var mask uint64
	for i, word := range st.words {
		if st.negated[i] {
			mask |= w.bit(word.term)
		}
	}
	return mask
}

// strongest takes the stronger of each sign.
func (c Clash) strongest(d Clash) Clash {
	return Clash{max(c.Against, d.Against), max(c.For, d.For), max(c.Negation, d.Negation), max(c.Number, d.Number), max(c.Name, d.Name), max(c.Swap, d.Swap)}
}
