package rules

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// The features of a sentence of several items, each 0–1, in the order of answerFeatureNames.
const (
	answerOwn        = iota // share, by idf, of the question's terms that the sentence holds
	answerLocal             // that share with terms weighed also by how few of the sentences hold them
	answerCount             // the share unweighted
	answerNames             // unweighted share of the question's names and numbers; one half for a question without
	answerPairs             // unweighted share of the neighbouring terms of the question that stand near each other
	answerBefore            // what the sentence before adds to answerOwn, when it is of the same item
	answerAfter             // what the one after adds
	answerGrade             // Relevance of the item
	answerRank              // 1 by the rank of the item, which is in the order of the search
	answerKind              // whether it holds what is asked for, a number, time, person or place; one half when the question asks for none
	answerReason            // whether it gives a reason, for a question why
	answerAnnounces         // whether it ends in a colon or a question mark: what it is about follows
	answerDefinition        // whether it says what something is, for a question what
	answerExact             // unweighted share of the question's neighbouring words that stand side by side as they are
	answerShort             // whether it has fewer than shortSentence terms
	answerFeatures
)

var answerFeatureNames = [answerFeatures]string{"own", "local", "count", "names", "pairs", "before", "after", "grade", "rank",
	"kind", "reason", "announces", "definition", "exact", "short"}

// shortSentence is the number of terms below which a sentence is short: a caption, a rest, a line of a formula.
const shortSentence = 6

// AnswerFeatureNames are the names of the features that [AnswerSentences] weighs, in their order.
func AnswerFeatureNames() []string { return slices.Clone(answerFeatureNames[:]) }

// AnswerSentences ranks the sentences of items, which are in the order in which a search found them, by how likely each
// answers the question, best first. Score is that probability among the sentences, 0–1; their sum is 1. It is exponential in
// the features of [AnswerFeatures], with weights that were fitted; see answerWeights.
//
// [BestSentences] ranks by the words that are shared alone: it is for a claim, of which a sentence may say nothing new.
func AnswerSentences(query string, items []state.Evidence, stats TermStats) []Sentence {
	sentences, rows := AnswerFeatures(query, items, stats)
	return ranked(sentences, rows)
}

// ranked gives sentences their scores by their features, and sorts them.
func ranked(sentences []Sentence, rows [][]float64) []Sentence {
	total := 0.0
	for i, row := range rows {
		sentences[i].Score = math.Exp(answerLogit(row))
		total += sentences[i].Score
	}
	for i := range sentences {
		sentences[i].Score /= total
	}
	slices.SortStableFunc(sentences, func(a, b Sentence) int { return cmp.Compare(b.Score, a.Score) })
	return sentences
}

// answerLogit is the weighed sum of the features of a sentence.
func answerLogit(row []float64) float64 {
	z := 0.0
	for i, x := range row {
		z += answerWeights[i] * x
	}
	return z
}

// answerWeights are the weights of the features, in their order, as `kbagent eval fit extraction` makes them from the first
// five hits of the questions of the development parts of XQuAD-en (439; the best sentence holds the answer for .804, by weights
// of other documents for .802) and CovidQA (592; .478, .480), both sets weighed the same, L2 2e-3. Shared words alone reach .793
// and .419. The features were chosen on the same questions.
var answerWeights = [answerFeatures]float64{1.16, 2.64, 2.93, -0.70, 1.16, 2.81, 0.68, 2.77, 0.70, 1.38, 0.70, -0.37, 1.03, 1.26, -0.55}

// AnswerFeatures are the sentences of items in their order, without a Score, with the features of each.
func AnswerFeatures(query string, items []state.Evidence, stats TermStats) ([]Sentence, [][]float64) {
	q := newQuestion(query, stats)
	return q.answers(items, q.grades(q.measureAll(items)))
}

// answers is AnswerFeatures for items with their grades.
func (q question) answers(items []state.Evidence, grades []float64) ([]Sentence, [][]float64) {
	a := answerQuestion{question: q, why: asksWhy.MatchString(q.query), what: asksWhat.MatchString(q.query)}
	var all []answerSentence
	for i, item := range items {
		all = a.appendSentences(all, i, item.Content)
	}
	a.weighLocally(all)
	sentences, rows := make([]Sentence, len(all)), make([][]float64, len(all))
	for i, s := range all {
		rows[i] = a.sentence(s)
		rows[i][answerGrade], rows[i][answerRank] = grades[s.at.Item], 1/float64(1+s.at.Item)
		if i > 0 {
			rows[i][answerBefore] = a.gain(s, all[i-1])
		}
		if i+1 < len(all) {
			rows[i][answerAfter] = a.gain(s, all[i+1])
		}
		sentences[i] = s.at
	}
	return sentences, rows
}

// answerSentence is one sentence of the items.
type answerSentence struct {
	at      Sentence
	content string
	reading reading
	terms   int
}

// answerQuestion is a question with what only the sentences that may answer it are asked for.
type answerQuestion struct {
	question
	why, what  bool
	local      []float64 // idf by how rare a term is among the sentences; by number
	localTotal float64
}

// appendSentences adds the sentences of the item with this number.
func (q answerQuestion) appendSentences(all []answerSentence, item int, content string) []answerSentence {
	for _, span := range text.Sentences(content) {
		s := content[span.Start:span.End]
		all = append(all, answerSentence{
			at: Sentence{Item: item, Start: span.Start, End: span.End}, content: s, reading: q.read(s), terms: len(text.Terms(s)),
		})
	}
	return all
}

// weighLocally weighs the terms of the question also by how few sentences hold them: what all of them say tells them not apart.
func (q *answerQuestion) weighLocally(all []answerSentence) {
	q.local = make([]float64, len(q.weight))
	for term := range q.local {
		holding := 0
		for _, s := range all {
			holding += int(s.reading.all >> term & 1)
		}
		if holding > 0 {
			q.local[term] = q.weight[term] * math.Log1p(float64(len(all))/float64(holding))
			q.localTotal += q.local[term]
		}
	}
}

// gain is what a neighbour adds to the terms that a sentence holds, when both are of one item.
func (q answerQuestion) gain(s, neighbour answerSentence) float64 {
	if s.at.Item != neighbour.at.Item {
		return 0
	}
	return q.coverage(neighbour.reading.all &^ s.reading.all)
}

// sentence is the features of a sentence by itself.
func (q answerQuestion) sentence(s answerSentence) []float64 {
	mask := s.reading.all
	f := make([]float64, answerFeatures)
	f[answerOwn], f[answerLocal], f[answerCount] = q.coverage(mask), shareOf(q.local, q.localTotal, mask), share(mask, len(q.weight))
	f[answerNames], f[answerKind] = 0.5, 0.5
	if q.names != 0 {
		f[answerNames] = share(q.names&mask, bits.OnesCount64(q.names))
	}
	if q.kind != kindOther {
		f[answerKind] = oneIf(q.holds(s.content))
	}
	f[answerPairs], f[answerExact] = q.pairs(s.reading), q.exact(state.Evidence{Content: s.content})
	f[answerReason] = oneIf(q.why && givesReason.MatchString(s.content))
	f[answerDefinition] = oneIf(q.what && defines.MatchString(s.content))
	end := strings.TrimRight(s.content, " `*_")
	f[answerAnnounces] = oneIf(strings.HasSuffix(end, ":") || strings.HasSuffix(end, "?") || strings.HasSuffix(end, "：") || strings.HasSuffix(end, "？"))
	f[answerShort] = oneIf(s.terms < shortSentence)
	return f
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
