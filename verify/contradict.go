package verify

// clash looks for what speaks against a claim in the sentences that hold most of it.
func (p passage) clash(w weighed, top []candidate) Clash {
	var c Clash
	number := w.numbering()
	for _, cand := range top {
		trust := cand.share
		if top[0].share > 0 {
			trust = cand.share / top[0].share
		}
		if trust < 0.5 {
			break
		}
		st := p.statements[cand.index]
		against, like := w.direction(st, number)
		c.Against = max(c.Against, trust*against)
		c.For = max(c.For, trust*like)
		c.Negation = max(c.Negation, trust*w.negation(st, cand.mask, number))
		c.Number = max(c.Number, trust*p.otherNumber(w, st))
		c.Swap = max(c.Swap, trust*w.swap(st, number))
	}
	return c
}

// The surroundings of a word of direction, in words to each side.
const (
	claimSurroundings    = 6
	evidenceSurroundings = 10
)

// direction compares the words of direction of a claim with those of a sentence in the same surroundings.
func (w weighed) direction(st statement, number []int8) (against, like float64) {
	if len(w.events) == 0 {
		return 0, 0
	}
	total := 0.0
	for _, mine := range w.events {
		here := surroundings(w.words, mine.at, claimSurroundings, number)
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
			overlap := w.share(here&surroundings(st.words, theirs.at, evidenceSurroundings, number)) / weight
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
func surroundings(words []word, at, reach int, number []int8) uint64 {
	var mask uint64
	for _, word := range words[max(at-reach, 0):min(at+reach+1, len(words))] {
		if t := word.term; t >= 0 && int(t) < len(number) && number[t] > 0 && word.sense.axis == axisNone {
			mask |= 1 << (number[t] - 1)
		}
	}
	return mask
}

// negation is the weight of the common terms that are negated on one side only.
func (w weighed) negation(st statement, common uint64, number []int8) float64 {
	mine, theirs := negatedMask(w.statement, number), negatedMask(st, number)
	return w.share((mine ^ theirs) & common)
}

func negatedMask(st statement, number []int8) uint64 {
	var mask uint64
	for i, word := range st.words {
		if t := word.term; st.negated[i] && t >= 0 && int(t) < len(number) && number[t] > 0 {
			mask |= 1 << (number[t] - 1)
		}
	}
	return mask
}

// otherNumber is the share of the claim's numbers that the sentence gives another value of the same unit, and the passage
// nowhere the same.
func (p passage) otherNumber(w weighed, st statement) float64 {
	if len(w.quantities) == 0 || len(st.quantities) == 0 {
		return 0
	}
	other := 0
	for _, q := range w.quantities {
		same, comparable := false, false
		for _, x := range st.quantities {
			same = same || q.same(x)
			comparable = comparable || q.comparable(x)
		}
		if !same && comparable {
			other++
		}
	}
	return float64(other) / float64(len(w.quantities))
}

// swap says how far names, or the terms around "than", stand on the other sides of a word that both statements share.
func (w weighed) swap(st statement, number []int8) float64 {
	best := 0.0
	for i, mine := range w.words {
		pivot := mine.sense.axis == axisThan
		if !pivot && (mine.term < 0 || mine.name || mine.sense.axis != axisNone) {
			continue
		}
		a, b := sides(w.words, i, pivot, number)
		if a == 0 || b == 0 {
			continue
		}
		for j, theirs := range st.words {
			if pivot && theirs.sense.axis != axisThan || !pivot && theirs.term != mine.term {
				continue
			}
			x, y := sides(st.words, j, pivot, number)
			if turned(w.words, i) != turned(st.words, j) {
				x, y = y, x
			}
			straight := w.share(a&x) + w.share(b&y)
			crossed := min(w.share(a&y), w.share(b&x)) * 2
			if size := w.share(a | b); size > 0 && a&y != 0 && b&x != 0 {
				best = max(best, min((crossed-straight)/size, 1))
			}
		}
	}
	return max(best, 0)
}

// sides are the claim's terms to the left and right of words[at]: the names, or all terms where the pivot is "than".
func sides(words []word, at int, all bool, number []int8) (left, right uint64) {
	for i := max(at-claimSurroundings, 0); i < min(at+claimSurroundings+1, len(words)); i++ {
		word := words[i]
		if t := word.term; t < 0 || int(t) >= len(number) || number[t] == 0 || !all && !word.name || i == at || word.sense.axis != axisNone {
			continue
		}
		if bit := uint64(1) << (number[word.term] - 1); i < at {
			left |= bit
		} else {
			right |= bit
		}
	}
	return left &^ right, right &^ left
}

// turned reports a passive: "by" within two words behind.
func turned(words []word, at int) bool {
	for i := at + 1; i < min(at+3, len(words)); i++ {
		if words[i].sense.axis == axisPassive {
			return true
		}
	}
	return false
}
