package verify

// otherNumber says how far the sentence gives a number of the claim another value: the share of the claim's terms that
// stand in it, which says that the two are about the same, and half of that when it has several numbers of the unit.
func (w weighed) otherNumber(st statement, common uint64) float64 {
	other := 0.0
	for _, q := range w.quantities {
		same, comparable := false, 0
		for _, x := range st.quantities {
			same = same || q.same(x)
			if q.comparable(x) {
				comparable++
			}
		}
		switch {
		case same || comparable == 0:
		case comparable == 1:
			other = max(other, 1)
		default:
			other = max(other, 0.5)
		}
	}
	return other * w.share(common|w.numberTerms())
}

// numberTerms are the terms of the claim that are its numbers.
func (w weighed) numberTerms() uint64 {
	var mask uint64
	for _, q := range w.quantities {
		mask |= w.bit(w.words[q.at].term)
	}
	return mask
}
