package verify

// swap says how far names, or the terms around "than", stand on the other sides of a word that both statements share; than
// says that it is "than".
func (w weighed) swap(st statement) (best float64, than bool) {
	names := w.names(w.statement) | w.names(st)
	for i, mine := range w.words {
		pivot := mine.sense.axis == axisThan
		if !pivot && (mine.term < 0 || names&w.bit(mine.term) != 0) {
			continue
		}
		a, b := w.sides(w.words, i, pivot, names)
		if a == 0 || b == 0 {
			continue
		}
		for j, theirs := range st.words {
			if pivot && theirs.sense.axis != axisThan || !pivot && theirs.term != mine.term {
				continue
			}
			x, y := w.sides(st.words, j, pivot, names)
			if !pivot && turned(w.words, i) != turned(st.words, j) {
				x, y = y, x
			}
			if s := w.crossed(a, b, x, y); s > best {
				best, than = s, pivot
			}
		}
	}
	return best, than
}

// crossed is how far what stands left and right of a word, a and b, stands right and left of it, y and x.
func (w weighed) crossed(a, b, x, y uint64) float64 {
	if a&y == 0 || b&x == 0 {
		return 0
	}
	straight := w.share(a&x) + w.share(b&y)
	crossed := w.share(a&y) + w.share(b&x)
	return max(crossed-straight, 0) / w.share(a|b)
}

// names are the terms of the claim that may be names in a statement.
func (w weighed) names(st statement) uint64 {
	var mask uint64
	for _, word := range st.words {
		if word.name || word.perhaps {
			mask |= w.bit(word.term)
		}
	}
	return mask
}

// sides are the claim's terms to the left and right of words[at] up to a border: the names, or all terms where the pivot is "than".
func (w weighed) sides(words []word, at int, than bool, names uint64) (left, right uint64) {
	for i := at; i > max(at-claimSurroundings, 0) && !words[i].border; i-- {
		left |= w.side(words[i-1], than, names)
	}
	for i := at + 1; i < min(at+claimSurroundings+1, len(words)) && !words[i].border; i++ {
		right |= w.side(words[i], than, names)
	}
	return left &^ right, right &^ left
}

func (w weighed) side(word word, than bool, names uint64) uint64 {
	bit := w.bit(word.term)
	if word.sense.axis != axisNone || !than && names&bit == 0 {
		return 0
	}
	return bit
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
