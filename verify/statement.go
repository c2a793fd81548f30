package verify

import (
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
