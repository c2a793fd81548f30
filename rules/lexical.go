package rules

import (
	"math"
	"math/bits"
	"slices"
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
// It needs no model. An item that holds no word of the query has 0, and so has every item for a query without content words.
//
// The score is logistic in the features of [GradeFeatures]; what an item is worth depends a little on the others, since a
// word that all of them hold tells nothing. The weights were fitted; see gradeWeights.
func Relevance(query string, items []state.Evidence, stats TermStats) []float64 {
	q := newQuestion(query, stats)
	return q.grades(q.measureAll(items))
}

// grades is the relevance of items by their features.
func (q queryTerms) grades(rows [][]float64) []float64 {
	scores := make([]float64, len(rows))
	for i, f := range gradeRows(rows) {
		if f[featureAll] > 0 {
			scores[i] = logistic(gradeWeights[0]+q.offset(), gradeWeights[1:], f)
		}
	}
	return scores
}

// offset is what is added to the intercept for this query.
func (q queryTerms) offset() float64 {
	if q.bigrams {
		return bigramOffset
	}
	return 0
}

// logistic is the probability that an intercept and weights give features.
func logistic(intercept float64, weights, features []float64) float64 {
	z := intercept
	for i, x := range features {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// gradeWeights are the intercept and the weights of the features, in their order, as `kbagent eval fit grading` makes them
// from the development parts of XQuAD-en (4,642 pairs of question and passage; AUC .989, .989 by weights of the other half of
// the questions) and SciFact (1,220; .795, .789), both sets and both classes weighed the same, L2 1e-4.
var gradeWeights = [...]float64{-2.50, -0.18, 2.28, 2.01, 0.51, 1.45, -1.97, -1.52, 0.75, -0.34, 1.55, 9.52}

// lexicalWeights are those of the grade of an item by itself: the intercept and the weights of the features, in their order. They come from a logistic regression
// (gradient descent, L2 1e-4, both sets and both classes weighted equally) on the development parts of XQuAD-en (439
// relevant, 4,203 irrelevant pairs; AUC .984) and SciFact (120 and 1,100; AUC .749), each pair one passage. On these, a
// cut at 0.3 keeps 98 % / 78 % of the relevant and 12 % / 46 % of the irrelevant passages. On hard text, words alone
// cannot do better; a model can.
var lexicalWeights = [...]float64{-3.27, 1.34, 4.90, 0.85, 2.25}

// bigramOffset is added to the intercept for queries in Chinese, Japanese or Korean: of the pairs of characters that such
// a query is cut into, some cross the borders of words and are not to be found. On XQuAD-zh (439 and 4,203 pairs, AUC
// .978) it keeps 96 % of the relevant and 12 % of the irrelevant passages at 0.3, as in English.
const bigramOffset = 1.0

// maxQueryTerms is how many different terms of a query count; further ones are left out.
const maxQueryTerms = 64

// queryTerms is a query prepared for many items. Sets of its terms are masks: bit i is term i.
type queryTerms struct {
	number map[string]int // of the term, in order of the query
	weight []float64      // idf by number
	total  float64
	// bigrams says that most terms are pairs of Chinese, Japanese or Korean characters.
	bigrams bool
}

// contextWeight is the weight of terms that stand only in the lines of a query before its last, which are context.
const contextWeight = 0.5

func newQueryTerms(query string, stats TermStats) queryTerms {
	q := queryTerms{number: make(map[string]int)}
	query = strings.TrimSpace(query)
	asked := text.Terms(query[strings.LastIndexByte(query, '\n')+1:])
	ideographic := 0
	for _, t := range text.Terms(query) {
		if _, seen := q.number[t]; seen || len(q.weight) == maxQueryTerms {
			continue
		}
		w := stats.IDF(t) * termWeight(t)
		if len(asked) > 0 && !slices.Contains(asked, t) {
			w *= contextWeight
		}
		q.number[t] = len(q.weight)
		q.weight = append(q.weight, w)
		q.total += w
		if strings.ContainsFunc(t, isIdeographic) {
			ideographic++
		}
	}
	q.bigrams = 2*ideographic > len(q.weight)
	return q
}

// termWeight is how much a term says about what a question is about: little for a pair of Chinese or Japanese characters
// that holds a function word, since such pairs cross the borders of words and hardly occur anywhere.
func termWeight(term string) float64 {
	if text.IsGrammarPair(term) {
		return 0.25
	}
	return 1
}

func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// relevance is the grade of an item by itself, as strips and [EvaluateSignals] use it.
func (q queryTerms) relevance(item state.Evidence) float64 { return q.grade(q.features(item)) }

// grade is the logistic score of an item's features.
func (q queryTerms) grade(f features) float64 {
	if f.all == 0 { // not a word in common
		return 0
	}
	z := lexicalWeights[0] + q.offset()
	for i, x := range [...]float64{f.all, f.window, f.heading, f.pairs} {
		z += lexicalWeights[i+1] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// features are the four shares described at Relevance, each 0–1.
type features struct{ all, window, heading, pairs float64 }

func (q queryTerms) features(item state.Evidence) features {
	heading := q.mask(item.Title + "\n" + item.Section + "\n" + item.Path)
	body := q.read(item.Content)
	return features{q.coverage(heading | body.all), q.bestWindow(body), q.coverage(heading), q.pairs(body)}
}

// reading is what a text holds of a query.
type reading struct {
	sentences []uint64 // the terms of each sentence
	all       uint64
	near      uint64 // bit i: the terms i and i+1 stand within nearby terms of each other
}

// nearby is the distance, in terms, within which neighbours of the query count as a pair.
const nearby = 4

// read goes through a text once.
func (q queryTerms) read(content string) reading {
	var r reading
	last := make([]int, len(q.weight)) // position behind which each term stood last; 0 = nowhere yet
	position := 0
	for _, span := range text.Sentences(content) {
		var mask uint64
		for _, term := range text.Terms(content[span.Start:span.End]) {
			position++
			i, ok := q.number[term]
			if !ok {
				continue
			}
			mask |= 1 << i
			last[i] = position
			if i > 0 && last[i-1] > 0 && position-last[i-1] <= nearby {
				r.near |= 1 << (i - 1)
			}
			if i+1 < len(last) && last[i+1] > 0 && position-last[i+1] <= nearby {
				r.near |= 1 << i
			}
		}
		r.sentences = append(r.sentences, mask)
		r.all |= mask
	}
	return r
}

// mask is the terms of the query that a text holds.
func (q queryTerms) mask(s string) uint64 {
	var mask uint64
	for _, term := range text.Terms(s) {
		if i, ok := q.number[term]; ok {
			mask |= 1 << i
		}
	}
	return mask
}

// coverage is the idf-weighted share of the query's terms in mask.
func (q queryTerms) coverage(mask uint64) float64 { return shareOf(q.weight, q.total, mask) }

// shareOf is the share that the weights in mask have in total; 0 when that is 0.
func shareOf(weights []float64, total float64, mask uint64) float64 {
	if total == 0 {
		return 0
	}
	sum := 0.0
	for i, w := range weights {
		if mask&(1<<i) != 0 {
			sum += w
		}
	}
	return sum / total
}

// bestWindow is the best coverage of three sentences in a row.
func (q queryTerms) bestWindow(r reading) float64 {
	best := 0.0
	for i := range r.sentences {
		var window uint64
		for _, sentence := range r.sentences[i:min(i+3, len(r.sentences))] {
			window |= sentence
		}
		best = max(best, q.coverage(window))
	}
	return best
}

// pairs is the share of neighbouring terms of the query that stand near each other.
func (q queryTerms) pairs(r reading) float64 {
	if len(q.weight) < 2 {
		return 0
	}
	return float64(bits.OnesCount64(r.near)) / float64(len(q.weight)-1)
}
