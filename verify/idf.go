package verify

import "math"

// background is how many texts of another kind the texts at hand are thought to stand among. It keeps the weights of a few
// texts sensible.
const background = 50

// inverseFrequency is the weight of a term that df of n texts hold, as BM25 has it, never negative.
func inverseFrequency(df, n int) float64 {
	all, d := float64(n+background), float64(df)
	return math.Log1p((all - d + 0.5) / (d + 0.5))
}

// scaledIDF weighs terms by idf in units of the weight of a term that occurs nowhere, so that weights mean the same in a small
// and a large knowledge base: 0–1.
func (v *vocabulary) scaledIDF(idf func(term string) float64) func(term int32) float64 {
	unit := idf("")
	if !(unit > 0) { // a constant 0, or not a number
		unit = 1
	}
	return func(term int32) float64 { return min(max(idf(v.terms[term])/unit, 0), 1) }
}

// ownIDF weighs terms by how many of the statements hold them, for want of anything better.
func ownIDF(v *vocabulary, statements []statement) func(term int32) float64 {
	df := make([]int, len(v.terms))
	last := make([]int, len(v.terms)) // the statement that counted a term last, from 1
	for i, st := range statements {
		for _, w := range st.words {
			if w.term >= 0 && last[w.term] != i+1 {
				last[w.term] = i + 1
				df[w.term]++
			}
		}
	}
	unit := inverseFrequency(0, len(statements))
	return func(term int32) float64 {
		if int(term) >= len(df) {
			return 1
		}
		return inverseFrequency(df[term], len(statements)) / unit
	}
}
