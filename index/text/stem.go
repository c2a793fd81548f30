package text

import (
	"strings"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/russian"
)

// stem is the Porter2 stem of an English word in lower case, and the Snowball stem of a word in Russian letters, which other
// languages that are written in Cyrillic share; another word stays. Words of other languages in Latin letters are not told from
// English ones: a question is too short for that, and both sides of a search have to stem alike.
func stem(word string) string {
	switch {
	case len(word) < 3:
		return word
	case only(word, 'a', 'z'):
		return stemEnglish(word)
	case only(strings.ReplaceAll(word, "ё", "е"), 'а', 'я') && utf8.RuneCountInString(word) >= 3:
		return russian.Stem(word, true)
	default:
		return word
	}
}

func stemEnglish(word string) string {
	s := english.Stem(word, true)
	// A later revision of Porter2 keeps the double letter of "adding", "egged", "offing"; this module does not yet.
	if len(s) == 2 && strings.ContainsRune("aeo", rune(s[0])) && strings.HasPrefix(word, s+s[1:]) {
		s += s[1:]
	}
	return s
}

// only says whether all letters of word are from first to last.
func only(word string, first, last rune) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r < first || r > last }) < 0
}
