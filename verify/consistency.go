package verify

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// The limits of Consistency: different terms of a claim that count, documents that are compared, and the share of a
// claim's terms from which a passage is about it.
const (
	consMaxTerms     = 64
	consMaxDocuments = 5
	consAbout        = 0.4
)

// consNumberWeight is how much more a number weighs than a word: documents that name different numbers disagree, however
// alike their words are.
const consNumberWeight = 2

// Consistency is how much the documents agree on what the answer claims, 0–1. For each claim the best passage of each document
// (one or two sentences in a row) is what it says about it; two documents agree by the share of the claim's terms that both
// passages hold (Dice; a number counts twice), lowered by how much contradicts finds one to contradict the other, in
// either direction. The result is the mean over the pairs of documents of all claims.
//
// Documents are told apart by path; those that say nothing about a claim have no say in it. The result is nil when no
// claim has two documents: one document alone cannot be consistent. contradicts is 0–1 and may be nil for none; Contradiction
// without its reason fits. The first 5 documents are compared.
func Consistency(claims []state.Claim, items []state.Evidence, contradicts func(a, b string) float64) *float64 {
	documents := consDocuments(items)
	if len(documents) < 2 {
		return nil
	}
	sum, pairs := 0.0, 0
	contradiction := consContradiction(contradicts)
	for _, claim := range claims {
		q := consQuery(claim.Text)
		var said []consStatement
		for _, d := range documents {
			if s, ok := q.best(d); ok {
				said = append(said, s)
			}
		}
		for i, a := range said {
			for _, b := range said[i+1:] {
				sum += q.agreement(a.mask, b.mask) * (1 - contradiction(a.text, b.text))
				pairs++
			}
		}
	}
	if pairs == 0 {
		return nil
	}
	return new(sum / float64(pairs))
}

// consContradiction is the stronger of both directions. It asks once for each pair: passages serve several claims.
func consContradiction(contradicts func(a, b string) float64) func(a, b string) float64 {
	if contradicts == nil {
		return func(string, string) float64 { return 0 }
	}
	known := make(map[[2]string]float64)
	return func(a, b string) float64 {
		value, ok := known[[2]string{a, b}]
		if !ok {
			value = min(max(contradicts(a, b), contradicts(b, a), 0), 1)
			known[[2]string{a, b}] = value
		}
		return value
	}
}

// consDocument is what a document says: the sentences of its items, each with its terms.
type consDocument struct{ items []consItem }

type consItem struct {
	content   string
	sentences []text.Span
	terms     [][]string
}

// consDocuments are the documents of the items by path, in order of first appearance.
func consDocuments(items []state.Evidence) []*consDocument {
	at := make(map[string]*consDocument)
	var documents []*consDocument
	for _, item := range items {
		d := at[item.Path]
		if d == nil {
			if len(documents) == consMaxDocuments {
				continue
			}
			d = &consDocument{}
			at[item.Path] = d
			documents = append(documents, d)
		}
		read := consItem{content: item.Content, sentences: text.Sentences(item.Content)}
		for _, s := range read.sentences {
			read.terms = append(read.terms, consWords(item.Content[s.Start:s.End]))
		}
		d.items = append(d.items, read)
	}
	return documents
}

// consNumbers are the terms of the numbers that are commonly written out.
var consNumbers = func() map[string]string {
	numbers := make(map[string]string)
	for i, t := range text.Terms("one two three four five six seven eight nine ten eleven twelve") {
		numbers[t] = strconv.Itoa(i + 1)
	}
	return numbers
}()

// consWords is the terms of a text, numbers in digits: "seven days" and "7 days" are the same.
func consWords(s string) []string {
	terms := text.Terms(s)
	for i, t := range terms {
		if digits, ok := consNumbers[t]; ok {
			terms[i] = digits
		}
	}
	return terms
}

// consTerms are the terms of a claim: bit i of a mask is term i.
type consTerms struct {
	number  map[string]int
	numbers uint64 // the terms that are numbers
}

func consQuery(claim string) consTerms {
	q := consTerms{number: make(map[string]int)}
	for _, t := range consWords(claim) {
		if _, seen := q.number[t]; seen || len(q.number) == consMaxTerms {
			continue
		}
		if strings.ContainsFunc(t, unicode.IsDigit) {
			q.numbers |= 1 << len(q.number)
		}
		q.number[t] = len(q.number)
	}
	return q
}

// weight is how much the terms of a mask weigh together.
func (q consTerms) weight(mask uint64) float64 {
	return float64(bits.OnesCount64(mask) + (consNumberWeight-1)*bits.OnesCount64(mask&q.numbers))
}

// agreement is the share of two masks that both have (Dice).
func (q consTerms) agreement(a, b uint64) float64 {
	return 2 * q.weight(a&b) / (q.weight(a) + q.weight(b))
}

// consStatement is what a document says about a claim.
type consStatement struct {
	text string
	mask uint64 // the claim's terms in it
}

// best is the sentence of a document that holds most of the claim, or two in a row that together hold more. ok is false
// when the document is not about the claim.
func (q consTerms) best(d *consDocument) (best consStatement, ok bool) {
	for _, item := range d.items {
		before := uint64(0)
		for i, terms := range item.terms {
			mask := uint64(0)
			for _, t := range terms {
				if n, held := q.number[t]; held {
					mask |= 1 << n
				}
			}
			span := item.sentences[i]
			if q.weight(mask) > q.weight(best.mask) {
				best = consStatement{item.content[span.Start:span.End], mask}
			}
			if i > 0 && q.weight(mask|before) > q.weight(best.mask) {
				best = consStatement{item.content[item.sentences[i-1].Start:span.End], mask | before}
			}
			before = mask
		}
	}
	all := q.weight(1<<len(q.number) - 1)
	return best, best.mask != 0 && q.weight(best.mask) >= consAbout*all-confTolerance
}
