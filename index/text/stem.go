package text

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// stem is the Porter2 stem of an English word in lower case; another word stays.
func stem(word string) string {
	if len(word) < 3 || strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return word
	}
	s := english.Stem(word, true)
	// A later revision of Porter2 keeps the double letter of "adding", "egged", "offing"; this module does not yet.
	if len(s) == 2 && strings.ContainsRune("aeo", rune(s[0])) && strings.HasPrefix(word, s+s[1:]) {
		s += s[1:]
	}
	return s
}
