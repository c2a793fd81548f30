package index

import (
	"slices"
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// maxQueryTerms bounds the work of one query; further terms are left out.
const maxQueryTerms = 256

// A query is the text of a search, prepared.
type query struct {
	text  string   // the line that is asked; see Index.Keyword
	terms []string // different terms in order of the whole text, as Terms makes them
	full  []string // what counts in full: terms and words as they stand
	half  []string // what counts half

	phrases  []phrase
	prefixes []string // of terms
	alike    []Alike  // what prefixes and typing errors stand for
}

// readQuery prepares a text of one line or several.
//
// Half counts what stands only in the lines before the last, which are context, and what is grammar rather than topic. Measured as
// nDCG@10: the turn before a follow-up, counted in full, .827 on mtrag_un, counted half .841; grammar xquad_zh .9645 → .968.
func readQuery(s string) query {
	asked := strings.TrimRight(s, " \r\n\t")
	var context string
	if i := strings.LastIndexByte(asked, '\n'); i >= 0 {
		context, asked = asked[:i], asked[i+1:]
	}
	q := query{text: asked, terms: distinct(text.Terms(s))}
	// The words as they stand find identifiers, which are kept whole and without stemming: "readfile" finds ReadFile.
	topic := distinct(append(text.Terms(asked), text.Words(asked)...))
	if len(topic) == 0 {
		topic, context = distinct(append(text.Terms(s), text.Words(s)...)), ""
	}
	all := distinct(append(slices.Clone(topic), append(text.Terms(context), text.Words(context)...)...))
	for i, t := range all {
		if i < len(topic) && !text.IsGrammar(t) {
			q.full = append(q.full, t)
		} else {
			q.half = append(q.half, t)
		}
	}
	if len(q.full) == 0 {
		q.full, q.half = q.half, nil
	}
	q.operators()
	return q
}

// distinct returns the first maxQueryTerms different terms, in order.
func distinct(terms []string) []string {
	var out []string
	for _, t := range terms {
		if len(out) < maxQueryTerms && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
