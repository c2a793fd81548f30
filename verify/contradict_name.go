package verify

// renamed says how far the sentence gives another name where the claim has one: beside the same word, a name of which the
// sentence holds nothing, and one of which the claim holds nothing. It is the weight of what the two have in common, as a share of
// the claim's terms without its name.
//
// "Apple bought WhatsApp" stands against "Facebook bought WhatsApp in 2014"; that both may be true, it cannot see.
func (w weighed) renamed(st statement, common uint64) float64 {
	best := 0.0
	theirs := names(st.words)
	for _, mine := range names(w.words) {
		lost := w.maskOf(mine.words)
		if lost&w.maskOf(st.words) != 0 {
			continue
		}
		rest := w.share(^lost)
		for _, other := range theirs {
			if rest > 0 && w.maskOf(other.words) == 0 && mine.besideAs(other) {
				best = max(best, min(w.share(common)/rest, 1))
			}
		}
	}
	return best
}

// maskOf is the terms of the claim among words.
func (w weighed) maskOf(words []word) uint64 {
	var mask uint64
	for _, word := range words {
		mask |= w.bit(word.term)
	}
	return mask
}

// place is a name in a statement: words in a row that may be names, with the terms beside it, -1 for none.
type place struct {
	words         []word
	before, after int32
}

// besideAs reports whether the same word stands before both names, or behind both.
func (p place) besideAs(q place) bool {
	return p.before >= 0 && p.before == q.before || p.after >= 0 && p.after == q.after
}

// names are the names of a statement. One ends at a border.
func names(words []word) []place {
	var list []place
	for i := 0; i < len(words); i++ {
		from := i
		for i < len(words) && (words[i].name || words[i].perhaps) && (i == from || !words[i].border) {
			i++
		}
		if i > from {
			list = append(list, place{words[from:i], beside(words, from-1, -1), beside(words, i, 1)})
			i-- // the next word may begin another name
		}
	}
	return list
}

// nameReach is how many words beside a name are looked at for one with a topic.
const nameReach = 4

// beside is the next term in one direction, -1 for none within reach.
func beside(words []word, at, step int) int32 {
	for range nameReach {
		if at < 0 || at >= len(words) {
			break
		}
		if words[at].term >= 0 {
			return words[at].term
		}
		at += step
	}
	return -1
}
