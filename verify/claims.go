package verify

import (
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// Claims returns the factual claims of an answer, in order: its sentences, list items and table rows, without citation
// markers, emphasis and marks of lists, in English and Chinese.
//
// No claims are questions, greetings and offers of help, opinions, hedges about missing evidence ("the documents do not
// say"), lead-ins ("Here are the steps:"), headings, heads of tables, lists of sources, and code blocks. A sentence that
// begins with "Sure," or "I think" loses the first and is an opinion by the second.
func Claims(answer string) []string {
	body := claimBody(answer)
	var claims []string
	for _, span := range text.Sentences(body) {
		sentence := claimTrim(body[span.Start:span.End])
		if isClaim(sentence) {
			claims = append(claims, sentence)
		}
	}
	return claims
}

// isClaim reports whether a sentence states a fact.
func isClaim(sentence string) bool {
	if isQuestion(sentence) || isHedge(sentence) || claimOpinion.MatchString(sentence) ||
		claimCourtesy.MatchString(sentence) || isLeadIn(sentence) {
		return false
	}
	for _, term := range text.Terms(sentence) {
		if !claimEmpty[term] {
			return true
		}
	}
	return false
}

// isHedge reports a statement about what the evidence lacks. The words that each has are looked for first, since the
// pattern is slow.
func isHedge(sentence string) bool {
	lower := strings.ToLower(sentence)
	for _, w := range []string{"not", "n't", "n’t", "no ", "unable", "没", "未", "不", "无"} {
		if strings.Contains(lower, w) {
			return claimHedge.MatchString(sentence)
		}
	}
	return false
}

// isLeadIn reports a short sentence that announces what follows.
func isLeadIn(sentence string) bool {
	return len(sentence) < maxLeadIn && claimLeadIn.MatchString(sentence)
}

// maxLeadIn is the length from which a sentence is more than a lead-in, in bytes.
const maxLeadIn = 200

// claimEmpty are terms that state nothing when nothing else is said.
var claimEmpty = wordSet("no not never ok okay hello hi hey thank sure certain note summari answer 是的 好的 不是 没有")

// wordSet is the set of the words of a line.
func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func isQuestion(sentence string) bool {
	sentence = strings.TrimRight(sentence, ` "'”’)*_」』）`)
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// claimTrim is a sentence on one line, without interjections before it.
func claimTrim(s string) string {
	s = oneSpaced(strings.ReplaceAll(s, "\n>", "\n"))
	if strings.HasPrefix(s, "|") {
		s = claimRow(s)
	}
	for range 3 { // "Yes, of course: it does"
		short := claimInterjection.ReplaceAllString(s, "")
		if short == s || short == "" {
			break
		}
		s = short
	}
	return strings.Trim(s, " *_")
}

// claimRow is a row of a table as a sentence.
func claimRow(row string) string {
	var cells []string
	for cell := range strings.SplitSeq(strings.Trim(row, "| "), "|") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	return strings.Join(cells, ", ")
}
