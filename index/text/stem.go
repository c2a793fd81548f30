package text

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// Stemming is two thirds of the cost of Terms, and a language has few words: the first maxStems short ones are kept.
// That is at most about 8 MB. What is kept changes no result.
const (
	maxStems    = 1 << 16
	maxStemWord = 32
)

var stems struct {
	known sync.Map // word to stem
	count atomic.Int64
}

// stem is the Porter2 stem of an English word in lower case; another word stays.
func stem(word string) string {
	if len(word) < 3 || strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return word
	}
	if s, ok := stems.known.Load(word); ok {
		return s.(string)
	}
	s := english.Stem(word, true)
	// A later revision of Porter2 keeps the double letter of "adding", "egged", "offing"; this module does not yet.
	if len(s) == 2 && strings.ContainsRune("aeo", rune(s[0])) && strings.HasPrefix(word, s+s[1:]) {
		s += s[1:]
	}
	if len(word) <= maxStemWord && stems.count.Load() < maxStems {
		stems.count.Add(1)
		stems.known.Store(strings.Clone(word), strings.Clone(s))
	}
	return s
}
