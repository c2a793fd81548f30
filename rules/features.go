package rules

import (
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// The features of an item, each 0–1, in the order of itemFeatureNames. Shares are weighted by idf unless it says otherwise.
const (
	featureAll       = iota // share of the query's terms that the item holds
	featureWindow           // that of its best window of three sentences
	featureSentence         // that of its best sentence with its heading
	featureHeading          // that of its title, section and path
	featurePairs            // unweighted share of the neighbouring terms of the query that stand near each other
	featureFrequency        // share in which a term counts by its frequency, saturated as in BM25
	featureCount            // unweighted share of the terms
	featureNames            // unweighted share of the query's names and numbers; one half for a query without
	featureKind             // whether the best sentence holds what the question asks for, a number, time, person or place; one half when it asks for none
	featureLength           // of the query: a sixteenth for each term
	gradeFeatures           // up to here for grades
	featureDensity   = iota - 1
	featureSize      // of the item: its terms by 400
	featureSecond    // share of the second-best sentence
	featureExact     // unweighted share of the query's neighbouring words that stand side by side as they are
	featureSpan      // share within 15 terms in a row
	allFeatures
)

var itemFeatureNames = []string{"all", "window", "sentence", "heading", "pairs", "frequency", "count", "names", "kind", "length",
	"density", "size", "second", "exact", "span"}

// The saturation of term frequencies as in BM25, with the length of an average passage, in terms.
const (
	saturation    = 1.2
	lengthShare   = 0.75
	averageLength = 130
	spanTerms     = 15
)

// question is a query with what its words ask for.
type question struct {
	queryTerms
	query string
	kind  kind
	names uint64   // terms that are names or numbers
	words []string // as they stand
}

func newQuestion(query string, stats TermStats) question {
	q := question{queryTerms: newQueryTerms(query, stats), query: query, kind: kindOf(query), words: text.Words(query)}
	for i, w := range strings.Fields(query) {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, "\"'(“‘"))
		if unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r) {
			q.names |= q.mask(w)
		}
	}
	return q
}

// measure is the features of an item.
func (q question) measure(item state.Evidence) []float64 {
	heading, body := q.mask(item.Title+"\n"+item.Section+"\n"+item.Path), q.read(item.Content)
	held := heading | body.all
	f := make([]float64, allFeatures)
	f[featureAll], f[featureWindow], f[featureHeading], f[featurePairs] = q.coverage(held), q.bestWindow(body), q.coverage(heading), q.pairs(body)
	content := text.Terms(item.Content) // cut once: that is what grading costs
	f[featureFrequency], f[featureSize] = q.frequency(text.Terms(item.Title), text.Terms(item.Section), content)
	f[featureCount] = share(held, len(q.weight))
	f[featureLength] = min(1, float64(len(q.weight))/16)
	f[featureNames] = 0.5
	if q.names != 0 {
		f[featureNames] = share(q.names&held, bits.OnesCount64(q.names))
	}
	at := 0
	for i, s := range body.sentences {
		if c := q.coverage(s | heading); c > f[featureSentence] {
			f[featureSentence], at = c, i
		}
	}
	for i, s := range body.sentences {
		c := q.coverage(s)
		f[featureDensity] += c / float64(len(body.sentences))
		if i != at {
			f[featureSecond] = max(f[featureSecond], c)
		}
	}
	f[featureKind] = q.kindNear(item.Content, at)
	f[featureExact] = q.exact(item)
	f[featureSpan] = q.span(content)
	return f
}

// measureAll is the features of all items, in their order. Items do not depend on each other, and cutting them into terms is
// what grading costs: the processors share them.
func (q question) measureAll(items []state.Evidence) [][]float64 {
	rows := make([][]float64, len(items))
	workers := min(runtime.GOMAXPROCS(0), len(items))
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(items); i += workers {
				rows[i] = q.measure(items[i])
			}
		})
	}
	group.Wait()
	return rows
}

// share is how much of n the bits of mask are.
func share(mask uint64, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(bits.OnesCount64(mask)) / float64(n)
}

// frequency is the saturated share, and the size of the item, by the terms of its parts.
func (q question) frequency(parts ...[]string) (sum, size float64) {
	counts, n := make([]float64, len(q.weight)), 0
	for _, terms := range parts {
		for _, t := range terms {
			n++
			if i, ok := q.number[t]; ok {
				counts[i]++
			}
		}
	}
	if q.total == 0 {
		return 0, 0
	}
	for i, w := range q.weight {
		sum += w * counts[i] / (counts[i] + saturation*(1-lengthShare+lengthShare*float64(n)/averageLength))
	}
	return sum / q.total, min(1, float64(n)/400)
}

// exact is the share of neighbouring words of the query that stand side by side in the item.
func (q question) exact(item state.Evidence) float64 {
	if len(q.words) < 2 {
		return 0
	}
	words := text.Words(item.Title + " " + item.Content)
	n := 0
	for i := 1; i < len(q.words); i++ {
		for j := 1; j < len(words); j++ {
			if words[j-1] == q.words[i-1] && words[j] == q.words[i] {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(q.words)-1)
}

// span is the best share of terms within spanTerms of the content, which is cut into terms.
func (q question) span(content []string) float64 {
	var at, number []int
	for i, t := range content {
		if n, ok := q.number[t]; ok {
			at, number = append(at, i), append(number, n)
		}
	}
	best := 0.0
	for i := range at {
		var mask uint64
		for j := i; j < len(at) && at[j]-at[i] < spanTerms; j++ {
			mask |= 1 << number[j]
		}
		best = max(best, q.coverage(mask))
	}
	return best
}

// kindNear is 1 when the best sentence holds what is asked for, less when one beside it does, 0 when none does.
func (q question) kindNear(content string, best int) float64 {
	if q.kind == kindOther {
		return 0.5
	}
	const beside = 0.7
	spans := text.Sentences(content)
	holds := func(i int) bool {
		return i >= 0 && i < len(spans) && q.holds(content[spans[i].Start:spans[i].End])
	}
	switch {
	case holds(best):
		return 1
	case holds(best-1) || holds(best+1):
		return beside
	default:
		return 0
	}
}

// GradeFeatureNames are the names of the features that [Relevance] weighs, in their order.
func GradeFeatureNames() []string {
	return append(slices.Clone(itemFeatureNames[:gradeFeatures]), "above")
}

// What the others of a list count for in the last feature of a grade: each at most othersCap, so that an item is not worth
// less because others answer too, and one of othersPrior is always among them.
const (
	othersCap   = 0.5
	othersPrior = 0.2
)

// GradeFeatures are these features of each item. The last one says how far the item's frequency is above the mean of the
// others'.
func GradeFeatures(query string, items []state.Evidence, stats TermStats) [][]float64 {
	return gradeRows(newQuestion(query, stats).measureAll(items))
}

// gradeRows makes the features of grades of those of the items.
func gradeRows(rows [][]float64) [][]float64 {
	total := othersPrior
	for _, row := range rows {
		total += min(row[featureFrequency], othersCap)
	}
	grades := make([][]float64, len(rows))
	for i, row := range rows {
		own := row[featureFrequency]
		grades[i] = append(row[:gradeFeatures:gradeFeatures], own-(total-min(own, othersCap))/float64(len(rows)))
	}
	return grades
}
