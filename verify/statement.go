package verify

import (
	"math"

	"github.com/kbagent/kbagent/index/text"
)

// A statement is one sentence, read.
type statement struct {
	text.Span
	words      []word
	negated    []bool // parallel to words: in the scope of a negation
	events     []event
	quantities []quantity
}

// maxStatementWords is how many words a statement holds; a longer sentence makes several. It keeps the comparison of two
// statements bounded.
const maxStatementWords = 128

// read reads the sentences of s.
func (v *vocabulary) read(s string) []statement {
	var list []statement
	for _, span := range text.Sentences(s) {
		words := v.words(s, span.Start, span.End)
		for len(words) > maxStatementWords {
			list = append(list, v.statement(s, words[:maxStatementWords]))
			words = words[maxStatementWords:]
		}
		if len(words) > 0 {
			list = append(list, v.statement(s, words))
		}
	}
	return list
}

func (v *vocabulary) statement(s string, words []word) statement {
	st := statement{Span: text.Span{Start: words[0].start, End: words[len(words)-1].end}, words: words}
	st.negated = negatedWords(words)
	st.events = events(words, st.negated)
	st.quantities = v.quantities(s, words)
	return st
}

// A claim to be weighed: one statement with its different terms, numbered from 0.
type weighed struct {
	statement
	terms  []int32   // vocabulary numbers, each once, in order
	weight []float64 // of each, never negative
	total  float64
}

// maxClaimTerms is how many different terms of a claim count.
const maxClaimTerms = 64

func weigh(st statement, weight func(term int32) float64) weighed {
	w := weighed{statement: st}
	seen := make(map[int32]bool)
	for _, word := range st.words {
		if word.term < 0 || seen[word.term] || len(w.terms) == maxClaimTerms {
			continue
		}
		seen[word.term] = true
		x := weight(word.term)
		w.terms = append(w.terms, word.term)
		w.weight = append(w.weight, x)
		w.total += x
	}
	return w
}

// share is the weight of the terms in mask, as a share of all.
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

// ownIDF weighs terms by how many statements of a passage hold them, for want of anything better.
func ownIDF(v *vocabulary, statements []statement) func(term int32) float64 {
	df := make([]int, len(v.terms))
	last := make([]int, len(v.terms))
	for i, st := range statements {
		for _, w := range st.words {
			if w.term >= 0 && last[w.term] != i+1 {
				last[w.term] = i + 1
				df[w.term]++
			}
		}
	}
	n := float64(len(statements) + ownBackground)
	return func(term int32) float64 {
		d := 0.0
		if int(term) < len(df) {
			d = float64(df[term])
		}
		return math.Log1p((n - d + 0.5) / (d + 0.5))
	}
}

// ownBackground is how many statements of other text a passage is thought to stand among.
const ownBackground = 50
