package verify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// compAnswer is an answer as the checks read it.
type compAnswer struct {
	question  string
	subject   []string // terms
	prose     string   // without markers of citations
	lower     string   // prose in lower case
	sentences []string // of the prose, without the marks of lists
	terms     map[string]bool
	content   int  // different terms
	numbered  int  // lines that start with a number
	bullets   int  // other items of lists
	rows      int  // rows of tables, the head not counted
	code      bool // a block of code, or code in a line
}

var (
	compMarker   = regexp.MustCompile(`[ \t]*[\[【]\d{1,3}(?:\s*[,，]\s*\d{1,3})*[\]】]`)
	compNumbered = regexp.MustCompile(`(?m)^\s*(?:[(（]?\d{1,3}[.)）、]|step\s+\d+|第[一二三四五六七八九十\d]+步|[一二三四五六七八九十]+、)`)
	compBullet   = regexp.MustCompile(`(?m)^\s*[-*+•]\s+\S`)
	compRow      = regexp.MustCompile(`(?m)^\s*\|.*\|\s*$`)
	compRule     = regexp.MustCompile(`(?m)^\s*\|[\s:|+-]*-[\s:|+-]*\|\s*$`)
	compCode     = regexp.MustCompile("(?s)```.+```|~~~.+~~~|`[^`\n]+`")
)

func compRead(question, answer string) compAnswer {
	a := compAnswer{question: question, subject: compSubject(question), terms: make(map[string]bool)}
	a.prose = strings.TrimSpace(compMarker.ReplaceAllString(answer, ""))
	a.lower = strings.ToLower(strings.ReplaceAll(a.prose, "’", "'"))
	for _, s := range text.Sentences(a.prose) {
		a.sentences = append(a.sentences, a.prose[s.Start:s.End])
	}
	for _, t := range text.Terms(a.prose) {
		a.terms[t] = true
	}
	a.content = len(a.terms)
	a.numbered = len(compNumbered.FindAllStringIndex(a.lower, -1))
	a.bullets = len(compBullet.FindAllStringIndex(a.prose, -1))
	if len(compRule.FindAllStringIndex(a.prose, -1)) > 0 {
		a.rows = max(0, len(compRow.FindAllStringIndex(a.prose, -1))-2)
	}
	a.code = compCode.MatchString(a.prose)
	return a
}

// sentence is one sentence of the answer, read for its words only.
func (a compAnswer) sentence(s string) compAnswer {
	one := compAnswer{question: a.question, subject: a.subject, prose: s, lower: strings.ToLower(s), terms: make(map[string]bool)}
	for _, t := range text.Terms(s) {
		one.terms[t] = true
	}
	return one
}

// names is the share of some terms that the answer holds.
func (a compAnswer) names(terms []string) float64 {
	if len(terms) == 0 {
		return 1
	}
	held := 0
	for _, t := range terms {
		if a.terms[t] {
			held++
		}
	}
	return float64(held) / float64(len(terms))
}

// any says whether a pattern occurs.
func (a compAnswer) any(pattern *regexp.Regexp) bool { return pattern.MatchString(a.lower) }

// compHolds says whether s holds a word or phrase, both in lower case: as whole words, except in Chinese, Japanese and
// Korean, which have no spaces.
func compHolds(s, cue string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], cue)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(cue)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		first, _ := utf8.DecodeRuneInString(cue)
		last, _ := utf8.DecodeLastRuneInString(cue)
		if !compSameWord(before, first) && !compSameWord(last, after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[start:])
		at = start + size
	}
}

// compSameWord says whether two neighbouring characters are of one word.
func compSameWord(a, b rune) bool {
	letter := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !compIdeographic(string(r))
	}
	return letter(a) && letter(b)
}
