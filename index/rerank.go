package index

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// rerankDepth is how many matches are weighed again.
const rerankDepth = 50

// rerank weighs matches, best first, again: each signal multiplies a passage's sum. Measured as nDCG@10 on the development
// sets, each added to the ones before (the other sets move by less than .005):
//
//	                              go_docs  xquad_zh  clapnq  covidqa
//	neighbours only               .623     .968      .964    .714
//	words of reasons              .649     .968      .969    .716
//	notes of changes              .695     .968      .969    .716
//	share of pairs                .695     .972      .969    .716
//	neighbours of neighbours      .700     .972      .966    .717
func (q query) rerank(matches []Match) {
	matches = matches[:min(len(matches), rerankDepth)]
	if len(matches) == 0 {
		return
	}
	places := make([]map[string][]int, len(matches))
	for i, m := range matches {
		places[i] = placesOf(m.Passage.Content, q.terms)
	}
	near, share := nearness(q.terms, places), q.pairShare()
	why := whyQuestion.MatchString(q.text)
	anyVersion := !asksVersion.MatchString(q.text)
	for i := range matches {
		p := &matches[i].Passage
		factor := near(i) * share(places[i])
		if why {
			factor *= reasoning(p.Content)
		}
		if anyVersion && isQuestion(q.text) && changeNotes.MatchString(p.Title+"\n"+p.Path) {
			factor *= notesFactor
		}
		matches[i].Score *= factor
	}
	sortMatches(matches)
}

// sortMatches puts the best first; equal ones keep their order.
func sortMatches(matches []Match) {
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
}

// pairWeight is how much a passage rises that holds all pairs of characters of a query, and grammarPair is how much a pair
// counts of which one is a function word.
const (
	pairWeight  = 0.5
	grammarPair = 0.25
)

// pairShare gives the factor for the share of the query's pairs of characters that a passage holds; 1 for a query without.
// A query that is cut into pairs has many terms, of which BM25 lets a few that are rare and repeated outweigh the rest.
func (q query) pairShare() func(places map[string][]int) float64 {
	weight := map[string]float64{}
	total := 0.0
	for _, t := range q.terms {
		if t[0] < utf8.RuneSelf {
			continue
		}
		weight[t] = 1
		if text.IsGrammarPair(t) {
			weight[t] = grammarPair
		}
		total += weight[t]
	}
	return func(places map[string][]int) float64 {
		held := 0.0
		for t, w := range weight {
			if len(places[t]) > 0 {
				held += w
			}
		}
		return 1 + pairWeight*held/max(total, 1)
	}
}

// A question that asks for reasons, and the words that give them.
var (
	whyQuestion = regexp.MustCompile(`(?i)^\W*why\b`)
	reasonWords = []string{
		"because", "reason", "since", "therefore", "thus", "hence", "due", "decided", "decision", "design", "would", "simpl", "complic",
		"prefer", "choice", "chose", "argu", "goal", "motivat", "purpose", "benefit",
	}
)

// reasonWeight is how much a passage rises that holds maxReasons different words of reasons.
const (
	reasonWeight = 0.5
	maxReasons   = 3
)

// reasoning is the factor for a passage that gives reasons.
func reasoning(content string) float64 {
	found := make([]bool, len(reasonWords))
	n := 0
	for _, word := range strings.Fields(strings.ToLower(content)) {
		for i, begin := range reasonWords {
			if !found[i] && strings.HasPrefix(word, begin) {
				found[i] = true
				n++
			}
		}
		if n >= maxReasons {
			break
		}
	}
	return 1 + reasonWeight*float64(min(n, maxReasons))/maxReasons
}

// Documents that tell what has changed mention everything and explain little: they answer questions about versions.
var (
	changeNotes = regexp.MustCompile(`(?i)release notes|release history|change ?log|what's new`)
	asksVersion = regexp.MustCompile(`(?i)releas|version|change ?log|upgrad|\bnew in\b|what's new|\bv?\d+\.\d+`)
	wordOfAsk   = regexp.MustCompile(`(?i)^\W*(what|why|how|when|where|who|whom|whose|which|is|are|was|were|do|does|did|can|could|should|will|would|has|have|may)\b`)
)

// notesFactor is what a passage of such a document keeps of its sum.
const notesFactor = 0.75

func isQuestion(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || wordOfAsk.MatchString(s)
}
