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
