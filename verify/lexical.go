package verify

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// ByLexical is what Lexical writes into Verification.By.
const ByLexical = "lexical"

// Blind is what Lexical cannot see; every verification that it makes says so.
const Blind = "checked by words, numbers, names and negations only: it cannot follow paraphrase, arithmetic or conclusions, and takes a well-worded falsehood for supported"

// Corpus tells how common terms are in the knowledge base; *index.Index is one. It must be safe for concurrent use.
type Corpus interface {
	// DocFreq is in how many passages each of terms occurs, and how many passages there are.
	DocFreq(ctx context.Context, terms []string) (freq map[string]int, passages int, err error)
}

// Lexical verifies an answer without a model: each of its [Claims] against the sentences of all items. The quote of a claim
// is the sentence that holds most of it, verbatim.
//
// A claim's Score is that of [Support] over all items. Its verdict is SUPPORTED from lexicalSupported on and
// PARTIALLY_SUPPORTED from lexicalPartial on; a number that stands nowhere leaves it partial at best, and a contradiction
// makes it unsupported. corpus may be nil: then terms are weighed by how many sentences of the items hold them.
//
// The counts, the confidence and the level are those of [Summarize]. The error is that of corpus or of ctx.
func Lexical(ctx context.Context, answer string, items []state.Evidence, corpus Corpus, o Options) (state.Verification, error) {
	texts := Claims(answer)
	l, err := newLexical(ctx, texts, items, corpus)
	if err != nil {
		return state.Verification{}, err
	}
	claims := make([]state.Claim, len(texts))
	for i, claim := range texts {
		if err := ctx.Err(); err != nil {
			return state.Verification{}, err
		}
		claims[i] = l.judge(claim)
	}
	v := Summarize(claims, items, o)
	v.By, v.Blind = ByLexical, Blind
	return v, nil
}

// lexical is evidence prepared for many claims.
type lexical struct {
	vocabulary *vocabulary
	items      []state.Evidence
	passage    passage
	owner      []int // index of the item by statement
}

func newLexical(ctx context.Context, claims []string, items []state.Evidence, corpus Corpus) (lexical, error) {
	l := lexical{vocabulary: newVocabulary(), items: items}
	for i, item := range items {
		for _, st := range l.vocabulary.read(item.Content) {
			l.passage.statements = append(l.passage.statements, st)
			l.owner = append(l.owner, i)
		}
	}
	if corpus == nil {
		l.passage.weight = ownIDF(l.vocabulary, l.passage.statements)
		return l, nil
	}
	var terms []string
	for _, claim := range claims {
		terms = append(terms, text.Terms(claim)...)
	}
	freq, passages, err := corpus.DocFreq(ctx, terms)
	if err != nil {
		return lexical{}, fmt.Errorf("weigh the words of the answer: %w", err)
	}
	l.passage.weight = l.vocabulary.scaledIDF(func(term string) float64 { return inverseFrequency(freq[term], passages) })
	return l, nil
}

// judge gives the verdict on one claim, all of whose sentences count.
func (l lexical) judge(claim string) state.Claim {
	c := state.Claim{Text: claim, Verdict: state.ClaimUnsupported}
	var sum Signals
	best := candidate{index: -1}
	for _, st := range l.vocabulary.read(claim) {
		s, top := l.passage.signals(weigh(st, l.passage.weight))
		sum.add(s)
		if len(top) > 0 && top[0].share > best.share {
			best = top[0]
		}
	}
	if best.index < 0 {
		c.Reasoning = "nothing in the evidence speaks of it"
		return c
	}
	c.Score = sum.support()
	quoted, item := l.passage.statements[best.index], l.items[l.owner[best.index]]
	c.Quote, c.ItemID = item.Content[quoted.Start:quoted.End], item.ID
	c.Verdict, c.Reasoning = verdict(sum)
	return c
}
