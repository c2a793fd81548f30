package verify

import (
	"cmp"
	"slices"
)

// weighed is one sentence of a claim with its different terms, numbered from 0. Sets of them are masks: bit i is term i.
type weighed struct {
	statement
	weight []float64 // of each term, never negative
	total  float64
	number []int8 // of a term, from 1, by its number in the vocabulary; 0 for others
}

// maxClaimTerms is how many different terms of a sentence count.
const maxClaimTerms = 64

func weigh(st statement, weight func(term int32) float64) weighed {
	w := weighed{statement: st}
	size := int32(0)
	for _, word := range st.words {
		size = max(size, word.term+1)
	}
	w.number = make([]int8, size)
	for _, word := range st.words {
		if word.term < 0 || w.number[word.term] > 0 || len(w.weight) == maxClaimTerms {
			continue
		}
		x := weight(word.term)
		w.weight = append(w.weight, x)
		w.total += x
		w.number[word.term] = int8(len(w.weight))
	}
	return w
}

// bit is the mask of a term of the vocabulary, 0 when the claim does not hold it.
func (w weighed) bit(term int32) uint64 {
	if term < 0 || int(term) >= len(w.number) || w.number[term] == 0 {
		return 0
	}
	return 1 << (w.number[term] - 1)
}

// share is the weight of the terms in mask, as a share of all, 0–1.
func (w weighed) share(mask uint64) float64 {
	if w.total == 0 {
		return 0
	}
	sum := 0.0
	for i, x := range w.weight {
		if mask&(1<<i) != 0 {
			sum += x
		}
	}
	return min(sum/w.total, 1)
}

// masks are the terms of the claim that each statement holds.
func (w weighed) masks(statements []statement) []uint64 {
	masks := make([]uint64, len(statements))
	for i, st := range statements {
		for _, word := range st.words {
			masks[i] |= w.bit(word.term)
		}
	}
	return masks
}

// candidate is a sentence of a passage that holds some of a claim.
type candidate struct {
	index int
	mask  uint64
	share float64
}

// topSentences is how many sentences of a passage are looked at for contradictions.
const topSentences = 4

// top are the sentences that hold most of a claim, best first, earlier ones before later ones.
func (w weighed) top(masks []uint64) []candidate {
	var list []candidate
	for i, mask := range masks {
		if mask == 0 {
			continue
		}
		c := candidate{i, mask, w.share(mask)}
		if len(list) == topSentences && c.share <= list[topSentences-1].share {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, c, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.share, a.share), -1) })
		list = slices.Insert(list, at, c)
		list = list[:min(len(list), topSentences)]
	}
	return list
}

// togetherSentences is how many sentences may carry a claim together. On the development data of WiCE, four are better than
// three or five.
const togetherSentences = 4

// together are the sentences that together hold most, each chosen after the other; fewer when more add nothing.
func (w weighed) together(masks []uint64) []int {
	var chosen []int
	var union uint64
	for range togetherSentences {
		best, gain := -1, 0.0
		for i, mask := range masks {
			if mask&^union == 0 {
				continue
			}
			if x := w.share(mask &^ union); x > gain {
				best, gain = i, x
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		union |= masks[best]
	}
	return chosen
}
