package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// kind is what a question asks for, as far as its words say.
type kind int

const (
	kindOther kind = iota
	kindNumber
	kindTime
	kindPerson
	kindPlace
)

// kindWords are what questions of a kind hold; the first kind that fits counts. A space at an end is the border of a word.
var kindWords = []struct {
	kind  kind
	words []string
}{
	{kindNumber, []string{" how many ", " how much ", " how long ", " how far ", " how old ", " how tall ", " how big ", " how large ", " what percent", " what number", "多少"}},
	{kindTime, []string{" when ", " what year", " which year", " what date", " what day", " what time"}},
	{kindPerson, []string{" who ", " who's ", " whose ", " whom ", " what is the name", " which person"}},
	{kindPlace, []string{" where ", " what city", " what country", " which city", " which country", " what state"}},
}

func kindOf(query string) kind {
	s := " " + strings.ToLower(query) + " "
	for _, k := range kindWords {
		for _, words := range k.words {
			if strings.Contains(s, words) {
				return k.kind
			}
		}
	}
	return kindOther
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	numberWords = set(`one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million billion
		dozen half several once twice`)
	timeWords = set(`january february march april june july august september october november december century today yesterday
		monday tuesday wednesday thursday friday saturday sunday`)
)

// holds says whether a sentence holds something of the kind that is asked for and that the question does not hold itself.
func (q question) holds(sentence string) bool {
	for i, field := range strings.Fields(sentence) {
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if word != "" && q.kind.fits(word, i == 0) && q.mask(word) == 0 {
			return true
		}
	}
	return false
}

// fits says whether a word is of the kind. A person is also looked for in the first word of a sentence.
func (k kind) fits(word string, first bool) bool {
	lower := strings.ToLower(word)
	switch k {
	case kindNumber:
		return strings.ContainsFunc(word, unicode.IsDigit) || numberWords[lower]
	case kindTime:
		return isYear(word) || timeWords[lower] || strings.HasSuffix(lower, "0s")
	default:
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) && (!first || k == kindPerson) && !text.IsStopWord(lower)
	}
}

func isYear(word string) bool {
	return len(word) == 4 && strings.IndexFunc(word, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
