package rules

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// Sentence is one sentence of an item with how well it answers a query.
type Sentence struct {
	Item       int // index of the item
	Start, End int // byte range in the item's content
	Score      float64
}

// BestSentences ranks the sentences of items by the idf-weighted terms of a claim that they hold, with a share of the
// score for what the item as a whole holds. Sentences without a term of it are left out. What answers a question is for
// [AnswerSentences] to say.
func BestSentences(claim string, items []state.Evidence, stats TermStats) []Sentence {
	q := newQueryTerms(claim, stats)
	var all []Sentence
	for i, item := range items {
		whole := q.features(item)
		for _, span := range text.Sentences(item.Content) {
			own := q.coverage(q.mask(item.Content[span.Start:span.End]))
			if own == 0 {
				continue
			}
			score := 0.6*own + 0.25*whole.all + 0.15*whole.heading
			all = append(all, Sentence{Item: i, Start: span.Start, End: span.End, Score: score})
		}
	}
	slices.SortStableFunc(all, func(a, b Sentence) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// Extract picks what answers a query best: for up to limit items the best run of three sentences, best first. A heading
// is no answer; what stands under a heading that asks the same is.
//
// focus is the words that the person used last when query was made of a follow-up and what it follows, else "": of
// "How do I add a tool? and a rule?" an item that says nothing of rules counts half,
// and one under a heading about rules counts most. There is none when several items hardly answer a
// query that stands alone: when their [Sufficiency] is below extractFrom.
func Extract(query, focus string, items []state.Evidence, stats TermStats, limit int) []Sentence {
	full := newQuestion(query, stats)
	rows := full.measureAll(items)
	sentences, answers := full.answers(items, full.grades(rows))
	if focus == "" && len(items) > 1 && !AtLeast(full.suffice(rows, answers), extractFrom) {
		return nil
	}
	q, last := full.queryTerms, newQueryTerms(focus, stats)
	likely := likelihoods(len(items), ranked(sentences, answers))
	var best []Sentence
	for i, item := range items {
		s, ok := q.extract(i, item, likely[i])
		if !ok {
			continue
		}
		if last.total > 0 {
			f := last.features(item)
			s.Score *= (2 + f.all + f.heading) / 4
		}
		best = append(best, s)
	}
	slices.SortStableFunc(best, func(a, b Sentence) int { return cmp.Compare(b.Score, a.Score) })
	for i, s := range best { // a second passage must be nearly as good as the first
		if i == limit || s.Score < 0.9*best[0].Score {
			return best[:i]
		}
	}
	return best
}

// extractFrom is the sufficiency from which something is quoted. On XQuAD-en with the passage that answers taken out for half
// of the 439 questions, the agent without a model is right for .804 of them without this, for .836 with it (.895 of the
// answers that are there are given, instead of .923; .776 of those that are not are refused, instead of .685).
const extractFrom = 0.4

// The size of an extract: sentences in a row, and the items of a list that a sentence announces.
const (
	extractRun  = 3
	extractList = 12
)

// What makes an extract good: the query's terms that it holds itself, that its item holds, and that stand in the heading
// right above it. The weights were chosen by hand on the manual and the Go FAQ; the sum is 1.
const (
	ownWeight     = 0.4
	allWeight     = 0.25
	headingWeight = 0.35
)

// likelyWeight is what the likeliest sentence of a run adds when the runs of one item are compared. With it, .014 more of
// the answers that are there are given on XQuAD-en, and as many are refused where there is none.
const likelyWeight = 0.2

// sameQuestion is the coverage from which a heading asks the same as the query, and sectionBytes is how much of its
// section is then taken, to the end of the sentence.
const (
	sameQuestion = 0.75
	sectionBytes = 600
)

// ownHeading is the heading that content starts with, or "".
func ownHeading(content string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(content, "\n"), "\n")
	if !strings.HasPrefix(line, "#") {
		return ""
	}
	return line
}

// sectionEnd is the end of the begin of a section: the sentences up to its next heading or sectionBytes.
func sectionEnd(content string, spans []text.Span) int {
	last := 0
	for last+1 < len(spans) && spans[last].End-spans[0].Start < sectionBytes && !headingBetween(content, spans[last], spans[last+1]) {
		last++
	}
	return spans[last].End
}

// likelihoods is, for each of so many items, how likely its sentences, best first, answer the query, by where they start: 1 is the
// likeliest of the item.
func likelihoods(items int, sentences []Sentence) []map[int]float64 {
	list, top := make([]map[int]float64, items), make([]float64, items)
	for _, s := range sentences {
		if list[s.Item] == nil {
			list[s.Item], top[s.Item] = make(map[int]float64), s.Score
		}
		list[s.Item][s.Start] = s.Score / top[s.Item]
	}
	return list
}

// likeliest is the highest of the likelihoods of sentences.
func likeliest(likely map[int]float64, run []text.Span) float64 {
	best := 0.0
	for _, s := range run {
		best = max(best, likely[s.Start])
	}
	return best
}

// extract is the best run of sentences of one item; or the begin of the section, when its heading asks the same. Score is without
// the likelihood, which compares the runs of one item only.
func (q queryTerms) extract(n int, item state.Evidence, likely map[int]float64) (best Sentence, ok bool) {
	f := q.features(item)
	spans := slices.DeleteFunc(text.Sentences(item.Content), func(s text.Span) bool { return isHeading(item.Content, s) })
	if len(spans) > 0 && q.coverage(q.mask(ownHeading(item.Content))) >= sameQuestion {
		start := extractStart(item.Content, spans[0].Start)
		end := closeCode(item.Content, start, sectionEnd(item.Content, spans))
		return Sentence{Item: n, Start: start, End: end, Score: 1 - allWeight + allWeight*f.all}, end > start
	}
	most := 0.0
	for i := range spans {
		last := runEnd(item.Content, spans, i)
		own := q.coverage(q.mask(item.Content[spans[i].Start:spans[last].End]))
		underHeading := f.heading / float64(1+i)
		score := ownWeight*own + allWeight*f.all + headingWeight*underHeading
		if key := score + likelyWeight*likeliest(likely, spans[i:last+1]); key > most && own+underHeading > 0 {
			most = key
			start := extractStart(item.Content, spans[i].Start)
			end := closeCode(item.Content, start, spans[last].End)
			best, ok = Sentence{Item: n, Start: start, End: end, Score: score}, end > start
		}
	}
	return best, ok
}

// runEnd is the last sentence of the run that starts with the first: up to three of one paragraph, or the list that a
// sentence announces with a colon. A row of a table stands for itself.
func runEnd(content string, spans []text.Span, first int) int {
	if startsLine(content, spans[first], "|") {
		return first
	}
	last := first
	for last+1 < len(spans) && last-first+1 < extractRun && sameParagraph(content[spans[last].End:spans[last+1].Start]) &&
		!startsLine(content, spans[last+1], "|") {
		last++
	}
	end := strings.TrimRight(content[spans[last].Start:spans[last].End], " `*_")
	if !strings.HasSuffix(end, ":") && !strings.HasSuffix(end, "：") {
		return last
	}
	for limit := last + extractList; last+1 < len(spans) && last < limit && !headingBetween(content, spans[last], spans[last+1]); {
		last++
	}
	return last
}

// extractStart is where an extract begins whose first sentence begins at start: with the fence of the code that it stands
// in, or with the marker of its list item.
func extractStart(content string, start int) int {
	if before := content[:start]; strings.Count(before, "```")%2 == 1 {
		return strings.LastIndex(before, "```")
	}
	line := strings.LastIndexByte(content[:start], '\n') + 1
	if listMarker.MatchString(content[line:start]) {
		return line
	}
	return start
}

var listMarker = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s+$`)

// closeCode is the end of an extract that leaves no block of code open: behind its closing fence, or before its opening
// one when the item holds no end of it.
func closeCode(content string, start, end int) int {
	const fence = "```"
	if strings.Count(content[start:end], fence)%2 == 0 {
		return end
	}
	if i := strings.Index(content[end:], fence); i >= 0 {
		return end + i + len(fence)
	}
	return start + len(strings.TrimRight(content[start:start+strings.LastIndex(content[start:end], fence)], " \n"))
}

// headingBetween says whether a heading stands between two sentences.
func headingBetween(content string, a, b text.Span) bool {
	return strings.Contains(content[a.End:b.Start], "\n#")
}

// isHeading says whether a sentence stands on a line that starts with #.
func isHeading(content string, s text.Span) bool { return startsLine(content, s, "#") }

// startsLine says whether the line on which a sentence starts begins with prefix.
func startsLine(content string, s text.Span, prefix string) bool {
	line := content[strings.LastIndexByte(content[:s.Start], '\n')+1 : s.End]
	return strings.HasPrefix(strings.TrimSpace(line), prefix)
}

func sameParagraph(gap string) bool { return strings.Count(gap, "\n") < 2 }
