package rules

import (
	"math"
	"strings"
	"unicode"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// TermStats is how common terms are in the knowledge base.
type TermStats struct {
	Passages int            // in all
	DocFreq  map[string]int // passages that hold the term
}

// background is how many passages of other text a knowledge base is thought to stand among. It keeps the weights of a
// base of a few passages sensible and is of no consequence in a large one.
const background = 50

// IDF is the weight of a term: the probabilistic inverse document frequency of BM25, never negative. Without
// statistics all terms weigh 1.
func (s TermStats) IDF(term string) float64 {
	if s.Passages == 0 {
		return 1
	}
	n, df := float64(s.Passages+background), float64(s.DocFreq[term])
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// Relevance is the lexical grader: how well each item answers the query by its words, 0–1, in the items' order.
// It needs no model. A query without content words makes every item 0.
//
// The score is logistic in four features of the item: the idf-weighted share of the query's terms that it holds, the
// same share for its best window of three sentences, the same for its title, section and path, and the share of the query's
// neighbouring term pairs that stand near each other. The weights were fitted; see lexicalWeights.
func Relevance(query string, items []state.Evidence, stats TermStats) []float64 {
	q := newQueryTerms(query, stats)
	scores := make([]float64, len(items))
	for i, item := range items {
		scores[i] = q.relevance(item)
	}
	return scores
}

// lexicalWeights are the intercept and the weights of the features, in their order. They come from a logistic regression
// (gradient descent, L2 1e-4, both sets and both classes weighted equally) on the development parts of XQuAD-en (439
// relevant, 4,203 irrelevant pairs; AUC .984) and SciFact (120 and 1,100; AUC .749), each pair one passage. On these, a
// cut at 0.3 keeps 98 % / 78 % of the relevant and 12 % / 46 % of the irrelevant passages. On hard text, words alone
// cannot do better; a model can.
var lexicalWeights = [...]float64{-3.27, 1.34, 4.90, 0.85, 2.25}

// bigramOffset is added to the intercept for queries in Chinese, Japanese or Korean: of the pairs of characters that such
// a query is cut into, some cross the borders of words and are not to be found. On XQuAD-zh (439 and 4,203 pairs, AUC
// .978) it keeps 96 % of the relevant and 12 % of the irrelevant passages at 0.3, as in English.
const bigramOffset = 1.0

// queryTerms is a query prepared for many items.
type queryTerms struct {
	terms  []string           // distinct, in order
	weight map[string]float64 // idf
	total  float64
	// bigrams says that most terms are pairs of Chinese, Japanese or Korean characters.
	bigrams bool
}

func newQueryTerms(query string, stats TermStats) queryTerms {
	q := queryTerms{weight: make(map[string]float64)}
	ideographic := 0
	for _, t := range text.Terms(query) {
		if _, seen := q.weight[t]; seen {
			continue
		}
		q.terms = append(q.terms, t)
		q.weight[t] = stats.IDF(t) * content(t)
		q.total += q.weight[t]
		if strings.ContainsFunc(t, isIdeographic) {
			ideographic++
		}
	}
	q.bigrams = 2*ideographic > len(q.terms)
	return q
}

// content is how much a term says about what a question is about: little for a pair of Chinese or Japanese characters
// that holds a function word, since such pairs cross the borders of words and hardly occur anywhere.
func content(term string) float64 {
	if strings.ContainsAny(term, functionChars) || strings.ContainsFunc(term, isHiragana) {
		return 0.25
	}
	return 1
}

// functionChars are Chinese characters that stand for grammar: particles, question words, prepositions.
const functionChars = "的了在是什么谁哪多少几何被和与對对有为為吗嗎呢怎样樣个個这這那其之于以及从到把让也都就得着过過吧啊"

func isHiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func (q queryTerms) relevance(item state.Evidence) float64 {
	f := q.features(item)
	if f[0] == 0 { // not a word in common
		return 0
	}
	z := lexicalWeights[0]
	if q.bigrams {
		z += bigramOffset
	}
	for i, x := range f {
		z += lexicalWeights[i+1] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// features are the four shares described at Relevance, each 0–1.
func (q queryTerms) features(item state.Evidence) [4]float64 {
	heading := termSet(item.Title + "\n" + item.Section + "\n" + item.Path)
	body := text.Terms(item.Content)
	all := setOf(body)
	for t := range heading {
		all[t] = true
	}
	return [4]float64{q.coverage(all), q.bestWindow(item.Content), q.coverage(heading), q.pairs(body)}
}

// coverage is the idf-weighted share of the query's terms in set.
func (q queryTerms) coverage(set map[string]bool) float64 {
	if q.total == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range q.terms {
		if set[t] {
			sum += q.weight[t]
		}
	}
	return sum / q.total
}

// bestWindow is the best coverage of three sentences in a row.
func (q queryTerms) bestWindow(content string) float64 {
	spans := text.Sentences(content)
	best := 0.0
	for i := range spans {
		last := min(i+2, len(spans)-1)
		best = max(best, q.coverage(termSet(content[spans[i].Start:spans[last].End])))
	}
	return best
}

// pairs is the share of neighbouring terms of the query that stand within four terms of each other in body.
func (q queryTerms) pairs(body []string) float64 {
	if len(q.terms) < 2 {
		return 0
	}
	near := 0
	for i := 1; i < len(q.terms); i++ {
		if within(body, q.terms[i-1], q.terms[i], 4) {
			near++
		}
	}
	return float64(near) / float64(len(q.terms)-1)
}

func within(body []string, a, b string, distance int) bool {
	lastA, lastB := -1, -1
	for i, t := range body {
		switch t {
		case a:
			lastA = i
		case b:
			lastB = i
		default:
			continue
		}
		if lastA >= 0 && lastB >= 0 && max(lastA, lastB)-min(lastA, lastB) <= distance {
			return true
		}
	}
	return false
}

func termSet(s string) map[string]bool { return setOf(text.Terms(s)) }

func setOf(terms []string) map[string]bool {
	set := make(map[string]bool, len(terms))
	for _, t := range terms {
		set[t] = true
	}
	return set
}
