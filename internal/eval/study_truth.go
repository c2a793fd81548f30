package eval

import (
	"regexp"
	"strings"
	"unicode"
)

// The script restates the question before its answer, right or wrong, so that only the answer itself can give it away.

// stem is what the script writes before an answer.
func (q studyQuestion) stem() string { return strings.TrimRight(studyPlain(q.text), " ?.!:") }

func (q studyQuestion) sentence(answer string) string {
	return q.stem() + ": " + strings.TrimRight(answer, " .") + "."
}

// right says whether what an agent answered holds a right answer.
func (q studyQuestion) right(answer string) bool {
	said := studyMarkers.ReplaceAllString(answer, "")
	if rest, ok := strings.CutPrefix(said, q.stem()+": "); ok {
		said = rest
	}
	for _, a := range q.answers {
		if studyHolds(said, a) {
			return true
		}
	}
	return false
}

var studyMarkers = regexp.MustCompile(`\s*\[\d+\]`)

// claimed says whether a claim stands in a sentence with a right answer.
func (q studyQuestion) claimed(claim string) bool {
	for _, a := range q.answers {
		if studyHolds(q.sentence(a), claim) {
			return true
		}
	}
	return false
}

// decoy is a wrong answer to q: that of another question. where, 0–1, picks it.
func (s studySet) decoy(q studyQuestion, where float64) (answer string, ok bool) {
	n := len(s.decoys)
	from := int(where * float64(n))
	for i := range n {
		d := s.decoys[(from+i)%n]
		alike := false
		for _, a := range q.answers {
			alike = alike || studyHolds(d, a) || studyHolds(a, d)
		}
		if !alike {
			return d, true
		}
	}
	return "", false
}

// studyHolds says whether whole holds part, both in lower case, without punctuation and articles, word by word. An empty
// part is held by nothing.
func studyHolds(whole, part string) bool {
	p := studyWords(part)
	return p != " " && strings.Contains(studyWords(whole), p)
}

// studyWords is the words of s between single spaces, one before and one behind.
func studyWords(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range words {
		if w != "a" && w != "an" && w != "the" {
			b.WriteString(w)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
